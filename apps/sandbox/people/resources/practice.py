"""What belongs to the practice: Organization, Location, Practitioner, PractitionerRole and Endpoint.

DSTU2 puts a practitioner's role inside Practitioner, with a single name; R4 has PractitionerRole and a list of names.
Ids are passed in: these resources belong to no patient's chart.
"""

from collections.abc import Callable

from apps.sandbox.people.clinic import Organization, Place, Practitioner
from apps.sandbox.people.elements import Element, address, concept, plain, telecom

Ids = Callable[[str, str], str]
_NPI = "http://hl7.org/fhir/sid/us-npi"
_DSTU2_KINDS = "http://hl7.org/fhir/organization-type"
_R4_KINDS = "http://terminology.hl7.org/CodeSystem/organization-type"


def organization(version: str, one: Organization, ids: Ids) -> Element:
    """Organization: one type in DSTU2, a list in R4."""
    kind = plain(_DSTU2_KINDS if version == "dstu2" else _R4_KINDS, one.kind)
    return {
        "resourceType": "Organization",
        "id": ids("Organization", one.key),
        "active": True,
        "type": kind if version == "dstu2" else [kind],
        "name": one.name,
        "telecom": telecom(one.telephone, use="work"),
        "address": [address(one.address, use="work")],
    }


def location(version: str, one: Place, home: Organization, ids: Ids) -> Element:
    """Location: one type in DSTU2, a list in R4."""
    kind = concept(one.kind)
    return {
        "resourceType": "Location",
        "id": ids("Location", one.key),
        "status": "active",
        "name": one.name,
        "mode": "instance",
        "type": kind if version == "dstu2" else [kind],
        "telecom": telecom(one.telephone, use="work"),
        "address": address(home.address, use="work"),
        "managingOrganization": {"reference": f"Organization/{ids('Organization', home.key)}", "display": home.name},
    }


def practitioner(version: str, one: Practitioner, home: Organization, ids: Ids) -> Element:
    """Practitioner, in DSTU2 with the role inside."""
    dstu2 = version == "dstu2"
    name = {
        "use": "official" if not dstu2 else "usual",
        "text": one.name,
        "family": [one.family] if dstu2 else one.family,
        "given": [one.given],
        "suffix": [one.title],
    }
    practice = {"reference": f"Organization/{ids('Organization', home.key)}", "display": home.name}
    role = {"managingOrganization": practice, "specialty": [concept(one.specialty)]}
    return {
        "resourceType": "Practitioner",
        "id": ids("Practitioner", one.key),
        "identifier": [{"system": _NPI, "value": one.registration}],
        "active": True,
        "name": name if dstu2 else [name],
        "gender": one.gender,
        "practitionerRole": [role] if dstu2 else None,
    }


def practitioner_role(one: Practitioner, home: Organization, ids: Ids) -> Element:
    """PractitionerRole, R4 only."""
    return {
        "resourceType": "PractitionerRole",
        "id": ids("PractitionerRole", one.key),
        "active": True,
        "practitioner": {"reference": f"Practitioner/{ids('Practitioner', one.key)}", "display": one.name},
        "organization": {"reference": f"Organization/{ids('Organization', home.key)}", "display": home.name},
        "specialty": [concept(one.specialty, one.taxonomy)],
        "telecom": telecom(home.telephone, use="work"),
        "endpoint": [{"reference": f"Endpoint/{ids('Endpoint', 'messages')}"}],
    }


def endpoint(home: Organization, mail: str, ids: Ids) -> Element:
    """Endpoint, R4 only: where the practice takes secure messages."""
    kinds = "http://terminology.hl7.org/CodeSystem/endpoint-connection-type"
    return {
        "resourceType": "Endpoint",
        "id": ids("Endpoint", "messages"),
        "status": "active",
        "connectionType": {"system": kinds, "code": "direct-project", "display": "Direct Project"},
        "name": f"{home.name} secure messages",
        "managingOrganization": {"reference": f"Organization/{ids('Organization', home.key)}", "display": home.name},
        "payloadType": [plain("http://terminology.hl7.org/CodeSystem/endpoint-payload-type", "any", "Any")],
        "address": f"mailto:{mail}",
    }
