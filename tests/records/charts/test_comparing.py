"""A chart reads only a part of a shelved result, and that part equals what the result itself says."""

import msgspec
import pytest
from msgspec.structs import fields

from apps.records.charts import series
from apps.records.charts.comparing import Reader
from apps.records.charts.series import Observed
from apps.records.presenters.observations.results import Compared, ResultEntry
from apps.records.viewing.wording import words
from tests.records.charts.observations import pressure, result, series_of, worded

TOLD = [field.name for field in fields(Compared)]
ANY = [
    result(6.1, "2026-09-01T09:30:00Z", note=[{"text": "Fasting"}], interpretation={"text": "Odd"}),
    result(6.2, "2026-09-02T09:30:00.250+02:00", wanted="4.0-6.0", status="preliminary"),
    result(135, "2020", unit="mg/L", comparator="<"),
    result(1, "2019-03", category={"coding": [{"code": "laboratory"}]}, performer=[{"reference": "Patient/p1"}]),
    result(5, "2018-03-04", status="entered-in-error"),
    result(5, "2017-03-04", status="cancelled", provider="Heron Clinic"),
    result(5, "sometime", wanted=None),
    worded("Positive", "2020-01-01"),
]
PRESSURES = [pressure(120 + number, 80, f"2026-0{number}-01T09:30:00Z") for number in range(1, 4)]


def compared(observed):
    read = Reader().read
    return [Observed(read(msgspec.json.encode(one.entry)), one.sender) for one in observed]


def told(found):
    return [
        (one.readings, one.worded, one.providers, one.compared, [(row.shown, row.said) for row in one.rows])
        for one in found
    ]


class TestAComparedResult:
    def test_says_what_the_result_itself_says(self):
        observed = [*ANY, *PRESSURES]
        for one, read in zip(observed, compared(observed), strict=True):
            assert [getattr(read.entry, name) for name in TOLD] == [getattr(one.entry, name) for name in TOLD]
            assert words.of_status(read.entry) == words.of_status(one.entry)

    def test_makes_the_same_series(self):
        assert told(series_of(compared(ANY))) == told(series_of(ANY))
        assert told([series.of_pressures(compared(PRESSURES))]) == told([series.of_pressures(PRESSURES)])

    def test_of_an_earlier_release_that_knew_less_is_read(self):
        read = Reader().read(b'{"test": "loinc:4548-4", "status": "final"}')
        assert [getattr(read, name) for name in TOLD] == [
            getattr(ResultEntry(test="loinc:4548-4", status="final"), name) for name in TOLD
        ]

    @pytest.mark.parametrize("written", [b'{"value": []}', b'{"ranges": {}}', b'["of another release"]', b""])
    def test_of_another_shape_is_none(self, written):
        with pytest.raises(msgspec.MsgspecError):
            Reader().read(written)

    def test_has_no_field_that_a_result_has_not(self):
        assert set(TOLD) <= {field.name for field in fields(ResultEntry)}
