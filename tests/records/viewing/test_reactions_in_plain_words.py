"""Reactions to allergies have plain names."""

import pytest
from django.utils import translation

from apps.records.presenters.allergies import AllergyEntry
from tests.records import told
from tests.records.people import allergy


def sent(*manifestations):
    return told.entry("AllergyIntolerance", **allergy("a1", reaction=[{"manifestation": list(manifestations)}]))


class TestAReaction:
    @pytest.mark.parametrize(
        ("language", "theirs", "said"),
        [
            ("en", "Wheal", "Hives (Wheal)"),
            ("es", "Wheal", "Ronchas (Wheal)"),
            ("en", "Wheal (finding)", "Hives (Wheal)"),
            ("en", "allergic  RHINITIS", "Runny or stuffy nose (allergic  RHINITIS)"),
            ("en", "hives", "hives"),
            ("es", "hives", "Ronchas (hives)"),
            ("en", "No wheal", "No wheal"),
            ("en", "Tingling", "Tingling"),
        ],
    )
    def test_is_told_in_a_row_and_on_its_page_with_the_providers_word(self, language, theirs, said):
        entry = sent({"text": theirs})
        with translation.override(language):
            assert said in " ".join(told.in_row(entry).split("\n"))
            assert f": {said}" in told.on_page(entry)

    def test_is_as_it_was_sent_where_records_are_compared(self):
        entry = sent({"text": "Wheal"}, {"text": "Tingling"})
        assert "Hives (Wheal), Tingling" in told.in_row(entry)
        assert isinstance(entry, AllergyEntry)
        assert entry.reactions[0].manifestations == ("Wheal", "Tingling")
