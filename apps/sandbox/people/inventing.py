"""Invented people in any number, each with about as many resources as requested, and reproducible from a seed.

Their stories are thin (reviews with laboratory work and vital signs, now and then a prescription, a vaccine, a
problem), but every one is well formed and plausibly dated.
"""

import random
from datetime import date, timedelta

from apps.sandbox.people import catalogue, formats, stories
from apps.sandbox.people.codes import Code, loinc, snomed
from apps.sandbox.people.facts import (
    Allergy,
    Diagnosis,
    Fact,
    Operation,
    Prescription,
    Reaction,
    Story,
    Vaccination,
)
from apps.sandbox.people.person import Address, Person
from apps.sandbox.people.stories import TOLD_ON, on

SMALLEST, LARGEST = 50, 50_000

_GIVEN = {
    "female": ("Ada", "Beatriz", "Cora", "Dalia", "Edith", "Freya", "Greta", "Imani", "Juno", "Leila", "Mira", "Nora"),
    "male": ("Abel", "Boris", "Cyrus", "Dario", "Elias", "Felix", "Hugo", "Ivan", "Jonas", "Kofi", "Luca", "Milan"),
}
_FAMILY = ("Sampleby", "Testerman", "Fauxley", "Mockridge", "Inventado", "Exemplar", "Trialson", "Demopoulos",
           "Fictive", "Placeholder", "Pretendre", "Dummond")  # fmt: skip
_STREETS = ("Example Street", "Sample Avenue", "Fiction Road", "Invented Way", "Placeholder Lane")
_PROBLEMS = (
    snomed("59621000", "Essential hypertension"), snomed("195967001", "Asthma"), snomed("396275006", "Osteoarthritis"),
    snomed("37796009", "Migraine"), snomed("235595009", "Gastroesophageal reflux disease"),
    snomed("40930008", "Hypothyroidism"), snomed("35489007", "Depressive disorder"),
    snomed("279039007", "Low back pain"),
)  # fmt: skip
_DRUGS = (catalogue.LISINOPRIL, catalogue.ATORVASTATIN, catalogue.METFORMIN, catalogue.VITAMIN_D, catalogue.ALBUTEROL)
_LEVELS = (
    (catalogue.GLUCOSE, 92, 9), (catalogue.CREATININE, 0.9, 0.12), (catalogue.SODIUM, 140, 2),
    (catalogue.POTASSIUM, 4.2, 0.3), (catalogue.HEMOGLOBIN, 13.9, 0.9), (catalogue.LEUKOCYTES, 6.8, 1.4),
    (catalogue.PLATELETS, 251, 38), (catalogue.ALT, 24, 8), (catalogue.TSH, 1.9, 0.6), (catalogue.LDL, 112, 22),
)  # fmt: skip
_PER_REVIEW = 17  # resources a review makes in R4, its Provenance included
_BEGINNINGS = 15  # resources everybody starts with


def story(seed: int, number: int, size: int) -> Story:
    """The story of invented person `number`: about `size` resources in R4, between SMALLEST and LARGEST.

    Raises ValueError for another size.
    """
    if not SMALLEST <= size <= LARGEST:
        raise ValueError(f"a size is between {SMALLEST} and {LARGEST}")
    chance = random.Random(f"{seed}/{number}")  # noqa: S311  # nosec B311 -- to be repeatable
    person = _person(seed, number, chance)
    told = _beginnings(person, chance)
    reviews = max(1, (size - _BEGINNINGS) // _PER_REVIEW)
    first = max(person.born + timedelta(days=18 * 365), TOLD_ON - timedelta(days=max(25 * 365, reviews // 3)))
    span = (TOLD_ON - first).days
    for place in range(reviews):
        minutes = place * span * 24 * 60 // reviews
        told += _review(place, first + timedelta(days=minutes // (24 * 60)), minutes // 60 % 24, chance)
    return Story(person, tuple(told))


def _person(seed: int, number: int, chance: random.Random) -> Person:
    gender = chance.choice(("female", "male"))
    given, family = chance.choice(_GIVEN[gender]), chance.choice(_FAMILY)
    return Person(
        key=f"invented-{seed}-{number}",
        given=(given,),
        family=family,
        gender=gender,
        born=date(chance.randrange(1936, 2000), chance.randrange(1, 13), chance.randrange(1, 29)),
        telephone=f"555-01{chance.randrange(50, 100)}",
        mail=f"{given}.{family}.{number}@example.org".lower(),
        address=Address(f"{chance.randrange(1, 200)} {chance.choice(_STREETS)}", "Springfield", "OR", "97999"),
        record_number=f"SANDBOX-{seed}-{number:05d}",
        language=catalogue.ENGLISH,
        race=chance.choice((catalogue.WHITE, catalogue.BLACK, catalogue.ASIAN)),
        ethnicity=chance.choice((catalogue.HISPANIC, catalogue.NOT_HISPANIC)),
    )


def _beginnings(person: Person, chance: random.Random) -> list[Fact]:
    """What everybody has: three problems, an allergy, two drugs, vaccines, a procedure and a document."""
    begun = TOLD_ON - timedelta(days=900)
    told: list[Fact] = [
        Diagnosis(f"P:{code.code}", (code,), begun, begun) for code in chance.sample(_PROBLEMS, 3)
    ]  # fmt: skip
    told += [
        Prescription(drug.code, drug, stories.tablet("1 tablet a day", 1), on(begun, 10), "finch")
        for drug in chance.sample(_DRUGS, 2)
    ]
    told += [Vaccination(f"flu-{year}", catalogue.FLU, on(date(year, 10, 5), 9), f"FX{year}") for year in (2023, 2024)]
    lines = (f"{person.name} was seen for a yearly review.", "All findings as expected.")
    return [
        *told,
        Allergy("first", _substance(chance), "allergy", "environment", "low", on(begun, 10),
                (Reaction(snomed("271807003", "Eruption of skin"), "mild"),)),
        Operation("colonoscopy", snomed("73761001", "Colonoscopy"), on(begun, 11), 30, "osei"),
        stories.document("review", loinc("11506-3", "Progress note"), "Yearly review", on(begun, 12), "application/pdf",
                         formats.pdf("Yearly review", lines)),
        stories.smoking(catalogue.NEVER_SMOKED, on(begun, 13)),
    ]  # fmt: skip


def _substance(chance: random.Random) -> Code:
    return chance.choice((snomed("256277009", "Grass pollen"), snomed("260147004", "House dust mite")))


def _review(place: int, day: date, hour: int, chance: random.Random) -> list[Fact]:
    when = on(day, hour, place % 60)
    seen = stories.visit(f"review-{place}", when)
    results = [(test, chance.gauss(middle, spread)) for test, middle, spread in _LEVELS]
    return [
        seen,
        *stories.panel(catalogue.METABOLIC_PANEL, results, when, seen=seen),
        stories.blood_pressure(chance.randrange(105, 150), chance.randrange(62, 95), when, seen=seen),
        stories.measured(catalogue.PULSE, chance.randrange(58, 96), when, seen=seen),
        stories.measured(catalogue.WEIGHT, chance.uniform(55, 95), when, seen=seen),
        stories.measured(catalogue.TEMPERATURE, chance.uniform(36.2, 37.2), when, seen=seen),
    ]
