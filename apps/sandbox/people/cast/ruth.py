"""Ruth Alder, 63: type 2 diabetes since 2014, HbA1c drifting until 2024, then turned round. Much data."""

from datetime import date, timedelta

from apps.sandbox.people import catalogue, formats, stories
from apps.sandbox.people.codes import Code, icd10, loinc, snomed
from apps.sandbox.people.facts import (
    Aim,
    Diagnosis,
    Fact,
    Handing,
    Insurance,
    Intake,
    Operation,
    Plan,
    Prescription,
    Request,
    Sample,
    Story,
    Team,
    Vaccination,
)
from apps.sandbox.people.person import Address, Person
from apps.sandbox.people.stories import at, on
from apps.sandbox.people.values import Amount

PERSON = Person(
    key="ruth",
    given=("Ruth", "Ann"),
    family="Alder",
    gender="female",
    born=date(1963, 2, 11),
    telephone="555-0111",
    mail="ruth.alder@example.org",
    address=Address("31 Birch Hill Road", "Springfield", "OR", "97999"),
    record_number="SANDBOX-0001",
    language=catalogue.ENGLISH,
    race=catalogue.WHITE,
    ethnicity=catalogue.NOT_HISPANIC,
    marital_status=catalogue.MARRIED,
)
_DIABETES = snomed("44054006", "Type 2 diabetes mellitus")
_PRESSURE = snomed("59621000", "Essential hypertension")
_FIRST, _LAST = date(2014, 3, 4), date(2026, 9, 15)
# Hemoglobin A1c at the start of each year: found, treated, drifting up, a new drug in 2024
_HBA1C = {2014: 8.9, 2015: 7.4, 2016: 6.9, 2017: 7.0, 2018: 7.3, 2019: 7.5, 2020: 7.9, 2021: 8.2, 2022: 8.4,
          2023: 8.8, 2024: 9.1, 2025: 7.3, 2026: 6.8, 2027: 6.6}  # fmt: skip


def story() -> Story:
    """Four reviews a year with laboratory work, home readings, a yearly foot and eye check, and the treatment."""
    return Story(PERSON, (*_problems(), *_reviews(), *_home(), *_yearly(), *_treatment(), *_arrangements()))


def _wobble(number: int) -> float:
    """A fixed, unremarkable up and down between -1 and 1."""
    return ((number * 37) % 11 - 5) / 5


def _hba1c(day: date) -> float:
    before, after = _HBA1C[day.year], _HBA1C[day.year + 1]
    return before + (after - before) * (day.timetuple().tm_yday / 365) + _wobble(day.toordinal()) * 0.1


def _problems() -> list[Fact]:
    return [
        Diagnosis("P:diabetes", (_DIABETES, icd10("E11.9", "Type 2 diabetes mellitus without complications")), _FIRST,
                  _FIRST),
        Diagnosis("P:pressure", (_PRESSURE, icd10("I10", "Essential (primary) hypertension")), date(2015, 6, 2),
                  date(2015, 6, 2)),
        Diagnosis("P:lipids", (snomed("55822004", "Hyperlipidemia"), icd10("E78.5", "Hyperlipidemia, unspecified")),
                  date(2014, 9, 9), date(2014, 9, 9)),
        Diagnosis("P:kidney", (snomed("431856006", "Chronic kidney disease stage 2"),
                               icd10("N18.2", "Chronic kidney disease, stage 2 (mild)")), date(2021, 6, 1),
                  date(2021, 6, 3)),
        Diagnosis("P:goitre", (snomed("3716002", "Goiter"),), date(2019, 1, 1), date(2019, 3, 5),
                  verification="entered-in-error", note="Belongs to another patient."),
        Diagnosis("H:falls", (snomed("129839007", "At risk for falls"),), date(2026, 3, 1), date(2026, 3, 3),
                  category="health-concern"),
    ]  # fmt: skip


def _reviews() -> list[Fact]:
    told: list[Fact] = []
    day, number = _FIRST, 0
    while day <= _LAST:
        seen = stories.visit(f"review-{number}", on(day, 8, 30), reason=_DIABETES)
        sample = Sample(f"blood-{number}", catalogue.BLOOD, on(day, 8, 45), f"{day:%y%j}-{number:03d}")
        order = Request(f"blood-{number}", catalogue.METABOLIC_PANEL, catalogue.LABORATORY_ORDER, on(day, 8, 40),
                        "finch", visit=seen.key)  # fmt: skip
        years = (day - _FIRST).days / 365
        sugar = 28.7 * _hba1c(day) - 46.7  # the published average for an HbA1c
        metabolic = (
            (catalogue.GLUCOSE, sugar + _wobble(number) * 12), (catalogue.CREATININE, 0.74 + years * 0.018),
            (catalogue.EGFR, 96 - years * 2.1), (catalogue.SODIUM, 139 + _wobble(number) * 2),
            (catalogue.POTASSIUM, 4.3 + _wobble(number + 3) * 0.3),
        )  # fmt: skip
        told += [seen, sample, order]
        told += stories.panel(catalogue.METABOLIC_PANEL, metabolic, on(day, 8, 45), seen=seen, specimen=sample.key)
        told += [
            stories.measured(catalogue.HBA1C, _hba1c(day), on(day, 8, 45), seen=seen, specimen=sample.key),
            stories.measured(catalogue.WEIGHT, 84.5 + years * 0.5 - (6 if day.year > 2024 else 0), on(day, 8, 32),
                             seen=seen),
            stories.measured(catalogue.PULSE, 74 + _wobble(number) * 6, on(day, 8, 33), seen=seen),
            stories.blood_pressure(round(138 + _wobble(number) * 9), round(84 + _wobble(number + 2) * 5),
                                   on(day, 8, 34), seen=seen),
        ]  # fmt: skip
        day, number = day + timedelta(days=91), number + 1
    return told


def _home() -> list[Fact]:
    """Fasting sugar at home every week since 2020, blood pressure every other week."""
    told: list[Fact] = []
    code = loinc("41604-0", "Fasting glucose [Mass/volume] in Capillary blood by Glucometer")
    day = date(2020, 1, 6)
    while day <= date(2026, 10, 26):
        number = day.toordinal() // 7
        sugar = round(28.7 * _hba1c(day) - 58 + _wobble(number) * 15)
        told.append(stories.found(code, Amount(str(sugar), "mg/dL", "mg/dL"), on(day, 7, 10), "laboratory"))
        if number % 2:
            told.append(stories.blood_pressure(round(134 + _wobble(number) * 8), round(82 + _wobble(number + 1) * 5),
                                               on(day, 7, 20)))  # fmt: skip
        day += timedelta(days=7)
    return told


def _yearly() -> list[Fact]:
    told: list[Fact] = []
    for year in range(2014, 2027):
        when = at(year, 9, 16, 8, 20)
        lipids = (
            (catalogue.CHOLESTEROL, 236 - (year - 2014) * 5), (catalogue.LDL, 152 - (year - 2014) * 5),
            (catalogue.HDL, 41 + (year - 2014) * 0.6), (catalogue.TRIGLYCERIDE, 214 - (year - 2014) * 6),
        )  # fmt: skip
        told += stories.panel(catalogue.LIPID_PANEL, lipids, when, conclusion="Compare with the goal agreed upon.")
        told += [
            stories.measured(catalogue.ALBUMIN_RATIO, 8 + (year - 2014) * 2.4, when),
            stories.measured(catalogue.HEIGHT, 162, at(year, 9, 16, 8, 25)),
            stories.smoking(catalogue.FORMER_SMOKER, at(year, 9, 16, 8, 26)),
            Operation(f"foot-{year}", snomed("401191002", "Diabetic foot examination"), at(year, 9, 16, 9), 15, "rowe",
                      outcome=snomed("385669000", "Successful")),
            Operation(f"eye-{year}", snomed("134395001", "Diabetic retinal screening"), at(year, 10, 4, 9), 20, "rowe",
                      "not-done" if year == 2020 else "completed",
                      reason=snomed("183932001", "Procedure contraindicated") if year == 2020 else None),
            Vaccination(f"flu-{year}", catalogue.FLU, at(year, 10, 4, 9, 30), f"FX{year}", site=catalogue.LEFT_ARM),
        ]  # fmt: skip
    told += [
        Vaccination("shingles-1", catalogue.SHINGLES, at(2019, 4, 2, 9), "SH19", 1),
        Vaccination("shingles-2", catalogue.SHINGLES, at(2019, 7, 2, 9), "SH19", 2),
        Vaccination("covid-2022", catalogue.COVID, at(2022, 10, 4, 9, 35), "CV22", is_reported=True),
        Vaccination("pneumo", catalogue.PNEUMOCOCCAL, at(2024, 10, 4, 9, 40), "PN24", status="entered-in-error"),
    ]
    return told


def _treatment() -> list[Fact]:
    told: list[Fact] = []
    courses = (
        (catalogue.METFORMIN, "1 tablet 2 times a day with meals", 2, _DIABETES, 2014),
        (catalogue.LISINOPRIL, "1 tablet in the morning", 1, _PRESSURE, 2015),
        (catalogue.ATORVASTATIN, "1 tablet in the evening", 1, snomed("55822004", "Hyperlipidemia"), 2014),
        (catalogue.EMPAGLIFLOZIN, "1 tablet in the morning", 1, _DIABETES, 2024),
    )
    for drug, sentence, times, reason, first in courses:
        for year in range(first, 2027):
            written_at = at(year, 9, 16, 9, 5)
            key = f"{drug.code}-{year}"
            told += [
                Prescription(key, drug, stories.tablet(sentence, times), written_at, "finch",
                             "active" if year == 2026 else "completed", date(year + 1, 9, 15), reason),
                Handing(key, key, drug, Amount(str(90 * times), "tablet", "{tablet}"), 90, written_at,
                        written_at + timedelta(hours=26)),
            ]  # fmt: skip
    told += [
        Intake("aspirin", catalogue.ASPIRIN, date(2016, 1, 1), at(2026, 9, 15, 8, 40), text="1 tablet a day",
               note="Bought without prescription."),
        Intake("ibuprofen", catalogue.IBUPROFEN, date(2021, 6, 3), at(2021, 6, 3, 9), is_taken=False,
               note="Told not to take it because of the kidneys."),
    ]  # fmt: skip
    return told


def _arrangements() -> list[Fact]:
    report = ("Retinal photographs of both eyes.", "No diabetic retinopathy. Next photographs in twelve months.")
    note = ("HbA1c 6.8 %, down from 9.1 % in January 2024.", "Feels well. Walks five times a week.",
            "Kidney function stable. Continue all medicines.")  # fmt: skip
    history = (
        ("11450-4", "Problems", ("Type 2 diabetes mellitus", "Essential hypertension", "Hyperlipidemia")),
        ("10160-0", "Medications", ("Metformin", "Lisinopril", "Atorvastatin", "Empagliflozin")),
        ("30954-2", "Results", ("Hemoglobin A1c 6.8 % on 15 September 2026",)),
    )
    return [
        Plan("diabetes-plan", "Diabetes care plan", "HbA1c below 7 % without low sugars; protect kidneys and eyes.",
             date(2024, 2, 6), ("HbA1c every three months", "Walk 30 minutes five times a week",
                                "Feet and eyes once a year"), ("P:diabetes", "P:kidney"), ("hba1c", "walking")),
        Aim("hba1c", "HbA1c below 7.0 %", date(2024, 2, 6), date(2026, 12, 31), achievement="achieved",
            measured=catalogue.HBA1C.code, target=Amount("7.0", "%", "%", "<"), concern="P:diabetes",
            note="Reached in spring 2026."),
        Aim("walking", "Walk 30 minutes five times a week", date(2024, 2, 6), date(2026, 12, 31)),
        Team("diabetes-team", "Your diabetes team", date(2014, 3, 4),
             (("finch", snomed("59058001", "Family physician")), ("rowe", snomed("224535009", "Registered nurse")),
              ("tanaka", snomed("46255001", "Pharmacist")))),
        Insurance("evergreen", "Evergreen Silver", "EVG-000-0001", "SAMPLE-12", date(2018, 1, 1)),
        stories.document("eye-2025", loinc("29111-4", "Ophthalmology Diagnostic study note"), "Eye photographs 2025",
                         at(2025, 10, 6, 12), "application/pdf", formats.pdf("Eye photographs 2025", report)),
        stories.document("review-2026", loinc("11506-3", "Progress note"), "Review of 15 September 2026",
                         at(2026, 9, 15, 12), "text/plain", formats.text("Review of 15 September 2026", note),
                         inline=True),
        stories.document("summary-2026", loinc("34133-9", "Summary of episode note"), "Summary of care",
                         at(2026, 9, 15, 13), "application/xml",
                         formats.ccda("Summary of care", PERSON.name, history)),
        _foot_sensation(),
    ]  # fmt: skip


def _foot_sensation() -> Fact:
    code = Code("urn:oid:2.16.840.1.113883.3.9999.5", "monofilament", "Sensation in both feet, of ten points each")
    return stories.found(code, Amount("20", "{points}", "{points}"), at(2026, 9, 16, 9, 10), "exam")
