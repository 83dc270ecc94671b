"""Several names as a list within a sentence."""

import pytest
from django.utils import translation

from apps.records.templatetags.record_words import in_a_row


class TestNamesInARow:
    @pytest.mark.parametrize(
        ("language", "names", "said"),
        [
            ("en", ("Harbor",), "Harbor"),
            ("en", ("Harbor", "Willow", "Indiana Clinic"), "Harbor, Willow and Indiana Clinic"),
            ("es", ("Harbor", "Willow"), "Harbor y Willow"),
            ("es", ("Harbor", "Willow", "Indiana Clinic"), "Harbor, Willow e Indiana Clinic"),
            ("es", ("Indiana Clinic", "Harbor"), "Indiana Clinic y Harbor"),
            ("es", ("Harbor", "Island Health"), "Harbor y Island Health"),
        ],
    )
    def test_are_parted_as_the_language_does(self, language, names, said):
        with translation.override(language):
            assert in_a_row(names) == said
