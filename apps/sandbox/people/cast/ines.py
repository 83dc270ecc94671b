"""Ines Quill, 29, new at the practice: one check-up, one vaccine, a healthy person with little data."""

from datetime import date

from apps.sandbox.people import catalogue, stories
from apps.sandbox.people.facts import Story, Vaccination
from apps.sandbox.people.person import Address, Person
from apps.sandbox.people.stories import at

PERSON = Person(
    key="ines",
    given=("Ines",),
    family="Quill",
    gender="female",
    born=date(1997, 4, 18),
    telephone="555-0131",
    mail="ines.quill@example.org",
    address=Address("9 Feather Row", "Springfield", "OR", "97999"),
    record_number="SANDBOX-0005",
    language=catalogue.ENGLISH,
    race=catalogue.ASIAN,
    ethnicity=catalogue.NOT_HISPANIC,
    marital_status=catalogue.SINGLE,
)


def story() -> Story:
    """One visit in September 2026."""
    first = stories.visit("first", at(2026, 9, 8, 10))
    return Story(
        PERSON,
        (
            first,
            stories.measured(catalogue.HEIGHT, 168, at(2026, 9, 8, 10, 5), seen=first),
            stories.measured(catalogue.WEIGHT, 61.4, at(2026, 9, 8, 10, 6), seen=first),
            stories.blood_pressure(112, 70, at(2026, 9, 8, 10, 8), seen=first),
            stories.smoking(catalogue.NEVER_SMOKED, at(2026, 9, 8, 10, 10), first),
            Vaccination("flu-2026", catalogue.FLU, at(2026, 9, 8, 10, 25), "FX2609", 1, visit=first.key,
                        site=catalogue.LEFT_ARM),
        ),
    )  # fmt: skip
