"""George Birch, 79: atrial fibrillation, INR, a pacemaker. His record has every kind of value and document."""

from datetime import date, timedelta

from apps.sandbox.people import catalogue, formats, stories
from apps.sandbox.people.cast.george_findings import findings
from apps.sandbox.people.codes import Code, icd10, loinc, snomed
from apps.sandbox.people.facts import (
    Aim,
    Answers,
    Diagnosis,
    Fact,
    Handing,
    Implant,
    Insurance,
    Intake,
    Operation,
    Plan,
    Prescription,
    Relative,
    Report,
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
    key="george",
    given=("George", "Edward"),
    family="Birch",
    gender="male",
    born=date(1947, 6, 23),
    telephone="555-0141",
    mail="george.birch@example.org",
    address=Address("2 Mill Lane", "Springfield", "OR", "97999"),
    record_number="SANDBOX-0006",
    language=catalogue.ENGLISH,
    race=catalogue.WHITE,
    ethnicity=catalogue.NOT_HISPANIC,
    marital_status=catalogue.WIDOWED,
    twin=True,
)
_FIBRILLATION = snomed("49436004", "Atrial fibrillation")
_BLOCK = snomed("27885002", "Complete atrioventricular block")
_SPOUSE_OF_SON = Code("http://terminology.hl7.org/CodeSystem/v3-RoleCode", "DAUINLAW", "daughter in-law")


def story() -> Story:
    """INR every two weeks since 2019, the pacemaker of 2022, and documents of every kind."""
    return Story(PERSON, (*_heart(), *_inr(), *_pacemaker(), *_care(), *_papers(), *findings()))


def _heart() -> list[Fact]:
    seen = stories.visit("palpitations", at(2019, 2, 12, 11), catalogue.SICK_VISIT,
                         reason=snomed("80313002", "Palpitations"))  # fmt: skip
    return [
        seen,
        Diagnosis("P:fibrillation", (_FIBRILLATION, icd10("I48.20", "Chronic atrial fibrillation, unspecified")),
                  date(2019, 2, 12), date(2019, 2, 13), visit=seen.key),
        Diagnosis("P:cataract", (snomed("193570009", "Cataract"),), date(2016, 1, 1), date(2016, 4, 5),
                  date(2017, 11, 9)),
        Diagnosis("P:lymphoma", (snomed("118601006", "Non-Hodgkin's lymphoma"),), date(2008, 5, 1), date(2008, 6, 2),
                  is_in_remission=True),
        Operation("cataract", snomed("54885007", "Extraction of cataract"), at(2017, 11, 9, 8), 40, "osei",
                  site=snomed("18944008", "Right eye structure")),
        Operation("biopsy", snomed("86273004", "Biopsy"), at(2021, 3, 2, 8), 10, "finch", "entered-in-error",
                  note="Booked for another patient."),
        Prescription("warfarin", catalogue.WARFARIN, stories.tablet("1 tablet in the evening, dose by INR", 1),
                     at(2019, 2, 20, 10), "osei", "active", None, _FIBRILLATION),
        Prescription("metoprolol", catalogue.METOPROLOL, stories.tablet("1 tablet in the morning", 1),
                     at(2019, 2, 20, 10, 5), "osei", "active", None, _FIBRILLATION),
        Prescription("digoxin", Code("http://www.nlm.nih.gov/research/umls/rxnorm", "197604",
                                     "digoxin 0.125 MG Oral Tablet"), stories.tablet("1 tablet a day", 1),
                     at(2020, 1, 14, 10), "osei", "entered-in-error", None, refills=0),
        Prescription("vitamin-d-told", catalogue.VITAMIN_D, stories.tablet("1 tablet a day", 1), at(2024, 3, 5, 10),
                     "finch", "active", None, is_reported=True),
        Handing("warfarin-1", "warfarin", catalogue.WARFARIN, Amount("90", "tablet", "{tablet}"), 90,
                at(2019, 2, 20, 15), at(2019, 2, 21, 9)),
        Intake("vitamin-d", catalogue.VITAMIN_D, date(2018, 1, 1), at(2024, 3, 5, 10, 10), text="1 tablet a day"),
        Intake("fish-oil", Code("http://www.nlm.nih.gov/research/umls/rxnorm", "4419", "fish oils"), date(2015, 1, 1),
               at(2019, 2, 20, 10, 15), until=date(2019, 2, 20), note="Stopped when warfarin was begun."),
    ]  # fmt: skip


def _inr() -> list[Fact]:
    """Steady around 2.5, with one high value in 2021 after an antibiotic, and one spoilt sample."""
    told: list[Fact] = []
    day, number = date(2019, 2, 27), 0
    while day <= date(2026, 10, 21):
        level = 2.5 + ((number * 29) % 13 - 6) / 10
        note = None
        if day.year == 2021 and day.month == 5:
            level, note = 4.6 - day.day / 20, "After the antibiotic. Skip two doses, repeat in a week."
        told.append(stories.measured(catalogue.INR, level, on(day, 8, 15), note=note))
        if number % 6 == 0:
            told.append(stories.blood_pressure(132 + number % 9, 76 + number % 5, on(day, 8, 20)))
            told.append(stories.measured(catalogue.PULSE, 72 + number % 7, on(day, 8, 21)))
        day, number = day + timedelta(days=14), number + 1
    return told


def _pacemaker() -> list[Fact]:
    stay = stories.visit("pacemaker", at(2022, 6, 7, 6, 30), catalogue.HOSPITAL_STAY, setting="inpatient",
                         reason=_BLOCK, practitioner="osei", minutes=48 * 60)  # fmt: skip
    check = stories.visit("device-check", at(2026, 6, 9, 14), catalogue.VIDEO_VISIT, setting="virtual",
                          reason=_BLOCK, practitioner="osei", minutes=20)  # fmt: skip
    return [
        stay,
        check,
        Diagnosis("P:block", (_BLOCK, icd10("I44.2", "Atrioventricular block, complete")), date(2022, 6, 6),
                  date(2022, 6, 7), visit=stay.key),
        Implant("pacemaker", snomed("14106009", "Cardiac pacemaker"), "Example Rhythm Devices", "Pulsekeeper 2",
                "PK2-0099871", "09999999000017", date(2022, 1, 10)),
        Implant("lens", snomed("385338007", "Intraocular lens"), "Example Optics", "Clear 20", "CL20-1188",
                "09999999000024", date(2017, 3, 1), date(2022, 3, 1)),
        Operation("implantation", snomed("307280005", "Implantation of cardiac pacemaker"), at(2022, 6, 7, 9), 75,
                  "osei", reason=_BLOCK, site=snomed("80891009", "Heart structure"), implant="pacemaker",
                  outcome=snomed("385669000", "Successful"), note="Left side, two leads.", visit=stay.key),
        Request("chest", loinc("36643-5", "XR Chest 2 Views"), catalogue.IMAGING_ORDER, at(2022, 6, 7, 12), "osei",
                reason=_BLOCK, visit=stay.key),
        Report("chest", loinc("36643-5", "XR Chest 2 Views"), catalogue.RADIOLOGY, at(2022, 6, 7, 13),
               at(2022, 6, 7, 15), conclusion="Leads in the right place. No pneumothorax.",
               text="XR CHEST\nLeads in the right place.\nNo pneumothorax.", visit=stay.key),
        Report("echo", loinc("42148-7", "US Heart"), catalogue.CARDIOLOGY, at(2022, 6, 8, 10), at(2022, 6, 8, 12),
               conclusion="Ejection fraction 55 %.", document="echo-report", visit=stay.key),
        Report("marrow", loinc("33721-2", "Bone marrow Pathology biopsy report"), catalogue.PATHOLOGY,
               at(2008, 5, 20, 9), at(2008, 5, 27, 9), conclusion="See the paper record.", status="amended"),
    ]  # fmt: skip


def _care() -> list[Fact]:
    return [
        Plan("rhythm-plan", "Rhythm and warfarin plan", "Keep INR between 2.0 and 3.0; no falls, no bleeding.",
             date(2019, 2, 20), ("INR every two weeks", "Pacemaker check once a year", "Report any bleeding at once"),
             ("P:fibrillation", "P:block"), ("steady-inr",)),
        Aim("steady-inr", "INR between 2.0 and 3.0 in eight of ten tests", date(2019, 2, 20), date(2027, 2, 20),
            achievement="in-progress", concern="P:fibrillation"),
        Aim("stairs", "Climb two flights of stairs", date(2022, 6, 9), date(2022, 12, 31), "completed", "achieved"),
        Team("heart-team", "Your heart team", date(2019, 2, 20),
             (("osei", snomed("17561000", "Cardiologist")), ("finch", snomed("59058001", "Family physician")))),
        Insurance("evergreen", "Evergreen Senior", "EVG-000-0006", "SAMPLE-65", date(2012, 7, 1)),
        Insurance("old", "Evergreen Gold", "EVG-000-0106", "SAMPLE-01", date(2000, 1, 1), date(2012, 6, 30),
                  "cancelled"),
        Relative("daughter-in-law", ("Clara", "Birch"), _SPOUSE_OF_SON, "female", "555-0142", date(2019, 2, 20)),
        Sample("urine", catalogue.URINE, at(2026, 3, 10, 9, 30), "26069-001"),
        Answers("mood-2025", at(2025, 3, 11, 9), (0, 1)),
        Answers("mood-2026", at(2026, 3, 10, 9), (2, 1)),
        Vaccination("flu-2025", catalogue.FLU, at(2025, 10, 14, 9), "FX2025", site=catalogue.LEFT_ARM),
        Vaccination("shingles-1", catalogue.SHINGLES, at(2020, 2, 4, 9), "SH20", 1, is_reported=True),
        Vaccination("pneumo", catalogue.PNEUMOCOCCAL, at(2023, 10, 10, 9), status="not-done",
                    reason=snomed("443390004", "Refused")),
    ]  # fmt: skip


def _papers() -> list[Fact]:
    """A document in every form that the interface was seen to carry, and a superseded one."""
    note = loinc("11506-3", "Progress note")
    lines = ("Pacemaker works as it should. Battery for about eight years.", "Next check in twelve months.")
    sections = (("8648-8", "Hospital course", lines),)
    return [
        stories.document("echo-report", loinc("18745-0", "Cardiac catheterization study"), "Echocardiography report",
                         at(2022, 6, 8, 12), "application/pdf", formats.pdf("Echocardiography", lines), author="osei"),
        stories.document("discharge", loinc("18842-5", "Discharge summary"), "Discharge summary, pacemaker",
                         at(2022, 6, 9, 10), "application/xml",
                         formats.ccda("Discharge summary", PERSON.name, sections), author="osei"),
        stories.document("letter", loinc("11488-4", "Consult note"), "Letter of the heart clinic", at(2023, 6, 6, 10),
                         "text/rtf", formats.rtf("Letter of the heart clinic", lines), author="osei"),
        stories.document("page", note, "Device check as a web page", at(2024, 6, 4, 10), "text/html",
                         formats.html("Device check", lines), author="osei"),
        stories.document("inline", note, "Device check of 9 June 2026", at(2026, 6, 9, 15), "text/plain",
                         formats.text("Device check", lines), inline=True, author="osei"),
        stories.document("inline-html", note, "Reminder", at(2026, 6, 9, 16), "text/html",
                         formats.html("Reminder", ("Your next check is in June 2027.",)), inline=True),
    ]  # fmt: skip
