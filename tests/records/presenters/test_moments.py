"""Dates of either version keep their precision, and sort into their place in a list."""

from datetime import date

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.records.presenters.datatypes import moments
from apps.records.presenters.datatypes.moments import When
from tests.records.presenters.oddities import odd

BORN = date(1980, 6, 1)
NAMES = tuple(
    f"{sign}onset{kind}"
    for sign in ("", "_")
    for kind in ("", "DateTime", "Date", "Instant", "String", "Period", "Timing", "Age", "Quantity", "Range")
)
ABSENT = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"


def onset(**elements):
    return moments.read(elements, "onset", means="started", birth_date=BORN)


class TestReadingAMoment:
    @given(odd(*NAMES))
    def test_never_raises_and_can_always_be_shelved(self, content):
        resource = content if isinstance(content, dict) else {}
        when = onset(**{str(name): value for name, value in resource.items()})
        assert when.means == "started"
        assert msgspec.json.decode(msgspec.json.encode(when), type=When) == when

    @given(st.floats() | st.integers() | st.text(max_size=6), st.sampled_from(["a", "mo", "wk", "d", "", "fortnight"]))
    def test_takes_every_age(self, value, code):
        onset(onsetAge={"value": value, "code": code})
        onset(onsetRange={"low": {"value": value, "code": code}})

    @pytest.mark.parametrize("sent", ["2019", "2019-03", "2019-03-04", "2019-03-04T14:05:00-05:00"])
    def test_keeps_a_date_as_sent(self, sent):
        for name in ("onset", "onsetDateTime", "onsetDate", "onsetInstant", "onsetString"):
            when = onset(**{name: sent})
            assert when.starts == sent
            assert when.text == ""
            assert when.sorts_at

    def test_keeps_a_text_that_is_no_date(self):
        when = onset(onsetString="when she was small")
        assert when == When(means="started", text="when she was small")

    @pytest.mark.parametrize("name", ["onset", "onsetPeriod"])
    def test_reads_a_period(self, name):
        when = onset(**{name: {"start": "2019-03-04", "end": "2019-03-09"}})
        assert (when.starts, when.ends, when.is_open) == ("2019-03-04", "2019-03-09", False)
        assert when.sorts_at == moments.sort_key("2019-03-04")

    def test_says_that_a_period_is_open(self):
        assert onset(onsetPeriod={"start": "2019"}).is_open

    def test_sorts_a_period_that_only_ends_by_its_end(self):
        when = onset(onsetPeriod={"end": "2019-03"})
        assert (when.starts, when.ends, when.is_open) == ("", "2019-03", False)
        assert when.sorts_at == moments.sort_key("2019-03")

    @pytest.mark.parametrize("period", [{"start": "spring", "end": "2019"}, {"start": "2019", "end": "autumn"}])
    def test_tells_a_period_with_a_side_that_is_no_date_as_text(self, period):
        when = onset(onsetPeriod=period)
        assert when.text == " - ".join(period.values())
        assert when.sorts_at == moments.sort_key("2019")
        assert not when.starts

    @pytest.mark.parametrize("name", ["onsetAge", "onsetQuantity", "onset"])
    def test_reads_an_age(self, name):
        when = onset(**{name: {"value": 42, "unit": "years", "system": "http://unitsofmeasure.org", "code": "a"}})
        assert (when.age_from, when.age_to) == (42.0, None)
        assert when.sorts_at.startswith("2022-0")

    def test_reads_ages_in_months_weeks_and_days(self):
        ages = [onset(onsetAge={"value": 6, "code": code}).age_from for code in ("mo", "wk", "d")]
        assert ages == [0.5, 0.115, 0.0164]

    def test_reads_a_range_of_ages(self):
        when = onset(onsetRange={"low": {"value": 40, "unit": "yr"}, "high": {"value": 45, "unit": "yr"}})
        assert (when.age_from, when.age_to) == (40.0, 45.0)

    def test_sorts_an_age_nowhere_without_a_birth_date(self):
        when = moments.read({"onsetAge": {"value": 42, "code": "a"}}, "onset", means="started")
        assert when.age_from == 42.0
        assert when.sorts_at == ""

    @pytest.mark.parametrize(
        ("quantity", "told"),
        [
            ({"comparator": "<", "value": 5, "unit": "years", "code": "a"}, "< 5 years"),
            ({"value": 2, "unit": "fortnights"}, "2 fortnights"),
        ],
    )
    def test_tells_an_age_it_cannot_count_as_sent(self, quantity, told):
        assert onset(onsetAge=quantity) == When(means="started", text=told)

    @pytest.mark.parametrize(
        "timing", [{"event": ["2019-03-04"]}, {"repeat": {"boundsPeriod": {"start": "2019-03-04"}}}]
    )
    def test_reads_a_timing(self, timing):
        assert onset(onsetTiming=timing).starts == "2019-03-04"

    @pytest.mark.parametrize("element", ["_onsetDateTime", "_onset", "_onsetString", "onsetPeriod"])
    def test_says_what_the_provider_does_not_know(self, element):
        when = onset(**{element: {"extension": [{"url": ABSENT, "valueCode": "unknown"}]}})
        assert when.unknown
        assert not when

    def test_does_not_take_a_hidden_date_for_an_unknown_one(self):
        assert not onset(_onsetDateTime={"extension": [{"url": ABSENT, "valueCode": "masked"}]}).unknown

    def test_prefers_any_date_to_one_that_is_not_known(self):
        unknown = {"extension": [{"url": ABSENT, "valueCode": "unknown"}]}
        when = moments.read({"_onsetDateTime": unknown, "dateRecorded": "2020"}, "onset", "dateRecorded", means="seen")
        assert when == moments.of_text("2020", means="seen")

    def test_says_nothing_where_nothing_was_sent(self):
        assert onset() == When(means="started")
        assert not onset()


class TestSortKey:
    def test_puts_a_year_and_a_month_at_the_end_of_their_group(self):
        dates = ["2018-12-31", "2019", "2019-01-01", "2019-01", "2019-03-04T14:05:00Z", "2019-03-04", "2019-03"]
        newest_first = sorted(dates, key=moments.sort_key, reverse=True)
        assert newest_first == [
            "2019-03-04T14:05:00Z", "2019-03-04", "2019-03", "2019-01-01", "2019-01", "2019", "2018-12-31",
        ]  # fmt: skip

    def test_orders_moments_by_instant_and_not_by_clock(self):
        assert moments.sort_key("2019-03-04T09:00:00-05:00") > moments.sort_key("2019-03-04T13:00:00Z")

    @given(st.datetimes(), st.datetimes())
    def test_orders_as_time_does(self, one, other):
        first, second = (moment.replace(microsecond=0) for moment in (one, other))
        keys = [moments.sort_key(f"{moment.isoformat()}Z") for moment in (first, second)]
        assert (keys[0] < keys[1]) == (first < second)

    @given(st.text(max_size=30))
    def test_never_raises(self, written):
        assert isinstance(moments.sort_key(written), str)
