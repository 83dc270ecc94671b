"""Dosages from the resource to the reader: on the entry's page, in its row, and in the International Patient
Summary."""

import json
from typing import Any

import pytest

from apps.records import presenting
from apps.records.exporting import choosing
from apps.records.exporting.ips import documents
from apps.records.presenters.entry import Context, Entry
from apps.records.viewing import facts
from apps.records.viewing.facts import in_rows
from tests.records.exporting.keeping import keep
from tests.records.linked import AT, make_connection, make_endpoint

ORDERS = {"r4": "MedicationRequest", "dstu2": "MedicationOrder"}
VERSIONS = tuple(ORDERS)
EVERY_4_HOURS = {"repeat": {"frequency": 1, "period": 4, "periodUnit": "h"}}
TWICE = {"repeat": {"frequency": 2, "period": 1, "periodUnit": "d"}}


def amount(value: Any, unit: str) -> dict[str, Any]:
    return {"value": value, "unit": unit}


def dose(value: Any, unit: str) -> dict[str, Any]:
    return {"doseAndRate": [{"doseQuantity": amount(value, unit)}]}


def between(**sides: Any) -> dict[str, Any]:
    return {"doseAndRate": [{"doseRange": {side: amount(*sent) for side, sent in sides.items()}}]}


def at_most(value: Any, unit: str, *period: Any) -> dict[str, Any]:
    return {"maxDosePerPeriod": {"numerator": amount(value, unit), "denominator": amount(*period)}}


def advice(*texts: str) -> dict[str, Any]:
    return {"additionalInstruction": [{"text": text} for text in texts]}


def repeated(**repeat: Any) -> dict[str, Any]:
    return {"repeat": repeat}


ONCE_A_DAY = {"frequency": 1, "period": 1, "periodUnit": "d"}
NEEDED = {"asNeededCodeableConcept": {"text": "severe pain"}}
MODIFIED = "More was sent that may change this, and that we cannot put into words"
TABLE: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    (
        {"text": "500 mg by mouth twice daily", "patientInstruction": "Take with food"},
        ("500 mg by mouth twice daily", "Take with food"),
    ),
    ({"text": "One a day", "patientInstruction": "one a  day."}, ("One a day",)),
    ({"text": "Never take with food", **advice("with food")}, ("Never take with food", "with food")),
    ({"patientInstruction": "As told"}, ("As told",)),
    (
        {**dose(500, "mg"), "timing": TWICE, "patientInstruction": "Take with food"},
        ("500 mg, 2 times a day", "Take with food"),
    ),
    (
        {**dose(1, "tablet"), "timing": EVERY_4_HOURS, **NEEDED, **at_most(4, "tablet", 1, "d"), **advice("no wine")},
        (
            "Take 1 tablet every 4 hours",
            "Only when needed: severe pain",
            "At most 4 tablets every 24 hours",
            "no wine",
        ),
    ),
    (
        {"text": "1 tablet every 4 hours", "asNeededBoolean": True, **at_most("4.0", "tab", 24, "h")},
        ("1 tablet every 4 hours", "Only when needed", "At most 4 tablets every 24 hours"),
    ),
    ({"asNeededBoolean": True}, ("Only when needed",)),
    ({"asNeededBoolean": False, **dose(1, "tablet")}, ("Take 1 tablet",)),
    ({"text": "As told", **at_most(50, "U", 2, "wk")}, ("As told", "At most 50 units every 2 weeks")),
    ({"text": "As told", **at_most(1, "g", 3, "cycles")}, ("As told", "At most 1 g / 3 cycles")),
    ({"text": "As told", **at_most(1, "g", None, "d")}, ("As told", "At most 1 g / d")),
    ({"text": "As told", **at_most(4, "g", "one", "d")}, ("As told", "At most 4 g / one d")),
    (
        {"maxDosePerPeriod": {"numerator": amount(4, "g"), "denominator": {"code": "d"}}, **dose(1, "g")},
        ("1 g", "At most 4 g / d"),
    ),
    (
        {"maxDosePerPeriod": {"numerator": amount(4, "g"), "denominator": {"value": True}}, **dose(1, "g")},
        ("1 g", "Also sent: Max dose per period: Numerator: Value 4, Unit g, Denominator: Value yes"),
    ),
    (
        {"doseAndRate": [{"rateRatio": {"numerator": amount(100, "mL"), "denominator": {"unit": "h"}}}]},
        ("How fast: 100 mL / h",),
    ),
    (between(low=(500, "mg"), high=(1, "g")), ("500 mg to 1 g",)),
    (
        {**between(low=(500, "mg"), high=(1, "g")), "route": {"text": "Oral"}},
        ("Take 500 mg to 1 g", "How it is given: Oral"),
    ),
    (
        {
            **dose(1, "tablet"),
            "route": {"text": "Vaginal route"},
            "site": {"text": "Vagina"},
            "method": {"text": "Insert"},
            "timing": repeated(**ONCE_A_DAY, boundsDuration=amount(5, "d"), count=5),
        },
        (
            "1 tablet, once a day",
            "How it is given: Vaginal route",
            "Where on the body: Vagina",
            "Method: Insert",
            "For 5 days",
            "5 times in total",
        ),
    ),
    (
        {
            "doseAndRate": [
                {
                    "doseQuantity": amount(1, "g"),
                    "rateRatio": {"numerator": amount(1, "g"), "denominator": amount(30, "min")},
                }
            ],
            "timing": repeated(**ONCE_A_DAY, duration=30, durationMax=60, durationUnit="min", count=1, countMax=3),
        },
        ("1 g, once a day", "How fast: 1 g / 30 min", "Each time over 30 to 60 minutes", "1 to 3 times in total"),
    ),
    (
        {
            "text": "One daily",
            "timing": repeated(**ONCE_A_DAY, boundsRange={"low": amount(5, "d"), "high": amount(7, "d")}),
        },
        ("One daily", "For 5 to 7 days"),
    ),
    (
        {
            **dose(2, "tablet"),
            "timing": repeated(**ONCE_A_DAY, boundsPeriod={"start": "2016-01-01", "end": "2016-01-05"}),
        },
        ("Take 2 tablets once a day", "From January 1 to 5, 2016"),
    ),
    ({**dose(1, "tablet"), "timing": repeated(when=["AC"], offset=30)}, ("Take 1 tablet 30 minutes before meals",)),
    (
        {**dose(1, "tablet"), "timing": {"event": ["2016-01-01", "2016-01-08"]}},
        ("Take 1 tablet", "On January 1, 2016 and January 8, 2016"),
    ),
    (
        {**dose(1, "tablet"), "timing": {"code": {"text": "BID"}, **repeated(timeOfDay=["08:00:00"], count=10)}},
        ("Take 1 tablet 2 times a day at 8 a.m.", "10 times in total"),
    ),
    (
        {**dose(1, "tablet"), "timing": repeated(frequency=3, period=1)},
        ("Take 1 tablet", "Also sent: Frequency 3; Period 1"),
    ),
    (
        {**dose(1, "tablet"), "timing": repeated(count=5, countMax="ten")},
        ("Take 1 tablet", "Also sent: Count 5; Count max ten"),
    ),
    (
        {**dose(1, "tablet"), "timing": repeated(count="five", countMax=10)},
        ("Take 1 tablet", "Also sent: Count five; Count max 10"),
    ),
    ({**dose(1, "tablet"), "timing": repeated(countMax=10)}, ("Take 1 tablet", "Up to 10 times in total")),
    (
        {"text": "As told", "timing": repeated(count=5, countMax="ten")},
        ("As told", "Also sent: Count 5; Count max ten"),
    ),
    (between(low=(2, "tab")), ("Take at least 2 tablets",)),
    (
        between(low=(2, "tablet"), high=(None, "tablet")),
        ("Also sent: Dose: Low: Value 2, Unit tablet, High: Unit tablet",),
    ),
    (
        {"text": "As told", "timing": repeated(boundsRange={"low": amount(5, "d")})},
        ("As told", "For at least 5 days"),
    ),
    (
        {"text": "As told", "timing": repeated(boundsRange={"high": amount(5, "d")})},
        ("As told", "For up to 5 days"),
    ),
    (
        {"text": "As told", "timing": repeated(boundsRange={"low": amount(5, "d"), "high": amount("x", "d")})},
        ("As told", "For 5 d - x d"),
    ),
    (
        {**dose(1, "tablet"), "timing": repeated(boundsRange={"low": amount(5, "d"), "high": "x"})},
        ("Take 1 tablet", "Also sent: Bounds range: Low: Value 5, Unit d, High x"),
    ),
    (
        {"doseAndRate": [{"rateRange": {"low": amount(1, "mL/h"), "high": amount(2, "mL/h")}}]},
        ("How fast: 1 mL/h - 2 mL/h",),
    ),
    ({"doseAndRate": [{"rateRange": {"low": amount(1, "mL/h")}}]}, ("How fast: ≥ 1 mL/h",)),
    ({"doseAndRate": [{"rateRange": {"high": amount(2, "mL/h")}}]}, ("How fast: ≤ 2 mL/h",)),
    (
        {"doseAndRate": [{"rateRange": {"low": amount(1, "mL/h"), "high": "x"}}]},
        ("Also sent: Rate: Low: Value 1, Unit mL/h, High x",),
    ),
    (
        {**dose(1, "tablet"), "timing": repeated(**ONCE_A_DAY, when=["XX"], dayOfWeek=["mon", "someday"])},
        ("Take 1 tablet once a day on Monday", "Also sent: When XX; Day of week mon, Day of week someday"),
    ),
    ({**dose("1-2", "tablet"), "patientInstruction": "x"}, ("x", "Also sent: Dose: Value 1-2, Unit tablet")),
    (
        {**between(low=(1, "tablet"), high=("two", "tablet"))},
        ("Also sent: Dose: Low: Value 1, Unit tablet, High: Value two, Unit tablet",),
    ),
    (
        {**dose(1, "tablet"), "route": {"coding": [{"system": "urn:x", "code": "26643006"}]}},
        ("Take 1 tablet", "Also sent: Route: Coding 26643006"),
    ),
    ({**dose(1, "tablet"), "startWith": "half"}, ("Take 1 tablet", "Also sent: Start with half")),
    (
        {"text": "As told", "modifierExtension": [{"url": "urn:not", "valueBoolean": True}]},
        ("As told", f"{MODIFIED}: Modifier extension urn:not: Value yes. Ask the provider."),
    ),
    (
        {"text": "As told", "timing": {**TWICE, "modifierExtension": [{"url": "urn:not", "valueBoolean": True}]}},
        ("As told", f"{MODIFIED}: Modifier extension urn:not: Value yes. Ask the provider."),
    ),
    (
        {"text": "As told", "asNeededCodeableConcept": {"coding": [{"system": "urn:x", "code": "22253000"}]}},
        ("As told", "Only when needed", "Also sent: As needed: Coding 22253000"),
    ),
    ({"text": "As told", "asNeededBoolean": "true"}, ("As told", "Only when needed")),
    ({"text": "Take as needed.", "asNeededBoolean": True}, ("Take as needed.",)),
    ({"text": "PRN severe pain", **NEEDED}, ("PRN severe pain",)),
    ({"text": "As needed for severe pain", **NEEDED}, ("As needed for severe pain",)),
    ({"text": "Si es necesario", "asNeededBoolean": True}, ("Si es necesario",)),
    ({"text": "As needed", **NEEDED}, ("As needed", "Only when needed: severe pain")),
    (
        {"text": "1 tablet PRN severe pain", **NEEDED},
        ("1 tablet PRN severe pain", "Only when needed: severe pain"),
    ),
    ({"text": "Increase dose as needed", "asNeededBoolean": True}, ("Increase dose as needed", "Only when needed")),
    (
        {"text": "1 daily, crushed if needed", "asNeededBoolean": True},
        ("1 daily, crushed if needed", "Only when needed"),
    ),
    ({"text": "1 tablet as needed", **NEEDED}, ("1 tablet as needed", "Only when needed: severe pain")),
    ({"text": "Do not take as needed", "asNeededBoolean": True}, ("Do not take as needed", "Only when needed")),
    ({"text": "1 daily. Crush if needed.", "asNeededBoolean": True}, ("1 daily. Crush if needed.", "Only when needed")),
    ({"text": "As told", "asNeededBoolean": "false"}, ("As told",)),
    ({"text": "As told", "asNeededBoolean": "at times"}, ("As told", "Also sent: As needed at times")),
    (
        {
            **dose(1, "tablet"),
            "timing": {"code": {"coding": [{"system": "urn:x", "code": "QD"}], "text": "once weekly"}},
        },
        ("Take 1 tablet once weekly", "Also sent: Code: Coding QD"),
    ),
    (
        {"doseAndRate": [{"doseQuantity": {**amount(5, "mg"), "system": "http://unitsofmeasure.org", "code": "g"}}]},
        ("Also sent: Dose: Value 5, Unit mg, Code g",),
    ),
    (between(low=("0.50", "mL"), high=(15, "U")), ("0.5 mL to 15 units",)),
    (between(low=(1, "tab"), high=(2, "tablets")), ("Take 1 to 2 tablets",)),
    (between(high=(2, "tablet")), ("Take up to 2 tablets",)),
    (
        {"text": "Take 2 tablets", **dose(1, "tablet"), **NEEDED},
        (
            "Take 2 tablets (also sent: Take 1 tablet). These differ. Ask the provider.",
            "Only when needed: severe pain",
        ),
    ),
]


def as_dstu2(sent: dict[str, Any]) -> dict[str, Any]:
    """The same in DSTU2: no `doseAndRate`, one `additionalInstructions`, and `periodUnits`."""
    older = {name: part for name, part in sent.items() if name not in {"doseAndRate", "additionalInstruction"}}
    for part in sent.get("doseAndRate", ()):
        older |= part
    for advised in sent.get("additionalInstruction", ()):
        older["additionalInstructions"] = advised
    if repeat := sent.get("timing", {}).get("repeat"):
        names = {"periodUnit": "periodUnits", "durationUnit": "durationUnits", "boundsDuration": "boundsQuantity"}
        older["timing"] = {**sent["timing"], "repeat": {names.get(name, name): part for name, part in repeat.items()}}
    return older


def order(version: str, *dosages: dict[str, Any], number: int = 1) -> dict[str, Any]:
    return {
        "resourceType": ORDERS[version],
        "id": f"m{number}",
        "status": "active",
        "medicationCodeableConcept": {"text": f"Remedy {number}"},
        "dosageInstruction": [as_dstu2(sent) if version == "dstu2" else sent for sent in dosages],
        **({"intent": "order"} if version == "r4" else {}),
    }


def present(resource: dict[str, Any]) -> Entry:
    body = json.dumps(resource).encode()
    named = {"resource_type": resource["resourceType"], "logical_id": resource["id"]}
    return presenting.present(body, **named, context=Context())[1]


def told_of(entry: Entry) -> list[tuple[str, ...]]:
    return [fact.lines for fact in facts.of(entry, provider="Tarn") if fact.label == "How to take it"]


class TestAnEntry:
    @pytest.mark.parametrize("version", VERSIONS)
    @pytest.mark.parametrize(
        ("form", "value", "said"),
        [
            ("Film-coated tablet", 2, "2 tablets, 2 times a day"),
            ("Tablet", 500, "500 at a time, 2 times a day"),
            ("Oral solution", 5, "5 at a time, 2 times a day"),
        ],
    )
    def test_counts_what_the_medicine_is_where_no_unit_was_sent(self, version, form, value, said):
        product = {"resourceType": "Medication", "id": "x", "code": {"text": "Remedy"}}
        product |= {"product": {"form": {"text": form}}} if version == "dstu2" else {"form": {"text": form}}
        sent = order(version, {"doseAndRate": [{"doseQuantity": {"value": value}}], "timing": TWICE})
        del sent["medicationCodeableConcept"]
        assert told_of(present({**sent, "contained": [product], "medicationReference": {"reference": "#x"}})) == [
            (said,)
        ]

    def test_tells_of_every_dose_that_was_sent(self):
        first, second = dose(1, "tablet")["doseAndRate"][0], dose(2, "tablet")["doseAndRate"][0]
        assert told_of(present(order("r4", {"doseAndRate": [first, {**second, "type": {"text": "Loading"}}]}))) == [
            ("Take 1 tablet", "Also sent: Loading, 2 tablet")
        ]

    def test_tells_of_every_maximum(self):
        most = {"maxDosePerAdministration": amount(2, "tablet"), "maxDosePerLifetime": amount("550.0", "mg")}
        assert told_of(present(order("r4", {"text": "As told", **most}))) == [
            ("As told", "At most 2 tablets each time", "At most 550 mg in a lifetime")
        ]

    @pytest.mark.parametrize("version", VERSIONS)
    def test_announces_nothing_where_what_was_sent_says_nothing(self, version):
        sent = {"text": "As told", "doseQuantity": [{}], "modifierExtension": [{}]}
        assert told_of(present(order(version, sent))) == [
            ("As told", "More was sent that may change this, and that we cannot put into words: …. Ask the provider.")
        ]

    @pytest.mark.parametrize("version", VERSIONS)
    @pytest.mark.parametrize(("sent", "told"), TABLE)
    def test_tells_all_of_a_dosage(self, version, sent, told):
        (found,) = [
            fact.lines
            for fact in facts.of(present(order(version, sent)), provider="Tarn")
            if fact.label == "How to take it"
        ]
        assert found == told

    def test_has_every_line_of_its_first_three_dosages_in_its_row(self):
        sent = [{"text": text, **NEEDED} for text in ("One", "Two", "Three", "Four")]
        needed = "Only when needed: severe pain"
        told = tuple(f"{text} \N{MIDDLE DOT} {needed}" for text in ("One", "Two", "Three"))
        assert in_rows.of(present(order("r4", *sent))) == (*told, "and 1 more")
        assert in_rows.of(present(order("r4", *sent[:3]))) == told

    @pytest.mark.parametrize(("count", "more"), [(30, 0), (31, 1), (37, 7)])
    def test_says_how_many_more_were_sent_than_it_tells(self, count, more):
        silent: dict[str, Any] = {"timing": {}}
        entry = present(order("r4", *({"text": f"Dose {number}"} for number in range(count)), silent))
        (told,) = [fact.lines for fact in facts.of(entry, provider="Tarn") if fact.label == "How to take it"]
        verb = "was" if more == 1 else "were"
        said = (f"{more} more {verb} sent. See “What the provider sent”.",) if more else ()
        assert told == (*(f"Dose {number}" for number in range(30)), *said)
        assert in_rows.of(entry) == (f"Dose 0, Dose 1, Dose 2, and {count - 3} more",)


@pytest.mark.django_db
class TestTheSummary:
    @pytest.mark.parametrize("version", VERSIONS)
    def test_tells_all_of_a_dosage(self, alice, version):
        connection = make_connection(alice, make_endpoint(f"https://{version}.example", version=version))
        keep(connection, *(order(version, sent, number=number) for number, (sent, _told) in enumerate(TABLE)))
        document = json.loads(documents.document(choosing.choices(alice, at=AT), at=AT))
        written = {
            each["resource"]["medicationCodeableConcept"]["text"]: [
                dosage["text"]
                for dosage in each["resource"]["dosageInstruction"]  # and when, in parts of their own
            ]
            for each in document["entry"]
            if each["resource"]["resourceType"] == "MedicationRequest"
        }
        (section,) = [
            each
            for each in document["entry"][0]["resource"]["section"]
            if each["code"]["coding"][0]["code"] == "10160-0"
        ]
        for number, (sent, told) in enumerate(TABLE):
            text = "; ".join(told)
            assert written[f"Remedy {number}"] == [text], sent
            assert text in section["text"]["div"]
