"""System checks of the directory's settings."""

import pytest
from django.core.checks import run_checks


class TestTheDaysOfASigningKey:
    @pytest.mark.parametrize(("days", "ids"), [(90, []), (2, []), (1, ["holdfast.E022"]), (-1, ["holdfast.E022"])])
    def test_are_more_than_a_rotation_takes(self, settings, days, ids):
        settings.SIGNING_KEY_DAYS = days
        assert [found.id for found in run_checks() if found.id == "holdfast.E022"] == ids
