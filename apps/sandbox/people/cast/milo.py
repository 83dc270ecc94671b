"""Milo Linden, born in May 2020: growth from birth, vaccines, ear infections, peanut allergy. Hannah's son."""

from datetime import date, timedelta

from apps.sandbox.people import catalogue, stories
from apps.sandbox.people.codes import Code, cvx, snomed
from apps.sandbox.people.facts import (
    Allergy,
    Diagnosis,
    Fact,
    Prescription,
    Reaction,
    Regimen,
    Relative,
    Story,
    Vaccination,
)
from apps.sandbox.people.person import Address, Person
from apps.sandbox.people.stories import at, on
from apps.sandbox.people.values import Amount

PERSON = Person(
    key="milo",
    given=("Milo",),
    family="Linden",
    gender="male",
    born=date(2020, 5, 14),
    telephone="555-0112",
    mail="hannah.linden@example.org",
    address=Address("4 Orchard Path", "Springfield", "OR", "97999"),
    record_number="SANDBOX-0003",
    language=catalogue.ENGLISH,
    race=catalogue.WHITE,
    ethnicity=catalogue.HISPANIC,
)
# Age in months, weight in kilograms, length or height in centimetres, head in centimetres
_GROWTH = (
    (0, 3.4, 50.5, 34.8), (1, 4.4, 54.6, 37.2), (2, 5.5, 58.1, 39.0), (4, 6.9, 63.5, 41.5), (6, 7.8, 67.2, 43.2),
    (9, 8.8, 71.7, 45.0), (12, 9.6, 75.5, 46.1), (15, 10.3, 79.0, 46.9), (18, 10.9, 82.3, 47.4), (24, 12.3, 87.6, 48.4),
    (30, 13.4, 92.0, 49.0), (36, 14.5, 96.4, 49.6), (48, 16.5, 103.3, None), (60, 18.6, 110.2, None),
    (72, 20.9, 116.4, None),
)  # fmt: skip
_DTAP, _IPV, _HIB = cvx("20", "DTaP"), cvx("10", "IPV"), cvx("49", "Hib (PRP-OMP)")
_HEPB, _MMR, _VARICELLA = cvx("08", "Hep B, adolescent or pediatric"), cvx("03", "MMR"), cvx("21", "varicella")
_PCV, _ROTA = cvx("133", "Pneumococcal conjugate PCV 13"), cvx("116", "rotavirus, pentavalent")
_SCHEDULE: tuple[tuple[int, tuple[tuple[Code, int], ...]], ...] = (
    (0, ((_HEPB, 1),)),
    (2, ((_DTAP, 1), (_IPV, 1), (_HIB, 1), (_HEPB, 2), (_PCV, 1), (_ROTA, 1))),
    (4, ((_DTAP, 2), (_IPV, 2), (_HIB, 2), (_PCV, 2), (_ROTA, 2))),
    (6, ((_DTAP, 3), (_IPV, 3), (_HEPB, 3), (_PCV, 3), (_ROTA, 3))),
    (12, ((_MMR, 1), (_VARICELLA, 1), (_HIB, 3), (_PCV, 4))),
    (18, ((_DTAP, 4),)),
    (48, ((_MMR, 2), (_VARICELLA, 2), (_DTAP, 5), (_IPV, 4))),
)
_OTITIS = snomed("65363002", "Otitis media")


def story() -> Story:
    """Well-child visits with growth and vaccines, three ear infections, and the peanut."""
    return Story(PERSON, (*_growing_up(), *_ears(), *_peanut()))


def _day(months: int) -> date:
    return PERSON.born + timedelta(days=round(months * 30.44) + (0 if months == 0 else 3))


def _growing_up() -> list[Fact]:
    vaccines = dict(_SCHEDULE)
    told: list[Fact] = [
        Relative("mother", ("Hannah", "Linden"),
                 Code("http://terminology.hl7.org/CodeSystem/v3-RoleCode", "MTH", "mother"), "female", "555-0112",
                 PERSON.born),
    ]  # fmt: skip
    for months, weight, height, head in _GROWTH:
        day = _day(months)
        seen = stories.visit(f"well-{months}", on(day, 10), catalogue.WELL_CHILD, practitioner="lindqvist")
        told += [
            seen,
            stories.measured(catalogue.WEIGHT, weight, on(day, 10, 5), seen=seen),
            stories.measured(catalogue.HEIGHT, height, on(day, 10, 6), seen=seen),
            stories.measured(catalogue.BMI, weight / (height / 100) ** 2, on(day, 10, 6), seen=seen),
        ]
        if head is not None:
            told.append(stories.measured(catalogue.HEAD, head, on(day, 10, 7), seen=seen))
        told += [
            Vaccination(f"{vaccine.code}-{dose}", vaccine, on(day, 10, 20), f"L{vaccine.code}{months:02d}", dose,
                        visit=seen.key)
            for vaccine, dose in vaccines.get(months, ())
        ]  # fmt: skip
    told.append(
        Vaccination("flu-2025", catalogue.FLU, at(2025, 10, 7, 16), status="not-done",
                    reason=snomed("105480006", "Refusal of treatment by patient"),
                    note="Milo had a fever; to be given later.")
    )  # fmt: skip
    return told


def _ears() -> list[Fact]:
    told: list[Fact] = []
    syrup = Regimen("5 mL by mouth 2 times a day for 7 days", Amount("5", "mL", "mL"), 2)
    drug = Code("http://www.nlm.nih.gov/research/umls/rxnorm", "308189", "amoxicillin 80 MG/ML Oral Suspension")
    for number, when in enumerate((at(2021, 11, 23, 15), at(2022, 2, 8, 9, 30), at(2023, 12, 14, 11)), start=1):
        seen = stories.visit(f"ear-{number}", when, catalogue.SICK_VISIT, reason=_OTITIS, practitioner="lindqvist")
        healed_on = when.date() + timedelta(days=9)
        told += [
            seen,
            stories.measured(catalogue.TEMPERATURE, 38.2 + number * 0.2, when + timedelta(minutes=5), seen=seen),
            Diagnosis(f"E:ear-{number}", (_OTITIS,), when.date(), when.date(), healed_on, "encounter-diagnosis",
                      visit=seen.key),
            Prescription(f"ear-{number}", drug, syrup, when + timedelta(minutes=20), "lindqvist", "completed",
                         healed_on, _OTITIS, refills=0, visit=seen.key),
        ]  # fmt: skip
    return told


def _peanut() -> list[Fact]:
    seen = stories.visit("peanut", at(2022, 8, 19, 13), catalogue.SICK_VISIT,
                         reason=snomed("126485001", "Urticaria"), practitioner="lindqvist")  # fmt: skip
    return [
        seen,
        Allergy("peanut", snomed("762952008", "Peanut"), "allergy", "food", "high", at(2022, 8, 19, 13, 30),
                (Reaction(snomed("126485001", "Urticaria"), "moderate", "Hives within minutes of peanut butter"),
                 Reaction(snomed("422400008", "Vomiting"), "mild")), date(2022, 8, 18)),
        Diagnosis("H:peanut", (snomed("91935009", "Allergy to peanut"),), date(2022, 8, 18), date(2022, 8, 19),
                  category="health-concern", note="The nursery school has a written emergency plan."),
    ]  # fmt: skip
