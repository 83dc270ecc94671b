"""Allergies in the records of several people: none is shown as another person's."""

import pytest

from tests.records.pages import main
from tests.records.people import allergy
from tests.records.several_people import CHILDS, HERS, is_of
from tests.records.shelved import keep

pytestmark = pytest.mark.django_db

NONE_KNOWN = {"coding": [{"system": "http://snomed.info/sct", "code": "716186003"}], "text": "No known allergies"}
LISTED_ELSEWHERE = "Another provider lists allergies or reactions."


def head(client):
    """What stands above all medicines, whoever takes them."""
    return main(client, "subject", "medicines")


def peanut(logical_id="a1"):
    return allergy(logical_id, code={"text": "Peanut"})


class TestTheAllergiesOfSeveralPeople:
    def test_are_named_with_whose_they_are(self, hers, sam, connection, other):
        is_of(other, CHILDS, "2019-03-09")
        keep(connection, peanut())
        keep(other, peanut())
        text = head(hers)
        assert "2 allergies or reactions on your lists" in text
        assert f"Peanut ({HERS}) · Peanut ({CHILDS})" in text
        hers.force_login(sam)
        assert "Peanut" not in head(hers)

    def test_refute_no_word_of_another_persons_provider(self, hers, connection, other):
        is_of(other, CHILDS, "2019-03-09")
        keep(connection, allergy("a1", code=NONE_KNOWN))
        keep(other, peanut())
        text = head(hers)
        assert "recorded “no known allergies”" in text
        assert LISTED_ELSEWHERE not in text


class TestTheAllergiesOfOnePerson:
    def test_refute_the_word_of_their_other_provider(self, hers, connection, other):
        keep(connection, allergy("a1", code=NONE_KNOWN))
        keep(other, peanut())
        assert LISTED_ELSEWHERE in head(hers)

    def test_are_named_once_whoever_sent_them(self, hers, connection, other):
        keep(connection, peanut())
        keep(other, peanut())
        assert "1 allergy or reaction on your lists" in head(hers)
