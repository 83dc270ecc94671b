"""A Patient as received: who it is and how to reach them. DSTU2 and R4 look the same afterwards (facts 1.6).

Nothing is corrected and nothing is guessed. Whatever is odd or missing is left out; presenting never raises.
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

_REPLACING = frozenset({"replace", "replaced-by"})  # of DSTU2, of R4: the link leads to what is used instead
_MOST = 20  # names, contacts or addresses of one person; more is an accident
# administrative-gender, alike in DSTU2 and R4
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
    """A telephone number, e-mail address or other way to reach the person; `system` and `use` are FHIR codes."""

    value: str
    system: str
    use: str


class Address(msgspec.Struct, frozen=True, gc=False):
    """A postal address, one line of an envelope after the other."""

    lines: tuple[str, ...]
    use: str


class ContactPerson(msgspec.Struct, frozen=True, gc=False):
    """Whom to tell, or to ask, in place of the patient; `name` may be an organization's. `relationships` are in the
    provider's words, or keys of `relationships.WORDS`. `until` is the end of the time they are for, as sent."""

    name: str = ""
    relationships: tuple[str, ...] = ()
    contacts: tuple[Contact, ...] = ()
    addresses: tuple[Address, ...] = ()
    until: str = ""


class PatientSummary(msgspec.Struct, frozen=True, gc=False):
    """What the first page of a record shows. Dates are as sent: `2019`, `2019-03`, `2019-03-04` or anything else.

    `is_replaced`: the provider keeps this person under another entry, and uses this one no more. `is_unused`: it uses
    this one no more, and says of no other.
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
        """The name to call them by: the official one, else the first that is not of the past; empty where none was
        sent."""
        return self._first.full if self._first else ""

    @property
    def other_names(self) -> tuple[PersonName, ...]:
        """Every name but that one."""
        return tuple(name for name in self.names if name != self._first)

    @property
    def not_given(self) -> tuple[str, ...]:
        """Which of the facts a person looks for here were not sent, by the names of the fields above."""
        looked_for = ("birth_date", "contacts", "addresses", "languages", "general_practitioners")
        return tuple(field for field in looked_for if not getattr(self, field))

    @property
    def _first(self) -> PersonName | None:
        official = (name for name in self.names if name.use == "official")
        others = (name for name in self.names if name.use not in naming.PAST)
        return next(official, next(others, self.names[0] if self.names else None))


def present(resource: Element) -> PatientSummary:
    """Read a Patient of either version."""
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
    """The date as sent, or "yes" where only the fact was."""
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
    """`careProvider` in DSTU2, `generalPractitioner` in R4; only those whose name was sent along."""
    references = (*elements.children(resource, "generalPractitioner"), *elements.children(resource, "careProvider"))
    return tuple(dict.fromkeys(filter(None, (elements.text(who, "display") for who in references))))[:_MOST]


def _contact_persons(resource: Element) -> tuple[ContactPerson, ...]:
    """Those of whom there is more than a relationship: nobody could reach them else, or say who they are."""
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
