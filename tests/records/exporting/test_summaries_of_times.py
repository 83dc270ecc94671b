"""When a medicine is taken is in a patient summary as it came, if R4 has a place for that, and otherwise in words."""

import pytest

from tests.records.exporting.keeping import keep
from tests.records.exporting.summarized import MEDICINES, Summarized
from tests.records.linked import make_connection, make_endpoint

pytestmark = pytest.mark.django_db

TWICE = {"frequency": 2, "period": 1, "periodUnit": "d"}
DAYS = {"system": "http://unitsofmeasure.org", "code": "d"}
KINDS = [("MedicationRequest", "dosageInstruction"), ("MedicationStatement", "dosage")]


def dosage(user, part, *, kind="MedicationRequest", name="dosageInstruction", version="r4"):
    """The dosage of the one medicine of a document, that was sent with this one."""
    sent = {"resourceType": kind, "id": "m1", "status": "active", "intent": "order", name: [part]}
    keep(make_connection(user, make_endpoint(version=version)), {**sent, "medicationCodeableConcept": {"text": "X"}})
    ((only,),) = (each[name] for each in Summarized(user).told(MEDICINES))
    return only


def repeated(user, repeat):
    return dosage(user, {"text": "As told", "timing": {"repeat": repeat}}).get("timing", {}).get("repeat")


class TestATiming:
    @pytest.mark.parametrize(("kind", "name"), KINDS)
    def test_stands_beside_the_words(self, alice, kind, name):
        timing = {"repeat": TWICE, "code": {"coding": [{"code": "BID"}], "text": "Twice a day"}}
        told = dosage(alice, {"text": "1 tablet twice daily", "timing": timing, "sequence": 2}, kind=kind, name=name)
        assert told.pop("text").startswith("1 tablet twice daily")
        assert told == {"timing": timing, "sequence": 2}

    @pytest.mark.parametrize(
        "repeat",
        [
            {**TWICE, "frequencyMax": 3, "periodMax": 2, "count": 5, "countMax": 6},
            {"when": ["ACM", "HS"], "offset": 30, "dayOfWeek": ["mon", "thu"]},
            {"timeOfDay": ["08:00:00", "20:30:00"], "duration": 1.5, "durationMax": 2, "durationUnit": "h"},
            {**TWICE, "boundsPeriod": {"start": "2026-01-02", "end": "2026-03-04"}},
            {**TWICE, "boundsDuration": {"value": 7, "unit": "days", **DAYS}},
            {
                **TWICE,
                "boundsRange": {"low": {"value": 5, "unit": "d", **DAYS}, "high": {"value": 7, "unit": "d", **DAYS}},
            },
        ],
    )
    def test_is_kept_as_it_was_sent(self, alice, repeat):
        assert repeated(alice, repeat) == repeat

    @pytest.mark.parametrize(
        "repeat",
        [
            {**TWICE, "frequency": "2"},
            {**TWICE, "frequency": 0},
            {**TWICE, "frequency": True},
            {**TWICE, "period": -1},
            {**TWICE, "periodUnit": "days"},
            {**TWICE, "periodUnits": "d"},
            {"frequency": 2, "period": 1},
            {"duration": 1},
            {"countMax": 3},
            {"periodMax": 3, "periodUnit": "d"},
            {"offset": 30},
            {"offset": 30, "when": ["CM"]},
            {"when": "HS"},
            {"when": ["HS", "noon"]},
            {"when": ["HS"], "timeOfDay": ["08:00:00"]},
            {"timeOfDay": ["8:00"]},
            {"dayOfWeek": ["Monday"]},
            {"dayOfWeek": []},
            {**TWICE, "extension": [{"url": "urn:x", "valueString": "but not on Sundays"}]},
            {**TWICE, "_frequency": {"extension": [{"url": "urn:x", "valueString": "or so"}]}},
            {**TWICE, "boundsPeriod": {"start": "2026-03-04", "end": "2026-01-02"}},
            {**TWICE, "boundsPeriod": {"start": "soon"}},
            {**TWICE, "boundsDuration": {"value": 7, "unit": "days"}},
            {**TWICE, "boundsRange": {"low": {"value": 9, **DAYS}, "high": {"value": 7, **DAYS}}},
            {**TWICE, "boundsDuration": {"value": 7, **DAYS}, "boundsPeriod": {"start": "2026-01-02"}},
        ],
    )
    def test_of_which_anything_is_odd_is_told_in_words_alone(self, alice, repeat):
        assert repeated(alice, repeat) is None

    @pytest.mark.parametrize(
        ("needed", "is_kept"),
        [
            ({"asNeededBoolean": True}, True),
            ({"asNeededCodeableConcept": {"text": "Pain"}}, True),
            ({"asNeededBoolean": "true"}, False),
            ({"asNeededCodeableConcept": {}}, False),
            ({"asNeededBoolean": False, "asNeededCodeableConcept": {"text": "Pain"}}, False),
        ],
    )
    def test_never_goes_without_that_it_is_only_for_when_it_is_needed(self, alice, needed, is_kept):
        told = dosage(alice, {"text": "As told", "timing": {"repeat": TWICE}, **needed})
        told.pop("text")
        assert told == ({"timing": {"repeat": TWICE}, **needed} if is_kept else {})

    @pytest.mark.parametrize(
        "part",
        [
            {"text": "Take 1 tablet three times a day", "timing": {"repeat": TWICE}},
            {
                "text": "As told",
                "timing": {"repeat": TWICE},
                "modifierExtension": [{"url": "urn:x", "valueCode": "no"}],
            },
            {"text": "As told", "timing": {"repeat": TWICE, "modifierExtension": [{"url": "urn:x"}]}},
            {"text": "As told", "timing": {"event": ["soon"]}},
        ],
    )
    def test_that_the_words_or_a_modifier_turn_around_is_told_in_words_alone(self, alice, part):
        assert dosage(alice, part).keys() == {"text"}

    @pytest.mark.parametrize(
        ("sent", "told"),
        [
            ({"frequency": 2, "period": 1, "periodUnits": "d"}, TWICE),
            ({"when": "HS"}, {"when": ["HS"]}),
            ({"duration": 2, "durationUnits": "h"}, {"duration": 2, "durationUnit": "h"}),
            (
                {**TWICE, "boundsQuantity": {"value": 7, "unit": "d", **DAYS}},
                {**TWICE, "boundsDuration": {"value": 7, "unit": "d", **DAYS}},
            ),
            ({"when": "ACW"}, None),
            ({"frequency": 2, "period": 1, "periodUnits": "days"}, None),
            ({**TWICE, "periodUnits": "wk"}, None),
        ],
    )
    def test_of_dstu2_says_the_same_in_words_of_r4(self, alice, sent, told):
        found = dosage(alice, {"text": "As told", "timing": {"repeat": sent}}, version="dstu2")
        assert found.get("timing", {}).get("repeat") == told
