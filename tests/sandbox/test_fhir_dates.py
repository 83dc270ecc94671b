"""Partial dates in searches stand for the period they cover."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sandbox.fhir import dates


class TestStretch:
    @pytest.mark.parametrize(
        ("written", "start", "end"),
        [
            ("2025", "2025-01-01T00:00:00", "2026-01-01T00:00:00"),
            ("2025-12", "2025-12-01T00:00:00", "2026-01-01T00:00:00"),
            ("2024-02-29", "2024-02-29T00:00:00", "2024-03-01T00:00:00"),
            ("2025-03-01T09:30", "2025-03-01T09:30:00", "2025-03-01T09:31:00"),
            ("2025-03-01T09:30:15Z", "2025-03-01T09:30:15", "2025-03-01T09:30:16"),
            ("2025-03-01T23:30:00-05:00", "2025-03-02T04:30:00", "2025-03-02T04:30:01"),
            ("2025-03-01T00:00:00 05:30", "2025-02-28T18:30:00", "2025-02-28T18:30:01"),
        ],
    )
    def test_is_as_long_as_the_date_is_precise(self, written, start, end):
        expected = (datetime.fromisoformat(f"{start}+00:00"), datetime.fromisoformat(f"{end}+00:00"))
        assert dates.stretch(written) == expected

    @pytest.mark.parametrize("written", ["", "25", "2025-13", "2025-02-30", "2025-1-1", "today", "2025-03-01T25:00Z"])
    def test_of_no_date_is_refused(self, written):
        with pytest.raises(ValueError, match=r"."):
            dates.stretch(written)

    @given(st.text(max_size=40) | st.from_regex(r"\d{1,5}(-\d{1,2}){0,2}(T\d\d:\d\d(:\d\d)?)?(Z|[+-]\d\d:\d\d)?"))
    def test_of_anything_is_a_stretch_or_a_refusal(self, written):
        try:
            start, end = dates.stretch(written)
        except (ValueError, OverflowError):
            return
        assert start < end
