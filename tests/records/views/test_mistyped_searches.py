"""What a search suggests if nothing has the name that was typed."""

import logging
import re

import pytest
from django.urls import reverse

from tests.records.linked import make_connection, make_endpoint
from tests.records.pages import ask, text_of
from tests.records.shelved import keep, order, result

pytestmark = pytest.mark.django_db

_OFFERED = re.compile(r'<button class="as-link" type="submit" name="words" value="([^"]*)">\1</button>')


def offered(client, words):
    """What may have been meant, in its order."""
    return _OFFERED.findall(ask(client, words))


def named(number, name):
    """A result that no code of ours names."""
    return result(number, name=name, code=f"local-{number}")


class TestAMistypedWord:
    @pytest.mark.parametrize(
        ("typed", "meant", "leads_to"),
        [
            ("HÉMOGLOBNI", "hemoglobin", "1 entry found"),
            ("colestrol", "cholesterol", "1 entry found"),  # which the entry itself does not say
            ("vacines", "vaccines", "a whole list of your record"),
            ("habror", "harbor", "a whole list of your record"),
            ("my metformine 2024 tablte", "metformin 2024 tablet", "1 entry found"),
            ("potassium metformine", "potassium metformin", "1 entry has “metformin”"),
        ],
    )
    def test_leads_to_the_nearest_there_is(self, hers, sam, connection, typed, meant, leads_to):
        named_by_us = result(2, name="Lipids", code="57698-3")
        ordered = order("m1", name="Metformin hydrochloride 500 MG Oral Tablet")
        keep(connection, named(0, "Hemoglobin"), named(1, "Potassium"), named_by_us, ordered)
        said = ask(hers, typed)
        assert "Did you mean:" in said
        assert _OFFERED.findall(said) == [meant]
        assert leads_to in ask(hers, meant)
        hers.force_login(sam)
        assert offered(hers, typed) == []

    def test_leads_to_nothing_that_only_others_have(self, hers, sam, connection):
        keep(connection, named(0, "Sodium"))
        theirs = make_connection(sam, make_endpoint("https://third.example/r4"))
        keep(theirs, named(0, "Hemoglobin"))
        said = ask(hers, "hemoglobn")
        assert "Nothing found for “hemoglobn”" in said
        assert "Did you mean" not in said

    def test_is_none_where_it_is_found_or_what_is_near_is_so_long_that_no_search_takes_it(self, hers, connection):
        keep(connection, named(0, "Sodium"), named(1, "Vacines"))
        for typed in ("sodium", "odiu", "sodium december", "zebra", "vacines"):
            assert offered(hers, typed) == []
        assert offered(hers, f"{'z' * 94} sdium") == []
        assert offered(hers, f"{'z' * 93} sdium") == [f"{'z' * 93} sodium"]

    def test_leads_to_three_at_most(self, hers, connection):
        keep(
            connection, *(named(nth, name) for nth, name in enumerate(["Lupus", "Lulus", "Lumus", "Sodium", "Sodius"]))
        )
        assert offered(hers, "lurus sodiux") == ["lulus sodium", "lulus sodius", "lumus sodium"]

    def test_is_told_in_the_language_of_the_page_with_its_accents(self, hers, connection):
        keep(connection, result(0, name="BP", code="85354-9"))
        hers.cookies["django_language"] = "es"
        said = ask(hers, "presoin")
        assert "Quizás quiso decir:" in said
        assert _OFFERED.findall(said) == ["presión"]
        assert "1 entrada encontrada" in ask(hers, "presión")

    def test_stands_in_no_address_and_in_no_log(self, hers, connection, caplog):
        keep(connection, named(0, "Hemoglobin"))
        with caplog.at_level(logging.DEBUG):
            said = ask(hers, "hemoglobn")
        assert "hemoglob" not in caplog.text
        assert not re.search("(href|action)=[^>]*hemoglob", said)
        (form,) = [part for part in said.split("<form ") if ">hemoglobin</button>" in part]
        assert f'method="post" action="{reverse("search_record")}"' in form
        assert "csrfmiddlewaretoken" in form

    def test_takes_no_more_queries_than_what_is_found(self, hers, connection, other, django_assert_max_num_queries):
        for whose in (connection, other):
            keep(whose, named(0, "Hemoglobin"))
        found = hers.post(reverse("search_record"), {"words": "hemoglobn"})["Location"]
        with django_assert_max_num_queries(10):
            assert _OFFERED.findall(text_of(hers.get(found))) == ["hemoglobin"]

    @pytest.mark.parametrize(
        "words",
        [
            *("x" * 10_000, "hemoglobn" * 1_000, "\U0001f600" * 100, "\U0001f1fahemoglo", "\u202esodium\u202c"),
            *("(((h+)+)+)+$ [^e]* .*?", "سكر" * 30, "é" * 100, "<script>hemoglobn"),
        ],
    )
    def test_may_be_hostile(self, hers, connection, words):
        keep(connection, named(0, "Hemoglobin, ácido úrico, سكر الدم"))
        assert offered(hers, words) == (["script hemoglobin"] if "script" in words else [])
