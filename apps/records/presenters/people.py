"""People and places that a record names: Practitioner, PractitionerRole, Organization, Location, RelatedPerson and
Person, of either version."""

from apps.records.presenters import elements, patient
from apps.records.presenters.datatypes import moments
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context, Entry
from apps.records.presenters.heads import head
from apps.records.presenters.naming import names_of, own_name, titles
from apps.records.presenters.patient import Address, Contact


class PersonEntry(Entry, frozen=True, kw_only=True, gc=False):
    """Somebody, or a place. `title` is the name as sent; `roles` are roles, kinds or the relationship to the patient,
    `belongs_to` the organization."""

    roles: tuple[str, ...] = ()
    specialties: tuple[str, ...] = ()
    contacts: tuple[Contact, ...] = ()
    addresses: tuple[Address, ...] = ()
    belongs_to: tuple[str, ...] = ()


def present(resource: Element, context: Context) -> PersonEntry:
    """Read any of them. DSTU2 keeps a practitioner's roles within the Practitioner (facts 1.6)."""
    heading = head(resource)
    if heading["is_withdrawn"] or heading["is_withheld"]:
        return PersonEntry(**heading)
    heading["title"] = own_name(resource, context)
    summary = patient.present(resource)
    roles = [*elements.children(resource, "practitionerRole"), resource]
    said = {
        name: tuple(text for role in roles for text in titles(role, name)) for name in ("code", "role", "specialty")
    }
    links = ("managingOrganization", "organization", "partOf")
    organizations = [found for role in roles for name in links for found in elements.children(role, name)]
    return PersonEntry(
        **heading,
        when=moments.read(resource, "period", means="started"),
        roles=tuple(dict.fromkeys((*said["role"], *said["code"], *titles(resource, "relationship", "type")))),
        specialties=tuple(dict.fromkeys(said["specialty"])),
        contacts=summary.contacts,
        addresses=summary.addresses,
        belongs_to=names_of(organizations, context, within=resource),
    )
