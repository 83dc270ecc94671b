"""A Patient as received: who they are and how to reach them. DSTU2 and R4 have the same result (facts 1.6).

We correct nothing and guess nothing. Whatever is odd or missing is left out; presenting never raises.
"""

from collections.abc import Mapping
from typing import Final

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records.presenters import elements, naming
from apps.records.presenters.elements import Element
from apps.records.presenters.persons import demographics, relationships
from apps.records.presenters.persons.demographics import Trait

_REPLACING = frozenset({"replace", "replaced-by"})  # DSTU2, R4: the link leads to the entry that is used instead
_MOST = 20  # names, contacts or addresses of one person; more can only be an error
# administrative-gender, the same in DSTU2 and R4
SEX_WORDS: Final[Mapping[str, str | Promise]] = {
    "female": _("female"),
    "male": _("male"),
    "other": _("other"),
    "unknown": _("unknown"),
}


class PersonName(msgspec.Struct, frozen=True, gc=False):
    """A name as sent. `use` is the FHIR code: official, usual, nickname, maiden and so on."""

    full: str
    use: str


class Contact(msgspec.Struct, frozen=True, gc=False):
    """A phone number, e-mail address or other way to reach the person; `system` and `use` are FHIR codes."""

    value: str
    system: str
    use: str


class Address(msgspec.Struct, frozen=True, gc=False):
    """A postal address, line by line as on an envelope."""

    lines: tuple[str, ...]
    use: str


class ContactPerson(msgspec.Struct, frozen=True, gc=False):
    """Whom to inform or ask in place of the patient; `name` may be an organization's. `relationships` are in the
    provider's words, or keys of `relationships.WORDS`. `until` is the end of their period, as sent."""

    name: str = ""
    relationships: tuple[str, ...] = ()
    contacts: tuple[Contact, ...] = ()
    addresses: tuple[Address, ...] = ()
    until: str = ""


class PatientSummary(msgspec.Struct, frozen=True, gc=False):
    """What the first page of a record shows. Dates are as sent: `2019`, `2019-03`, `2019-03-04` or anything else.

    `is_replaced`: the provider now keeps this person under another entry, and no longer uses this one. `is_unused`: the
    provider no longer uses this entry, and names no other.
    """

    names: tuple[PersonName, ...] = ()
    birth_date: str = ""
    sex: str = ""
    deceased: str = ""
    contacts: tuple[Contact, ...] = ()
    addresses: tuple[Address, ...] = ()
    languages: tuple[str, ...] = ()
    general_practitioners: tuple[str, ...] = ()
    contact_persons: tuple[ContactPerson, ...] = ()
    traits: tuple[Trait, ...] = ()
    is_replaced: bool = False
    is_unused: bool = False

    @property
    def name(self) -> str:
        """The name to use: the official one, else the first that is not a past one; empty if none was sent."""
        return self._first.full if self._first else ""

    @property
    def other_names(self) -> tuple[PersonName, ...]:
        """All names other than `name`."""
        return tuple(name for name in self.names if name != self._first)

    @property
    def not_given(self) -> tuple[str, ...]:
        """The facts that people expect here but that were not sent, by the names of the fields above."""
        looked_for = ("birth_date", "contacts", "addresses", "languages", "general_practitioners")
        return tuple(field for field in looked_for if not getattr(self, field))

    @property
    def _first(self) -> PersonName | None:
        official = (name for name in self.names if name.use == "official")
        others = (name for name in self.names if name.use not in naming.PAST)
        return next(official, next(others, self.names[0] if self.names else None))


def present(resource: Element) -> PatientSummary:
    """Read a Patient of either FHIR version."""
    is_replaced = any(elements.text(link, "type") in _REPLACING for link in elements.children(resource, "link"))
    return PatientSummary(
        names=_names(resource),
        birth_date=elements.text(resource, "birthDate"),
        sex=elements.text(resource, "gender"),
        deceased=_deceased(resource),
        contacts=_contacts(resource),
        addresses=_addresses(resource),
        languages=_languages(resource),
        general_practitioners=_general_practitioners(resource),
        contact_persons=_contact_persons(resource),
        traits=demographics.read(resource),
        is_replaced=is_replaced,
        is_unused=not is_replaced and elements.flag(resource, "active") is False,
    )


def _names(resource: Element) -> tuple[PersonName, ...]:
    named = (PersonName(_full(name), elements.text(name, "use")) for name in elements.children(resource, "name"))
    return tuple(dict.fromkeys(name for name in named if name.full))[:_MOST]


def _full(name: Element) -> str:
    parts = [part for element in ("prefix", "given", "family", "suffix") for part in elements.texts(name, element)]
    return elements.text(name, "text") or " ".join(parts)


def _deceased(resource: Element) -> str:
    """The date of death as sent, or "yes" if only the fact was sent."""
    stated = elements.flag(resource, "deceasedBoolean") is True
    return elements.text(resource, "deceasedDateTime") or ("yes" if stated else "")


def _contacts(resource: Element) -> tuple[Contact, ...]:
    sent = (
        Contact(elements.text(way, "value"), elements.text(way, "system"), elements.text(way, "use"))
        for way in elements.children(resource, "telecom")
    )
    return tuple(dict.fromkeys(contact for contact in sent if contact.value))[:_MOST]


def _addresses(resource: Element) -> tuple[Address, ...]:
    sent = (Address(_lines(place), elements.text(place, "use")) for place in elements.children(resource, "address"))
    return tuple(dict.fromkeys(address for address in sent if address.lines))[:_MOST]


def _lines(place: Element) -> tuple[str, ...]:
    region = " ".join(filter(None, (elements.text(place, "state"), elements.text(place, "postalCode"))))
    town = ", ".join(filter(None, (elements.text(place, "city"), region)))
    parts = (*elements.texts(place, "line"), town, elements.text(place, "country"))
    lines = tuple(filter(None, parts))
    return lines or tuple(filter(None, elements.text(place, "text").splitlines()))


def _languages(resource: Element) -> tuple[str, ...]:
    spoken = (
        elements.words(elements.child(entry, "language")) for entry in elements.children(resource, "communication")
    )
    return tuple(dict.fromkeys(filter(None, spoken)))[:_MOST]


def _general_practitioners(resource: Element) -> tuple[str, ...]:
    """The names of `careProvider` in DSTU2 or `generalPractitioner` in R4, as far as they were sent with it."""
    references = (*elements.children(resource, "generalPractitioner"), *elements.children(resource, "careProvider"))
    return tuple(dict.fromkeys(filter(None, (elements.text(who, "display") for who in references))))[:_MOST]


def _contact_persons(resource: Element) -> tuple[ContactPerson, ...]:
    """The contact persons. One who has only a relationship is left out: nobody could tell who it is, or reach them."""
    told = (_contact_person(sent) for sent in elements.children(resource, "contact"))
    return tuple(dict.fromkeys(one for one in told if one.name or one.contacts or one.addresses))[:_MOST]


def _contact_person(sent: Element) -> ContactPerson:
    named = next(iter(_names({"name": elements.child(sent, "name")})), None)
    related = (said for concept in elements.children(sent, "relationship") for said in relationships.read(concept))
    return ContactPerson(
        name=named.full if named else elements.text(elements.child(sent, "organization"), "display"),
        relationships=tuple(dict.fromkeys(filter(None, related)))[:_MOST],
        contacts=_contacts(sent),
        addresses=_addresses(sent),
        until=elements.text(elements.child(sent, "period"), "end"),
    )
