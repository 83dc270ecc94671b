"""Patient: one person. DSTU2 lists family names and has care providers; R4 one family name, general practitioners."""

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, address, coding, concept, telecom
from apps.sandbox.people.person import Person

_RECORD_NUMBERS = "urn:oid:2.16.840.1.113883.3.9999.1"  # invented
_US_CORE = "http://hl7.org/fhir/us/core/StructureDefinition"
_ARGONAUT = "http://fhir.org/guides/argonaut/StructureDefinition"


def dstu2(person: Person, chart: Chart) -> Element:
    """Patient in DSTU2."""
    return {
        "resourceType": "Patient",
        "id": chart.patient_id,
        "extension": _origins(person, f"{_ARGONAUT}/argo-race", f"{_ARGONAUT}/argo-ethnicity"),
        "identifier": [_record_number(person, "http://hl7.org/fhir/v2/0203")],
        "active": True,
        "name": [
            {"use": "official", "text": _full(person), "family": [person.family], "given": list(person.given)},
            {"use": "old", "family": [person.former_family]} if person.former_family else None,
        ],
        "telecom": telecom(person.telephone, person.mail),
        "gender": person.gender,
        "birthDate": person.born.isoformat(),
        "address": [address(person.address)],
        "maritalStatus": concept(person.marital_status),
        "multipleBirthBoolean": True if person.twin else None,
        "communication": [{"language": concept(person.language), "preferred": True}],
        "careProvider": [chart.to_practitioner("finch")],
        "managingOrganization": chart.to_organization("practice"),
    }


def r4(person: Person, chart: Chart) -> Element:
    """Patient in R4."""
    return {
        "resourceType": "Patient",
        "id": chart.patient_id,
        "extension": _origins(person, f"{_US_CORE}/us-core-race", f"{_US_CORE}/us-core-ethnicity"),
        "identifier": [_record_number(person, "http://terminology.hl7.org/CodeSystem/v2-0203")],
        "active": True,
        "name": [
            {"use": "official", "text": _full(person), "family": person.family, "given": list(person.given)},
            {"use": "old", "family": person.former_family} if person.former_family else None,
        ],
        "telecom": telecom(person.telephone, person.mail),
        "gender": person.gender,
        "birthDate": person.born.isoformat(),
        "address": [address(person.address)],
        "maritalStatus": concept(person.marital_status),
        "multipleBirthBoolean": True if person.twin else None,
        "communication": [{"language": concept(person.language), "preferred": True}],
        "generalPractitioner": [chart.to_practitioner("finch")],
        "managingOrganization": chart.to_organization("practice"),
    }


def _full(person: Person) -> str:
    return " ".join((*person.given, person.family))


def _record_number(person: Person, types: str) -> Element:
    kind = {"coding": [{"system": types, "code": "MR"}], "text": "Medical record number"}
    return {"use": "usual", "type": kind, "system": _RECORD_NUMBERS, "value": person.record_number}


def _origins(person: Person, race: str, ethnicity: str) -> list[Element]:
    pairs = ((race, person.race), (ethnicity, person.ethnicity))
    return [
        {
            "url": url,
            "extension": [
                {"url": "ombCategory", "valueCoding": coding(code)},
                {"url": "text", "valueString": code.display},
            ],
        }
        for url, code in pairs
    ]
