"""Blood pressures as a screen reader reads them."""

import pytest
from django.utils import translation
from django.utils.safestring import SafeString

from apps.records.templatetags.entry_rows import said_by_them
from apps.records.templatetags.spoken_pressures import pressures_spoken


class TestABloodPressure:
    @pytest.mark.parametrize(
        ("language", "spoken"),
        [("en", "128 over 82 millimeters of mercury"), ("es", "128 sobre 82 milímetros de mercurio")],
    )
    def test_is_read_out_in_words_and_seen_in_digits(self, language, spoken):
        seen = '<span aria-hidden="true">128/82 mmHg</span>'
        with translation.override(language):
            told = said_by_them("128/82 mmHg", "", frozenset())
        assert told == f'{seen}<span class="visually-hidden">{spoken}</span>'

    def test_stands_in_its_sentence(self):
        told = said_by_them("128/82 mmHg. & more", "fr", frozenset())
        assert told.endswith("</span>. &amp; more")
        assert "128 over 82" in told

    @pytest.mark.parametrize("said", ["1/2 tablet", "3/4/128/82 mmHg", "128 mmHg", "10/12/2026", "a/b mmHg"])
    def test_is_nothing_else(self, said):
        assert pressures_spoken(SafeString(said)) == said
