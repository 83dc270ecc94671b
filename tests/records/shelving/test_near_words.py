"""Suggestions for a search word that occurs nowhere."""

import random

import pytest
from django.utils import translation

from apps.records.shelving import near_words, search_terms
from apps.records.shelving.search_terms import MARK
from tests.effort import at_most

_HERS = [
    "hemoglobin a1c",
    "metformin hydrochloride 500 mg",
    "sodium, calcium and iron",
    "vitamin b12",
    "vitamins",
    "ninez: acido urico",
    "weighed with clothes",
    "سكر الدم",
    "гемоглобин",
]


def lines(*said, key=""):
    """A leaf of words, each line of this year, and of what has this key."""
    return "\n".join(f"{words}{MARK}{key}{MARK}2024" for words in said).encode()


def near(typed, *leaves, providers=()):
    """Of each word that was mistyped, what is near to it."""
    found = near_words.of(search_terms.read(typed), leaves or [lines(*_HERS)], providers=providers)
    return {word.typed: list(words) for word, words in found.items()}


class TestAMistypedWord:
    @pytest.mark.parametrize(
        ("typed", "meant"),
        [
            ("hemoglobn", "hemoglobin"),
            ("HÉMOGLOBNI", "hemoglobin"),
            ("emaglobin", "hemoglobin"),
            ("metformine", "metformin"),
            ("metfomrins", "metformin"),
            ("hydroclorid", "hydrochloride"),
            ("sodum", "sodium"),
            ("sodiumm", "sodium"),
            ("irno", "iron"),
            ("ninezz", "ninez"),
            ("سكرر", "سكر"),
            ("геюоглобян", "гемоглобин"),
            ("vitamine", "vitamin"),  # who finds that, finds vitamins
        ],
    )
    def test_is_near_to_what_is_here(self, typed, meant):
        assert near(typed) == {typed: [meant]}

    @pytest.mark.parametrize(
        "typed",
        [
            *("sodium", "odiu", "vitamins", "2024", "iro", "irn", "sdm", "sodi0m", "sodnmu", "hemiglobniy"),
            *("potassium", "wiht", "clotehing"),
        ],
    )
    def test_is_none_that_is_here_or_too_short_or_too_far_off(self, typed):
        assert near(typed) == {}

    def test_is_none_that_is_a_month_a_list_or_a_provider(self):
        said = lines("decembar diciembri allergyz harborq")
        assert near("december diciembre", said) == {}
        assert near("allergys", said) == {}
        assert near("harborr", said) == {"harborr": ["harborq"]}
        assert near("harborr", said, providers=[["practice"], ["harborr"]]) == {}

    def test_is_one_of_two_at_most(self):
        assert near("sodoum calcuim iron") == {"sodoum": ["sodium"], "calcuim": ["calcium"]}
        assert near("sodoum calcuim hemoglobn") == {}

    def test_is_near_to_no_number_and_no_small_word_and_nothing_behind_the_words(self):
        assert near("wiht") == {}
        assert near("b12z") == {}
        assert near("ironas", lines("iron\N{RIGHT SINGLE QUOTATION MARK}s")) == {}
        assert near("sodoum", lines("iron", key="=Goal=sodium")) == {}

    def test_is_near_to_what_lists_and_providers_are_called(self):
        assert near("vacines") == {"vacines": ["vaccines"]}
        assert near("habror", providers=[["harbor", "family"]]) == {"habror": ["harbor"]}

    def test_is_near_first_to_what_lacks_the_fewest_letters_and_then_to_what_begins_alike(self):
        said = lines("anemia", "enemia", "anaemiae", "xnamia")
        assert near("anamia", said) == {"anamia": ["anemia", "xnamia"]}
        assert near("zupuz", lines("bupuz", "zupus")) == {"zupuz": ["zupus", "bupuz"]}
        assert near("hipatitus", lines("zipatitus", "hipatitis", "hepatitis")) == {
            "hipatitus": ["hipatitis", "zipatitus", "hepatitis"]
        }

    def test_is_as_near_as_its_nearest_form(self):
        said = lines("metformens", "metformaax")
        assert near("metformans", said) == {"metformans": ["metformens", "metformaax"]}

    def test_is_near_to_three_at_most(self):
        assert near("lurus", lines("lupus", "lulus", "lumus", "lubus")) == {"lurus": ["lubus", "lulus", "lumus"]}

    def test_may_be_two_that_stand_apart(self):
        assert near("vitaminhydrochloride") == {"vitaminhydrochloride": ["vitamin hydrochloride"]}
        assert near("sodiummgx") == {}
        assert near("ironwith", lines("iron with tea"))["ironwith"] == ["iron with"]
        assert near("ironsodiux") == {}
        assert near("irontea", lines("iron with tea")) == {"irontea": ["iron tea"]}

    def test_is_near_to_names_of_ours_for_what_is_here(self):
        said = lines("bp", key="blood-pressure")
        assert near("presure", said) == {"presure": ["pressure"]}
        assert near("presure") == {}

    def test_is_near_to_a_name_in_another_language_where_there_is_none_in_this_one(self):
        said = lines("bp", key="blood-pressure")
        assert near("arteiral", said) == {"arteiral": ["arterial"]}
        with translation.override("es"):
            assert near("presoin", said) == {"presoin": ["presión"]}

    @pytest.mark.parametrize("language", ["en", "es"])
    def test_is_near_to_no_short_word_of_a_name(self, language):
        with translation.override(language):
            assert near("tosx quee", lines("pertussis", key=f"against-whooping-cough{MARK}sodium")) == {}
            assert near("tosx", lines("pertussis, tos")) == {"tosx": ["tos"]}

    def test_is_looked_for_among_the_newest_of_each_leaf(self):
        many = lines("calcium", *(f"{nth}" for nth in range(20_000)), "sodium")
        assert near("calcuim", many, many) == {"calcuim": ["calcium"]}
        assert near("sodoum", many, many) == {}


class TestManyWordsThatAreAlike:
    def test_take_no_longer_than_few(self):
        drawn = random.Random(5)
        alike = ["".join(drawn.sample("tiranesmo", 9)) for _nth in range(300_000)]
        leaf = lines(*alike)
        words = search_terms.read("tiranesmx ommersixt")
        with at_most(5):
            assert near_words.of(words, [leaf], providers=()) == {}
