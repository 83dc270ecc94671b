"""Hannah Linden, 36: a pregnancy from October 2025, delivered in July 2026, with anaemia on the way. Milo's mother."""

from datetime import date, timedelta

from apps.sandbox.people import catalogue, formats, stories
from apps.sandbox.people.codes import icd10, loinc, rxnorm, snomed
from apps.sandbox.people.facts import (
    Answers,
    Diagnosis,
    Fact,
    Insurance,
    Intake,
    Operation,
    Plan,
    Prescription,
    Report,
    Request,
    Story,
    Team,
    Vaccination,
)
from apps.sandbox.people.person import Address, Person
from apps.sandbox.people.stories import at, on
from apps.sandbox.people.values import Amount, Coded, Moment

PERSON = Person(
    key="hannah",
    given=("Hannah", "Lucía"),
    family="Linden",
    gender="female",
    born=date(1990, 8, 2),
    telephone="555-0112",
    mail="hannah.linden@example.org",
    address=Address("4 Orchard Path", "Springfield", "OR", "97999"),
    record_number="SANDBOX-0002",
    language=catalogue.SPANISH,
    race=catalogue.WHITE,
    ethnicity=catalogue.HISPANIC,
    former_family="Ortega",
    marital_status=catalogue.MARRIED,
)
_LAST_PERIOD = date(2025, 10, 9)
_DUE = _LAST_PERIOD + timedelta(days=280)
_IRON = rxnorm("310325", "ferrous sulfate 325 MG Oral Tablet")
_PREGNANT = snomed("77386006", "Pregnancy")
# Week of pregnancy, weight, systolic, diastolic, fundal height, fetal heart rate, haemoglobin
_PRENATAL = (
    (8, 63.0, 112, 70, None, None, 12.6), (12, 63.8, 110, 68, None, 162, None), (16, 65.4, 108, 66, 16.0, 154, None),
    (20, 67.6, 110, 66, 20.5, 150, None), (24, 69.9, 112, 68, 24.0, 148, 10.7), (28, 71.9, 114, 70, 28.5, 146, 10.4),
    (32, 74.2, 116, 72, 32.0, 142, 11.2), (36, 76.4, 118, 74, 35.5, 140, 11.8), (38, 77.1, 120, 76, 37.0, 138, None),
)  # fmt: skip


def story() -> Story:
    """Prenatal visits, the delivery of a healthy girl, and six weeks after."""
    return Story(PERSON, (*_background(), *_prenatal(), *_anaemia(), *_delivery()))


def _background() -> list[Fact]:
    start = _LAST_PERIOD + timedelta(weeks=8)
    return [
        Diagnosis("P:pregnancy", (_PREGNANT, icd10("Z34.80", "Encounter for supervision of other normal pregnancy")),
                  _LAST_PERIOD, start, date(2026, 7, 12)),
        stories.found(loinc("8665-2", "Last menstrual period start date"), Moment(_LAST_PERIOD.isoformat()),
                      on(start, 9, 10), "social-history"),
        stories.found(loinc("11778-8", "Delivery date Estimated"), Moment(_DUE.isoformat()), on(start, 9, 11),
                      "social-history"),
        stories.found(loinc("82810-3", "Pregnancy status"), Coded(_PREGNANT), on(start, 9, 12), "social-history"),
        stories.found(loinc("883-9", "ABO group [Type] in Blood"), Coded(snomed("112144000", "Blood group A")),
                      on(start, 9, 40), "laboratory"),
        stories.found(loinc("10331-7", "Rh [Type] in Blood"), Coded(snomed("165747007", "RhD positive")),
                      on(start, 9, 41), "laboratory"),
        stories.smoking(catalogue.NEVER_SMOKED, on(start, 9, 14)),
        stories.measured(catalogue.HEIGHT, 164, on(start, 9, 5)),
        Team("prenatal", "Your pregnancy team", start,
             (("barros", snomed("309453006", "Registered midwife")),
              ("finch", snomed("59058001", "Family physician")))),
        Plan("birth", "Prenatal care plan", "A healthy pregnancy and a birth at Springfield General.", start,
             ("Visits every four weeks, then every two", "Ultrasound in week 20", "Glucose test in week 26",
              "Whooping cough vaccine after week 27"), ("P:pregnancy",), status="completed",
             ended_on=date(2026, 8, 24)),
        Insurance("plan", "Evergreen Family", "EVG-000-0002", "SAMPLE-77", date(2024, 1, 1)),
        Intake("vitamins", catalogue.PRENATAL_VITAMINS, date(2025, 11, 1), at(2025, 12, 4, 9, 20),
               text="1 tablet a day"),
        Vaccination("tdap-2026", catalogue.TDAP, at(2026, 4, 23, 10), "TD2604", 1, site=catalogue.LEFT_ARM),
    ]  # fmt: skip


def _prenatal() -> list[Fact]:
    told: list[Fact] = []
    for week, weight, systolic, diastolic, fundus, heart, haemoglobin in _PRENATAL:
        day = _LAST_PERIOD + timedelta(weeks=week)
        seen = stories.visit(f"week-{week}", on(day, 9), catalogue.PRENATAL_VISIT, reason=_PREGNANT,
                             practitioner="barros")  # fmt: skip
        told += [
            seen,
            stories.measured(catalogue.WEIGHT, weight, on(day, 9, 5), seen=seen),
            stories.blood_pressure(systolic, diastolic, on(day, 9, 6), seen=seen),
        ]
        if fundus is not None:
            told.append(stories.found(loinc("11881-0", "Uterus Fundal height Tape measure"),
                                      Amount(str(fundus), "cm", "cm"), on(day, 9, 12), "exam", seen=seen))  # fmt: skip
        if heart is not None:
            told.append(stories.found(loinc("55283-6", "Fetal Heart rate"), Amount(str(heart), "beats/minute", "/min"),
                                      on(day, 9, 14), "vital-signs", seen=seen))  # fmt: skip
        if haemoglobin is not None:
            numbers = ((catalogue.HEMOGLOBIN, haemoglobin), (catalogue.LEUKOCYTES, 8.4 + week / 20),
                       (catalogue.PLATELETS, 262 - week))  # fmt: skip
            told += stories.panel(catalogue.BLOOD_COUNT, numbers, on(day, 9, 30), seen=seen)
    return told


def _anaemia() -> list[Fact]:
    iron = loinc("2276-4", "Ferritin")
    return [
        Request("ferritin", iron, catalogue.LABORATORY_ORDER, at(2026, 3, 26, 9, 40), "barros"),
        stories.measured(catalogue.FERRITIN, 9, at(2026, 3, 26, 9, 50), note="Iron stores are low."),
        Diagnosis("P:anaemia", (snomed("87522002", "Iron deficiency anemia"), icd10("D50.9", "Iron deficiency anemia")),
                  date(2026, 3, 26), date(2026, 3, 27), date(2026, 8, 24), severity=snomed("255604002", "Mild")),
        Prescription("iron", _IRON, stories.tablet("1 tablet a day with orange juice", 1), at(2026, 3, 27, 11),
                     "barros", "completed", date(2026, 8, 24), snomed("87522002", "Iron deficiency anemia")),
        stories.measured(catalogue.FERRITIN, 34, at(2026, 8, 24, 10, 5)),
    ]  # fmt: skip


def _delivery() -> list[Fact]:
    stay = stories.visit("birth", at(2026, 7, 11, 22), catalogue.HOSPITAL_STAY, setting="inpatient", reason=_PREGNANT,
                         practitioner="barros", minutes=40 * 60)  # fmt: skip
    after = stories.visit("six-weeks", at(2026, 8, 24, 10), practitioner="barros")
    summary = (
        "A healthy girl, 3.52 kg, 51 cm, on 12 July 2026 at 04:17.",
        "Mother and child went home after two days.",
    )
    ultrasound = ("Single fetus, growth as expected for 20 weeks.", "No abnormality seen. Placenta posterior.")
    return [
        stay,
        after,
        Operation("delivery", snomed("177184002", "Normal delivery procedure"), at(2026, 7, 11, 23), 317, "barros",
                  outcome=snomed("281050002", "Livebirth"), visit=stay.key),
        Report("ultrasound", loinc("11525-3", "US Pelvis Fetus for pregnancy"), catalogue.RADIOLOGY,
               at(2026, 2, 26, 11), at(2026, 2, 26, 14), conclusion=" ".join(ultrasound),
               text="\n".join(("Obstetric ultrasound, week 20", *ultrasound))),
        stories.document("birth-summary", loinc("18842-5", "Discharge summary"), "Summary of the birth",
                         at(2026, 7, 13, 14), "application/pdf", formats.pdf("Summary of the birth", summary),
                         author="barros", seen=stay),
        Answers("mood-2026", at(2026, 8, 24, 9, 50), (1, 0)),
        stories.blood_pressure(114, 70, at(2026, 8, 24, 10, 6), seen=after),
        stories.measured(catalogue.HEMOGLOBIN, 12.9, at(2026, 8, 24, 10, 4), seen=after),
        stories.measured(catalogue.WEIGHT, 66.8, at(2026, 8, 24, 10, 2), seen=after),
    ]  # fmt: skip
