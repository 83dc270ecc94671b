"""Periods in words, with ends of different precision: no two read alike, and no day lacks its year."""

import re
from itertools import product

import pytest
from django.utils import translation

from apps.records.presenters.datatypes import dates
from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.dosing import dosage_words
from apps.records.presenters.dosing.dosages import Dosage
from apps.records.presenters.dosing.timings import Timing
from apps.records.viewing.wording import dates_in_words

SENT = (
    "2019", "2020", "2019-03", "2019-05", "2020-03", "2019-03-04", "2019-03-09", "2019-05-04", "2020-03-04",
    "2019-03-04T09:00:00-05:00", "2019-03-04T21:00:00-05:00", "2019-03-09T09:00:00-05:00", "2020-03-04T09:00:00-05:00",
)  # fmt: skip
PERIODS = (
    *(When(starts=starts, ends=ends) for starts, ends in product(SENT, SENT) if starts != ends),
    *(When(starts=sent, is_open=True) for sent in SENT),
    *(When(ends=sent) for sent in SENT),
    *(When(starts=sent) for sent in SENT),
)
LANGUAGES = pytest.mark.parametrize("language", ["en", "es"])
_MISSING_ARTICLE = re.compile(r"\b(?:de|a|desde|hasta) [0-9]{1,2} (?:de|al)\b", re.IGNORECASE)
_WRONG_ARTICLE = re.compile(r"\b(?:del|al|el) (?:[0-9]{4}|[a-z]+ de [0-9]{4})\b", re.IGNORECASE)


def bounds(when: When) -> str:
    """How long a medicine is to be taken."""
    return dosage_words.lines(Dosage(timing=Timing(bounds=when)))[0]


class TestAPeriodOfAnyTwoSides:
    @LANGUAGES
    def test_is_told_like_no_other(self, language):
        with translation.override(language):
            told = [dates_in_words.in_full(when) for when in PERIODS]
        alike = {words for words in told if told.count(words) > 1}
        assert not alike

    @LANGUAGES
    def test_says_every_year_that_was_sent(self, language):
        with translation.override(language):
            told = [(when, dates_in_words.in_words(when)) for when in PERIODS]
        years = [({when.starts[:4], when.ends[:4]} - {""}, words) for when, words in told]
        assert [words for sent, words in years if not all(year in words for year in sent)] == []

    @LANGUAGES
    def test_leaves_no_day_without_a_year_that_is_its_own(self, language):
        day_of_2020, exact = "2020-05-04", {"en": "May 4, 2020", "es": "4 de mayo de 2020"}[language]
        with translation.override(language):
            said = [
                dates_in_words.in_words(When(starts=starts, ends=day_of_2020))
                for starts in ("2019", "2019-03", "2019-03-04")
            ]
        assert [words for words in said if exact not in words] == []

    @pytest.mark.parametrize("say", [dates_in_words.in_words, dates_in_words.in_full, bounds])
    def test_has_the_article_of_a_day_in_spanish_and_of_nothing_else(self, say):
        with translation.override("es"):
            told = [say(when) for when in PERIODS]
        assert [words for words in told if _MISSING_ARTICLE.search(words) or _WRONG_ARTICLE.search(words)] == []


class TestHowLongAMedicineIsTaken:
    @pytest.mark.parametrize(
        ("when", "english", "spanish"),
        [
            (
                When(starts="2015-01-15", ends="2015-01-20"),
                "From January 15 to 20, 2015",
                "Del 15 al 20 de enero de 2015",
            ),
            (When(starts="2015-01", ends="2015-03"), "From January to March 2015", "De enero a marzo de 2015"),
            (When(starts="2015-01-15", is_open=True), "From January 15, 2015 on", "A partir del 15 de enero de 2015"),
            (When(starts="2015-01", is_open=True), "From January 2015 on", "A partir de enero de 2015"),
            (When(ends="2015-01"), "Until January 2015", "Hasta enero de 2015"),
            (When(starts="2015-01-15", ends="2015-01-15"), "On January 15, 2015", "El 15 de enero de 2015"),
            (When(starts="2015-01", ends="2015-01"), "In January 2015", "En enero de 2015"),
        ],
    )
    def test_is_told_as_exactly_as_it_was_sent(self, when, english, spanish):
        assert bounds(when) == english
        with translation.override("es"):
            assert bounds(when) == spanish


class TestADateInASentence:
    @pytest.mark.parametrize(
        ("sent", "english", "spanish"),
        [
            ("2019-03-04", "on March 4, 2019", "el 4 de marzo de 2019"),
            ("2019-03", "in March 2019", "en marzo de 2019"),
            ("2019", "in 2019", "en 2019"),
            ("", "on a date not given", "en una fecha no indicada"),
        ],
    )
    def test_has_the_word_before_it_that_it_needs(self, sent, english, spanish):
        assert dates.sent_on(sent) == english
        with translation.override("es"):
            assert dates.sent_on(sent) == spanish
