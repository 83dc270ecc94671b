"""The invented practices where the stories take place: people, rooms, laboratory, pharmacy, plan and questionnaire.

Every clinic has the same keys, so that the same story can take place at any of them, with the same resource ids.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from apps.sandbox.people.codes import Code, snomed
from apps.sandbox.people.person import Address


@dataclass(frozen=True)
class Practitioner:
    """Somebody who works at the practice."""

    key: str
    given: str
    family: str
    title: str
    gender: str
    registration: str
    specialty: Code
    taxonomy: Code

    @property
    def name(self) -> str:
        """The name as one would say it."""
        return f"{self.given} {self.family}, {self.title}"


@dataclass(frozen=True)
class Organization:
    """The practice or one it works with. Kind: prov, ins or other of the organization-type list."""

    key: str
    name: str
    kind: str
    telephone: str
    address: Address


@dataclass(frozen=True)
class Place:
    """A room or building visits happen in."""

    key: str
    name: str
    kind: Code
    telephone: str


@dataclass(frozen=True)
class Clinic:
    """One practice, with everybody and everything that a story may name, by key."""

    practitioners: Mapping[str, Practitioner]
    organizations: Mapping[str, Organization]
    places: Mapping[str, Place]
    mail: str

    @property
    def name(self) -> str:
        """What patients call it."""
        return self.organizations["practice"].name


_NUCC = "http://nucc.org/provider-taxonomy"
_ROLE = "http://terminology.hl7.org/CodeSystem/v3-RoleCode"

_WILLOW_CREEK_PEOPLE = {
    person.key: person
    for person in (
        Practitioner("finch", "Marta", "Finch", "MD", "female", "9990000016",
                     snomed("419772000", "Family practice"), Code(_NUCC, "207Q00000X", "Family Medicine Physician")),
        Practitioner("osei", "Daniel", "Osei", "MD", "male", "9990000024",
                     snomed("394579002", "Cardiology"), Code(_NUCC, "207RC0000X", "Cardiovascular Disease Physician")),
        Practitioner("lindqvist", "Eva", "Lindqvist", "MD", "female", "9990000032",
                     snomed("394537008", "Pediatric specialty"), Code(_NUCC, "208000000X", "Pediatrics Physician")),
        Practitioner("barros", "Inês", "Barros", "CNM", "female", "9990000040",
                     snomed("309357008", "Midwifery"), Code(_NUCC, "367A00000X", "Advanced Practice Midwife")),
        Practitioner("tanaka", "Kenji", "Tanaka", "PharmD", "male", "9990000057",
                     snomed("394602003", "Pharmacy"), Code(_NUCC, "183500000X", "Pharmacist")),
        Practitioner("rowe", "Patricia", "Rowe", "RN", "female", "9990000065",
                     snomed("722165004", "Nursing"), Code(_NUCC, "163W00000X", "Registered Nurse")),
    )
}  # fmt: skip

_WILLOW_CREEK_ORGANIZATIONS = {
    one.key: one
    for one in (
        Organization("practice", "Willow Creek Family Medicine", "prov", "555-0100",
                     Address("12 Example Lane", "Springfield", "OR", "97999")),
        Organization("laboratory", "Springfield Reference Laboratory", "prov", "555-0101",
                     Address("80 Test Tube Road", "Springfield", "OR", "97999")),
        Organization("pharmacy", "Corner Pharmacy of Springfield", "prov", "555-0102",
                     Address("3 Market Square", "Springfield", "OR", "97999")),
        Organization("plan", "Evergreen Example Health Plan", "ins", "555-0103",
                     Address("PO Box 1000", "Springfield", "OR", "97999")),
    )
}  # fmt: skip

_WILLOW_CREEK_PLACES = {
    one.key: one
    for one in (
        Place("rooms", "Willow Creek consulting rooms", Code(_ROLE, "PROFF", "Provider's Office"), "555-0100"),
        Place("emergency", "Springfield General emergency department", Code(_ROLE, "ER", "Emergency room"), "555-0104"),
        Place("ward", "Springfield General ward 4", Code(_ROLE, "HU", "Hospital unit"), "555-0105"),
    )
}

WILLOW_CREEK = Clinic(
    _WILLOW_CREEK_PEOPLE, _WILLOW_CREEK_ORGANIZATIONS, _WILLOW_CREEK_PLACES, "messages@willowcreek.example.org"
)

PLACE_OF_SETTING = {"emergency": "emergency", "inpatient": "ward"}  # every other setting: the rooms

MOOD_QUESTIONS = (
    "Little interest or pleasure in doing things",
    "Feeling down, depressed or hopeless",
)
MOOD_ANSWERS = ("Not at all", "Several days", "More than half the days", "Nearly every day")
