"""FHIR dates keep the precision with which they were written."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.wire import datetimes
from apps.wire.datetimes import Precision


class TestADate:
    @pytest.mark.parametrize(
        ("text", "precision", "first_day", "starts_at", "has_offset"),
        [
            ("2019", Precision.YEAR, date(2019, 1, 1), datetime(2019, 1, 1, tzinfo=UTC), False),
            ("2019-05", Precision.MONTH, date(2019, 5, 1), datetime(2019, 5, 1, tzinfo=UTC), False),
            ("2020-02-29", Precision.DAY, date(2020, 2, 29), datetime(2020, 2, 29, tzinfo=UTC), False),
            ("2019-05-01T10:30:00Z", 4, date(2019, 5, 1), datetime(2019, 5, 1, 10, 30, tzinfo=UTC), True),
            ("2019-05-01T23:30:00-05:00", 4, date(2019, 5, 1), datetime(2019, 5, 2, 4, 30, tzinfo=UTC), True),
            ("2019-05-01T00:30:00+14:00", 4, date(2019, 5, 1), datetime(2019, 4, 30, 10, 30, tzinfo=UTC), True),
            ("2019-05-01T10:30:00.5Z", 4, date(2019, 5, 1), datetime(2019, 5, 1, 10, 30, 0, 500_000, UTC), True),
            (
                "2019-05-01T10:30:00.123456789Z",
                4,
                date(2019, 5, 1),
                datetime(2019, 5, 1, 10, 30, 0, 123_456, UTC),
                True,
            ),
            ("2019-05-01T10:30:00", 4, date(2019, 5, 1), datetime(2019, 5, 1, 10, 30, tzinfo=UTC), False),
            ("2019-05-01T10:30", 4, date(2019, 5, 1), datetime(2019, 5, 1, 10, 30, tzinfo=UTC), False),
            ("2016-12-31T23:59:60Z", 4, date(2016, 12, 31), datetime(2016, 12, 31, 23, 59, 59, tzinfo=UTC), True),
            (" 2019 ", Precision.YEAR, date(2019, 1, 1), datetime(2019, 1, 1, tzinfo=UTC), False),
        ],
    )
    def test_stays_as_precise_as_it_was_written(self, text, precision, first_day, starts_at, has_offset):
        parsed = datetimes.parse(text)
        assert parsed == datetimes.FhirDateTime(precision, first_day, starts_at, has_offset)

    @pytest.mark.parametrize(
        "text",
        [
            *("", "19", "0000", "2019-13", "2019-02-30", "2019-5-1", "05/01/2019", "2019-05-01T", "2019-05-01 10:30"),
            *("2019-05-01T25:00:00Z", "2019-05-01T10:60:00Z", "2019-05-01T10:30:61Z", "2019-05-01T10:30:00+25:00"),
            *(
                "0001-01-01T00:00:00+14:00",
                "9999-12-31T23:59:59-14:00",
                "\u0662\u0660\u0661\u0669",
                None,
                2019,
                ["2019"],
            ),
        ],
    )
    def test_is_none_where_it_is_no_date(self, text):
        assert datetimes.parse(text) is None

    @given(st.text(alphabet="0123456789-:.TZ+ ", max_size=30) | st.text(max_size=30))
    def test_never_raises(self, text):
        parsed = datetimes.parse(text)
        assert parsed is None or parsed.starts_at.tzinfo is UTC

    @given(
        st.from_regex(
            r"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9](Z|[+-][0-2][0-9]:[0-6][0-9])",
            fullmatch=True,
            alphabet="0123456789-:TZ+",
        )
    )
    def test_of_a_moment_is_the_same_with_a_fraction_that_says_nothing(self, text):
        assert datetimes.parse(text) == datetimes.parse(f"{text[:19]}.000{text[19:]}")
