"""Theo Marsh, 45: asthma since childhood, and anaphylaxis after amoxicillin in 2023. The allergy is the point."""

from dataclasses import replace
from datetime import date

from apps.sandbox.people import catalogue, formats, stories
from apps.sandbox.people.codes import Code, icd10, loinc, rxnorm, snomed
from apps.sandbox.people.facts import (
    Aim,
    Allergy,
    Diagnosis,
    Fact,
    Intake,
    Operation,
    Plan,
    Prescription,
    Reaction,
    Regimen,
    Report,
    Story,
    Vaccination,
)
from apps.sandbox.people.person import Address, Person
from apps.sandbox.people.stories import at
from apps.sandbox.people.values import Amount, Coded

PERSON = Person(
    key="theo",
    given=("Theodore", "James"),
    family="Marsh",
    gender="male",
    born=date(1981, 1, 30),
    telephone="555-0121",
    mail="theo.marsh@example.org",
    address=Address("27 Reed Street", "Springfield", "OR", "97999"),
    record_number="SANDBOX-0004",
    language=catalogue.ENGLISH,
    race=catalogue.BLACK,
    ethnicity=catalogue.NOT_HISPANIC,
    marital_status=catalogue.MARRIED,
)
_ASTHMA = snomed("195967001", "Asthma")
_HIVES = snomed("247472004", "Wheal")
_PEAK_FLOW = loinc("19935-6", "Maximum expiratory gas flow Respiratory system airway by Peak flow meter")
_INHALE = Code("http://snomed.info/sct", "447694001", "Respiratory tract route")
_INJECT = Code("http://snomed.info/sct", "78421000", "Intramuscular route")


def story() -> Story:
    """Childhood asthma, the emergency of March 2023, and what was done so that it does not happen again."""
    return Story(PERSON, (*_asthma(), *_emergency(), *_afterwards()))


def _asthma() -> list[Fact]:
    told: list[Fact] = [
        Diagnosis("P:asthma", (_ASTHMA, icd10("J45.30", "Mild persistent asthma, uncomplicated")), date(1990, 1, 1),
                  date(2016, 5, 3), severity=snomed("255604002", "Mild")),
        Allergy("ragweed", snomed("256303006", "Ragweed pollen"), "allergy", "environment", "low",
                at(2016, 5, 3), (Reaction(snomed("70076002", "Rhinitis"), "mild"),)),
        Aim("no-attacks", "No asthma attack that needs urgent care for a year", date(2023, 4, 3), date(2027, 4, 1),
            concern="P:asthma"),
    ]  # fmt: skip
    inhaler = Regimen("2 puffs when short of breath, at most every 4 hours", Amount("2", "puff", "{puff}"), 1, 4, "h",
                      _INHALE, as_needed=True)  # fmt: skip
    for year in range(2017, 2027):
        seen = stories.visit(f"asthma-{year}", at(year, 5, 9, 14), reason=_ASTHMA)
        told += [
            seen,
            stories.measured(catalogue.WEIGHT, 79.5 + (year - 2017) * 0.4, at(year, 5, 9, 14, 4), seen=seen),
            stories.measured(catalogue.OXYGEN, 97 + year % 2, at(year, 5, 9, 14, 5), seen=seen),
            stories.blood_pressure(121 + year % 5, 77 + year % 4, at(year, 5, 9, 14, 6), seen=seen),
            stories.found(_PEAK_FLOW, Amount(str(470 + year % 3 * 20), "L/min", "L/min"), at(year, 5, 9, 14, 8),
                          "exam", seen=seen),
            stories.smoking(catalogue.NEVER_SMOKED, at(year, 5, 9, 14, 10), seen),
            Prescription(f"albuterol-{year}", catalogue.ALBUTEROL, inhaler, at(year, 5, 9, 14, 25), "finch",
                         "active" if year == 2026 else "completed", date(year + 1, 5, 9), _ASTHMA, visit=seen.key),
        ]  # fmt: skip
        if year != 2023:
            told.append(Vaccination(f"flu-{year}", catalogue.FLU, at(year, 10, 2, 11), f"FX{year}", status="completed"))
    return told


def _emergency() -> list[Fact]:
    """22 March 2023: amoxicillin for a sore throat, then anaphylaxis."""
    sore = stories.visit("sore-throat", at(2023, 3, 20, 16), catalogue.SICK_VISIT,
                         reason=snomed("162397003", "Pain in throat"))  # fmt: skip
    rush = stories.visit("anaphylaxis", at(2023, 3, 22, 19, 40), catalogue.EMERGENCY_VISIT, setting="emergency",
                         reason=snomed("39579001", "Anaphylaxis"), practitioner="osei", minutes=420)  # fmt: skip
    told: list[Fact] = [
        sore,
        rush,
        Prescription("amoxicillin", catalogue.AMOXICILLIN, stories.tablet("1 capsule 3 times a day for 10 days", 3),
                     at(2023, 3, 20, 16, 25), "finch", "stopped", date(2023, 3, 22),
                     snomed("43878008", "Streptococcal sore throat"), refills=0, visit=sore.key,
                     note="Stopped after two days: severe allergic reaction."),
        Diagnosis("E:anaphylaxis", (snomed("39579001", "Anaphylaxis"), icd10("T78.2XXA", "Anaphylactic shock")),
                  date(2023, 3, 22), date(2023, 3, 22), date(2023, 3, 23), "encounter-diagnosis",
                  snomed("24484000", "Severe"), visit=rush.key),
        Allergy("penicillin", snomed("764146007", "Penicillin"), "allergy", "medication", "high", at(2023, 3, 22, 23),
                (Reaction(snomed("39579001", "Anaphylaxis"), "severe", "Throat closed within half an hour"),
                 Reaction(_HIVES, "moderate", "Hives on chest and arms")),
                date(2023, 3, 22), note="Avoid all penicillins. Carries an epinephrine auto-injector."),
        Operation("adrenaline", snomed("432102000", "Administration of substance"), at(2023, 3, 22, 19, 48), 5, "osei",
                  reason=snomed("39579001", "Anaphylaxis"), visit=rush.key),
    ]  # fmt: skip
    for minute, pulse, oxygen, systolic in ((42, 128, 88, 82), (55, 118, 93, 98), (85, 96, 97, 118)):
        when = at(2023, 3, 22, 19 + minute // 60, minute % 60)
        told += [
            stories.measured(catalogue.PULSE, pulse, when, seen=rush),
            stories.measured(catalogue.OXYGEN, oxygen, when, seen=rush),
            stories.blood_pressure(systolic, systolic - 38, when, seen=rush),
        ]
    return told


def _afterwards() -> list[Fact]:
    pen = Regimen("Inject into the outer thigh at the first sign of a severe reaction, then call for help",
                  Amount("0.3", "mg", "mg"), 1, route=_INJECT, as_needed=True)  # fmt: skip
    lines = (
        "Seen on 22 March 2023 for anaphylaxis after the second day of amoxicillin.",
        "Two doses of intramuscular epinephrine, oxygen, fluids. Observed for seven hours.",
        "Discharged well with an auto-injector. Do not take penicillin of any kind again.",
    )
    sections = (
        ("48765-2", "Allergies", ("Penicillin: anaphylaxis, severe, 22 March 2023",)),
        ("10160-0", "Medications", ("Epinephrine 0.3 mg auto-injector",)),
        ("8648-8", "Hospital course", lines),
    )
    letter = ("Skin test positive for benzylpenicillin.", "Cephalosporins of the third generation may be given.")
    return [
        Prescription("epinephrine", catalogue.EPINEPHRINE, pen, at(2023, 3, 23, 2), "osei", "active", None,
                     snomed("39579001", "Anaphylaxis"), refills=1),
        stories.document("discharge", loinc("18842-5", "Discharge summary"), "Emergency department summary",
                         at(2023, 3, 23, 2, 30), "application/xml",
                         formats.ccda("Emergency department summary", PERSON.name, sections), author="osei"),
        stories.document("allergy-letter", loinc("11488-4", "Consult note"), "Letter of the allergy clinic",
                         at(2023, 5, 11, 15), "application/pdf",
                         formats.pdf("Letter of the allergy clinic", letter), author="osei"),
        Report("skin-test", loinc("44828-2", "Allergy skin test"), catalogue.LABORATORY, at(2023, 5, 11, 13),
               at(2023, 5, 11, 15), ("lab:penicillin-test",), "Immediate reaction to benzylpenicillin confirmed.",
               snomed("91936005", "Allergy to penicillin"), document="allergy-letter"),
        _skin_test(),
        Allergy("latex", snomed("111088007", "Latex"), "allergy", "environment", "unable-to-assess",
                at(2023, 3, 22, 20), verification="entered-in-error", note="Entered for the wrong patient."),
        Prescription("azithromycin", catalogue.AZITHROMYCIN, stories.tablet("1 tablet a day for 3 days", 1),
                     at(2025, 2, 3, 15), "finch", "completed", date(2025, 2, 6),
                     snomed("43878008", "Streptococcal sore throat"), refills=0,
                     note="Chosen because of the penicillin allergy."),
        Intake("ibuprofen", rxnorm("310965", "ibuprofen 200 MG Oral Tablet"), date(2023, 5, 1), at(2026, 5, 9, 14, 12),
               is_taken=False, note="Does not take it: makes his asthma worse."),
        Plan("asthma-plan", "Asthma and allergy plan", "Stay free of attacks and safe from penicillin.",
             date(2023, 4, 3), ("Keep two auto-injectors within reach", "Wear a medical alert bracelet",
                                "Yearly review with peak flow"), ("P:asthma",), ("no-attacks",)),
    ]  # fmt: skip


def _skin_test() -> Fact:
    made = stories.found(loinc("44828-2", "Allergy skin test"), Coded(snomed("10828004", "Positive")),
                         at(2023, 5, 11, 13), "laboratory")  # fmt: skip
    return replace(made, key="lab:penicillin-test", interpretation="POS")
