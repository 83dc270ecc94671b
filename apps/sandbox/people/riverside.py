"""Riverside University Hospital: the same people from another point of view. The keys are Willow Creek's, so ids are
equal.
"""

from apps.sandbox.people import catalogue, stories
from apps.sandbox.people.clinic import WILLOW_CREEK, Clinic, Organization, Place, Practitioner
from apps.sandbox.people.codes import snomed
from apps.sandbox.people.facts import Fact
from apps.sandbox.people.person import Address
from apps.sandbox.people.stories import at

_NAMES = {
    "finch": ("Amara", "Nwosu"),
    "osei": ("Viktor", "Halloran"),
    "lindqvist": ("Priya", "Raman"),
    "barros": ("Solveig", "Dahl"),
    "tanaka": ("Louis", "Ferrand"),
    "rowe": ("Gwen", "Okoro"),
}
_HOME = Address("400 Riverside Drive", "Eugene", "OR", "97998")

RIVERSIDE = Clinic(
    practitioners={
        key: Practitioner(key, *_NAMES[key], one.title, one.gender, f"99900002{number:02}", one.specialty, one.taxonomy)
        for number, (key, one) in enumerate(WILLOW_CREEK.practitioners.items(), start=10)
    },
    organizations={
        one.key: one
        for one in (
            Organization("practice", "Riverside University Hospital", "prov", "555-0140", _HOME),
            Organization("laboratory", "Riverside Central Laboratory", "prov", "555-0141", _HOME),
            Organization("pharmacy", "Riverside Outpatient Pharmacy", "prov", "555-0142", _HOME),
            WILLOW_CREEK.organizations["plan"],
        )
    },
    places={
        key: Place(key, name, WILLOW_CREEK.places[key].kind, telephone)
        for key, name, telephone in (
            ("rooms", "Riverside outpatient clinic", "555-0140"),
            ("emergency", "Riverside emergency department", "555-0143"),
            ("ward", "Riverside ward B2", "555-0144"),
        )
    },
    mail="messages@riverside.example.org",
)


def check_in() -> tuple[Fact, ...]:
    """What only Riverside knows about everybody: a visit in October 2026, with a pulse and a temperature."""
    when = at(2026, 10, 12, 14)
    seen = stories.visit("riverside", when, reason=snomed("185349003", "Encounter for check up"), practitioner="osei")
    return (
        seen,
        stories.measured(catalogue.PULSE, 74, at(2026, 10, 12, 14, 5), seen=seen),
        stories.measured(catalogue.TEMPERATURE, 36.7, at(2026, 10, 12, 14, 6), seen=seen),
    )
