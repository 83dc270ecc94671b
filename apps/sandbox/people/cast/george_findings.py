"""Findings of George Birch, one of each kind of value an Observation can have (`values`), with a reason each."""

from dataclasses import replace

from apps.sandbox.people import catalogue, stories
from apps.sandbox.people.codes import Code, loinc, snomed
from apps.sandbox.people.facts import Fact
from apps.sandbox.people.stories import at
from apps.sandbox.people.values import (
    Absent,
    Amount,
    ClockTime,
    Coded,
    Moment,
    Proportion,
    Span,
    Stretch,
    Waveform,
    Whole,
    Words,
    YesNo,
)

_LOCAL = "urn:oid:2.16.840.1.113883.3.9999.5"
_DEVICE_CODES = "urn:iso:std:iso:11073:10101"
_ECG = (
    "2041 2043 2037 2047 2060 2062 2051 2023 2014 2027 2034 2033 2040 2047 2047 2053 2058 2064 2059 2063 2061 2052 2053"
)


def findings() -> list[Fact]:
    """Quantity, concept, text, yes or no, score, range, ratio, time, date, period, waveform, parts, and no value."""
    return [*_about_living(), *_of_the_laboratory(), *_of_the_heart()]


def _about_living() -> list[Fact]:
    when = at(2026, 3, 10, 9, 5)
    return [
        stories.smoking(catalogue.FORMER_SMOKER, when),
        stories.found(loinc("52552-5", "Falls in the past year"), YesNo(is_so=True), when, "survey"),
        stories.found(loinc("72514-3", "Pain severity - 0-10 verbal numeric rating [Score] - Reported"), Whole(3),
                      when, "survey"),
        stories.found(Code(_LOCAL, "bedtime", "Usual bedtime"), ClockTime("22:30:00"), when, "social-history"),
        stories.found(Code(_LOCAL, "last-fall", "Date of the last fall"), Moment("2025-11"), when, "survey"),
        stories.found(Code(_LOCAL, "sleep", "Time asleep, by wrist sensor"),
                      Stretch(at(2026, 3, 8, 23, 10), at(2026, 3, 9, 5, 45)), when, "activity"),
        stories.measured(catalogue.TEMPERATURE, 36.6, when),
        stories.measured(catalogue.BREATHS, 15, when),
        stories.measured(catalogue.OXYGEN, 96, when),
        stories.measured(catalogue.HEIGHT, 176.5, when),
        stories.measured(catalogue.WEIGHT, 74.2, when),
        stories.measured(catalogue.BMI, 23.8, when),
    ]  # fmt: skip


def _of_the_laboratory() -> list[Fact]:
    when = at(2026, 3, 10, 9, 35)
    cells = [Amount(number, "/HPF", "/[HPF]") for number in ("0", "2")]
    titre = stories.found(loinc("5048-4", "Nuclear Ab [Titer] in Serum by Immunofluorescence"), Proportion(1, 160),
                          when, "laboratory")  # fmt: skip
    return [
        stories.found(loinc("13945-1", "Erythrocytes [#/area] in Urine sediment by Microscopy high power field"),
                      Span(cells[0], cells[1]), when, "laboratory"),
        replace(titre, interpretation="A", reference_text="Negative at 1:40"),
        replace(stories.found(loinc("5767-9", "Appearance of Urine"), Words("Clear, pale yellow; no sediment"), when,
                              "laboratory"), specimen="urine"),
        stories.found(loinc("5794-3", "Hemoglobin [Presence] in Urine by Test strip"),
                      Coded(snomed("260385009", "Negative")), when, "laboratory"),
        stories.found(loinc("2345-7", "Glucose [Mass/volume] in Serum or Plasma"),
                      Absent("error", "Error"), at(2026, 3, 10, 9, 36), "laboratory",
                      note="Sample was hemolyzed; to be taken again."),
        replace(stories.measured(catalogue.TSH, 2.31, when), method=snomed("726449005", "Immunoassay technique")),
        stories.measured(catalogue.POTASSIUM, 9.9, at(2026, 3, 10, 9, 37), status="entered-in-error",
                         note="Wrong tube."),
        stories.measured(catalogue.CREATININE, 1.10, at(2026, 3, 10, 9, 38), status="preliminary"),
        stories.found(loinc("6598-7", "Troponin T.cardiac [Mass/volume] in Serum or Plasma"),
                      Amount("0.01", "ng/mL", "ng/mL", "<"), at(2022, 6, 7, 7), "laboratory"),
    ]  # fmt: skip


def _of_the_heart() -> list[Fact]:
    lead = Code(_DEVICE_CODES, "131330", "MDC_ECG_ELEC_POTL_II")
    wave = Waveform(Amount("2048", "uV", "uV"), 10, _ECG)
    fasting = loinc("49541-6", "Fasting status - Reported")
    mixed = stories.found(
        Code(_LOCAL, "device-check", "Pacemaker check"), None, at(2026, 6, 9, 14, 5), "procedure",
        components=(
            (Code(_LOCAL, "battery", "Battery"), Amount("2.78", "V", "V")),
            (Code(_LOCAL, "mode", "Pacing mode"), Words("DDDR")),
            (Code(_LOCAL, "paced", "Share of paced beats"), Amount("41", "%", "%")),
            (Code(_LOCAL, "threshold", "Atrial threshold"), Absent("not-performed", "Not Performed")),
        ),
    )  # fmt: skip
    return [
        stories.found(lead, wave, at(2026, 6, 9, 14, 2), "procedure"),
        stories.found(fasting, Coded(Code("http://terminology.hl7.org/CodeSystem/v2-0136", "N", "No")),
                      at(2026, 6, 9, 14, 3), "laboratory"),
        mixed,
    ]  # fmt: skip
