"""A user who has records of two people, her own and her child's: nothing of one is shown as the other's."""

import re

import pytest
from django.urls import reverse

from apps.records.exporting import choosing
from apps.records.models import Record
from tests.fixtures.cast import PASSWORD
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.pages import ask, main
from tests.records.people import allergy
from tests.records.several_people import CHILDS, HERS, is_of, medicine
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db


@pytest.fixture
def childs(other):
    is_of(other, CHILDS, "2019-03-09")
    return other


def assert_apart(client, user, one, other):
    """No row, no chart and no summary has both."""
    keep(one, medicine(), result(0, value=5.1))
    keep(other, medicine(), result(1, value=9.9))
    assert main(client, "subject", "medicines").count('class="row-link"') == 2
    record = Record.objects.get(connection=one, logical_id="o0")
    assert "9.9" not in main(client, "over_time", "results", record.pk)
    assert "Record of" in main(client, "entry", "results", record.pk)
    assert not choosing.are_one_person(choosing.choices(user, at=AT))


class TestRecordsOfSeveralPeople:
    def test_say_of_each_entry_whose_it_is(self, hers, sam, connection, childs):
        keep(connection, result(0), medicine())
        keep(childs, result(0, value=4.1), medicine())
        for there in (("subject", "results"), ("subject", "medicines"), ("everything_by_date",), ("whole_record",)):
            text = main(hers, *there)
            assert f"({HERS})" in text, there
            assert f"({CHILDS})" in text, there
        hers.force_login(sam)
        assert "Quillfeather" not in main(hers, "subject", "results")

    def test_say_once_whose_they_are_where_they_are_of_one(self, hers, sam, connection, childs):
        keep(connection, result(0), medicine(), allergy("a1"))
        keep(childs, result(0, value=4.1), medicine(), allergy("a1"))
        places = ("subject", "results"), ("subject", "medicines"), ("subject", "allergies"), ("everything_by_date",)
        for there in (*places, ("whole_record",)):
            text = main(hers, *there, of=childs.pk)
            assert f"({CHILDS})" not in text, there
            assert CHILDS in text, there
            assert HERS not in text, there
        hers.force_login(sam)
        assert "Quillfeather" not in main(hers, "subject", "results", of=childs.pk)

    def test_are_searched_by_whose_they_are(self, hers, sam, connection, childs):
        keep(connection, result(0))
        keep(childs, result(0, value=4.1), medicine())
        found = ask(hers, "perrin sodium")
        assert "1 entry found" in found
        assert f"Riverside Hospital ({CHILDS})" in found.split("1 entry found")[1]
        assert f"({HERS})" not in found.split("1 entry found")[1]
        assert "?from=" in ask(hers, "perrin")
        hers.force_login(sam)
        assert "entry found" not in ask(hers, "perrin sodium")

    def test_put_no_medicine_of_one_under_another(self, hers, connection, childs):
        keep(connection, medicine())
        keep(childs, medicine())
        assert main(hers, "subject", "medicines").count('class="row-link"') == 2

    def test_put_no_test_of_one_under_that_of_another(self, hers, connection, childs):
        keep(connection, result(0))
        keep(childs, result(1))
        text = main(hers, "subject", "results", by="name")
        assert text.count('class="row-link"') == 2
        assert 'class="under"' not in text

    def test_make_no_one_entry_of_what_was_sent_alike(self, hers, connection, childs):
        keep(connection, result(0))
        keep(childs, result(0))
        assert main(hers, "subject", "results").count('class="row-link"') == 2

    def test_draw_no_value_of_one_with_those_of_another(self, hers, sam, connection, childs):
        keep(connection, result(0, value=5.1))
        keep(childs, result(1, value=9.9))
        record = Record.objects.get(connection=connection, logical_id="o0")
        text = main(hers, "over_time", "results", record.pk)
        assert "5.1" in text
        assert "9.9" not in text
        assert CHILDS not in text
        assert f"Record of {HERS} </p>" in text
        assert text.count(HERS) == 2  # on paper as well, and in no row
        hers.force_login(sam)
        assert hers.get(reverse("over_time", args=["results", record.pk])).status_code == 404

    def test_are_told_apart_where_they_are_twins(self, hers, connection, other):
        is_of(other, CHILDS, "1984-03-09")
        keep(connection, result(0))
        keep(other, result(0))
        assert main(hers, "subject", "results").count('class="row-link"') == 2

    @pytest.mark.parametrize("there", [("subject", "medicines"), ("subject", "allergies"), ("everything_by_date",)])
    def test_tell_nothing_of_the_others_in_a_list_of_one_that_may_be_printed(self, hers, connection, childs, there):
        mistaken = {**allergy("a2"), "verificationStatus": {"coding": [{"code": "entered-in-error"}]}}
        keep(connection, allergy("a1"), mistaken, medicine())
        keep(childs, {**allergy("a3"), "code": {"text": "Peanut"}}, medicine())
        everybody, one = main(hers, *there), main(hers, *there, **{"from": childs.pk})
        for told in ("Wrenna", "March 9, 1984", "Harbor Family Practice"):
            assert told in everybody
            assert told not in one
        assert CHILDS in one
        assert "Pteridine" not in one
        assert "Peanut" in one

    def test_lead_from_a_list_of_one_to_that_ones_card(self, hers, connection, childs):
        keep(connection, allergy("a1"))
        keep(childs, {**allergy("a3"), "code": {"text": "Peanut"}})
        (address,) = re.findall(
            rf'href="({reverse("card_to_carry")}[^"]*)"', main(hers, "subject", "allergies", **{"from": childs.pk})
        )
        card = hers.get(address).content.decode()
        assert "Peanut" in card
        assert "Pteridine" not in card

    def test_say_whose_an_entry_is_on_its_own_page(self, hers, sam, connection, childs):
        keep(connection, result(0))
        keep(childs, result(0))
        for whose, name in ((connection, HERS), (childs, CHILDS)):
            record = Record.objects.get(connection=whose, logical_id="o0")
            text = main(hers, "entry", "results", record.pk)
            assert f'<p class="soft no-print"> Record of {name} </p>' in text
        hers.force_login(sam)
        assert hers.get(reverse("entry", args=["results", record.pk])).status_code == 404

    def test_say_whose_each_is_on_the_page_of_its_connection(self, hers, sam, connection, childs):
        for whose, name in ((connection, HERS), (childs, CHILDS)):
            assert f"Record of {name}" in main(hers, "record", whose.pk)
        hers.force_login(sam)
        assert hers.get(reverse("record", args=[childs.pk])).status_code == 404

    def test_say_whose_each_is_before_they_are_taken_along(self, hers, connection, childs):
        keep(connection, result(0))
        keep(childs, result(0))
        hers.post(reverse("account_reauthenticate"), {"password": PASSWORD})
        text = main(hers, "download_copy")
        told = re.findall(r"</h3> <p> (Record of .*?) <br>", text)
        assert told == [f"Record of {HERS}", f"Record of {CHILDS}"]

    def test_are_not_all_ticked_for_a_page_that_can_have_those_of_one_person_alone(self, hers, connection, childs):
        keep(connection, result(0))
        keep(childs, result(0))
        hers.post(reverse("account_reauthenticate"), {"password": PASSWORD})
        for query, ticked in (({"only": "results"}, 0), ({}, 2)):
            text = main(hers, "download_copy", **query)
            assert len(re.findall(r'name="sources" value="[^"]*"[^>]* checked', text)) == ticked

    def test_leave_one_apart_that_could_be_of_either(self, hers, connection, other):
        third = make_connection(connection.user, make_endpoint("https://third.example/r4"))
        is_of(other, HERS, "2019-03-09")
        is_of(third, HERS, "")
        for each in (connection, other, third):
            keep(each, medicine())
        text = main(hers, "subject", "medicines")
        assert text.count('class="row-link"') == 3
        for told in ("born March 9, 1984", "born March 9, 2019", "birth date not given"):
            assert f"({HERS}, {told})" in text

    @pytest.mark.parametrize(
        ("name", "twin"),
        [("Maria Elena Garcia", "Maria Luisa Garcia"), ("Baby Boy A Garcia", "Baby Boy B Garcia"), ("", "")],
    )
    def test_are_told_apart_where_twins_share_a_first_name(self, hers, alice, connection, other, name, twin):
        is_of(connection, name, "2019-03-09")
        is_of(other, twin, "2019-03-09")
        assert_apart(hers, alice, connection, other)

    def test_are_told_apart_where_one_person_does_not_open(self, hers, alice, connection, childs):
        childs.sealed_person = bytes(childs.sealed_person[:-1]) + bytes([childs.sealed_person[-1] ^ 1])
        childs.save()
        assert_apart(hers, alice, connection, childs)

    def test_are_told_apart_where_neither_person_opens(self, hers, alice, connection, childs):
        for each in (connection, childs):
            each.sealed_person = bytes(each.sealed_person[:-1]) + bytes([each.sealed_person[-1] ^ 1])
            each.save()
        assert_apart(hers, alice, connection, childs)

    def test_are_not_measured_by_the_birth_date_of_another(self, hers, connection, other):
        is_of(connection, HERS, "")
        is_of(other, CHILDS, "2025-03-09")
        keep(connection, result(0))
        assert "looks wrong" not in main(hers, "subject", "results")
        keep(other, result(0))
        assert main(hers, "subject", "results").count("looks wrong") == 1

    def test_name_on_paper_whom_a_page_is_of(self, hers, connection, other):
        is_of(other, HERS, "2019-03-09")
        keep(connection, result(0))
        keep(other, result(0))
        record = Record.objects.get(connection=connection, logical_id="o0")
        response = hers.get(reverse("over_time", args=["results", record.pk]))
        assert [one.birth_date for one in response.context["whole"].people] == ["1984-03-09"]


class TestRecordsOfOnePerson:
    @pytest.mark.parametrize("name", ["QUILLFEATHER, WRENNA", "Mrs. Wrenna Quillfeather", "QUILLFEATHER WRENNA"])
    def test_are_one_whichever_way_round_and_with_a_title(self, hers, alice, connection, other, name):
        is_of(other, name, "1984-03-09")
        keep(connection, medicine())
        keep(other, medicine())
        assert main(hers, "subject", "medicines").count('class="row-link"') == 1
        assert choosing.are_one_person(choosing.choices(alice, at=AT))

    @pytest.mark.parametrize("born", ["", "1984", "1984-03"])
    @pytest.mark.parametrize("is_first", [True, False])
    def test_are_one_where_a_birth_date_was_not_sent_or_not_all_of_it(self, hers, connection, other, born, is_first):
        is_of(connection if is_first else other, HERS, born)
        is_of(other if is_first else connection, HERS, "1984-03-09")
        keep(connection, medicine())
        keep(other, medicine())
        record = Record.objects.get(connection=connection, logical_id="m1")
        assert main(hers, "subject", "medicines").count('class="row-link"') == 1
        assert "Record of" not in main(hers, "entry", "medicines", record.pk)

    def test_are_not_one_with_a_namesake_of_another_family(self, hers, connection, other):
        is_of(other, "Wrenna Fletcher", "")
        keep(connection, medicine())
        keep(other, medicine())
        assert main(hers, "subject", "medicines").count('class="row-link"') == 2

    def test_are_one_however_providers_write_the_name(self, hers, connection, other):
        is_of(other, "WRENNA T QUILLFEATHER", "1984-03-09")
        keep(connection, medicine())
        keep(other, medicine())
        text = main(hers, "subject", "medicines")
        assert text.count('class="row-link"') == 1
        assert "(Wrenna" not in text


class TestAListOfOnePerson:
    @pytest.fixture
    def two_of_hers(self, connection, childs, alice):
        second = make_connection(alice, make_endpoint("https://third.example/r4"))
        is_of(second, HERS, "1984-03-09")
        keep(connection, result(0), allergy("a1"))
        keep(second, result(1, name="Potassium", code="2823-3"))
        keep(childs, result(2, name="Chloride", code="2075-0"))
        return second

    @pytest.mark.parametrize("there", [("subject", "results"), ("everything_by_date",), ("whole_record",)])
    def test_has_what_all_of_their_providers_sent_and_nothing_of_another(
        self, hers, sam, connection, two_of_hers, childs, there
    ):
        everybodys = main(hers, *there)
        assert f'href="?of={connection.pk}">{HERS}</a>' in everybodys
        assert f'href="?of={childs.pk}">{CHILDS}</a>' in everybodys
        for of in (connection, two_of_hers):
            text = main(hers, *there, of=of.pk)
            assert "Sodium" in text
            assert "Potassium" in text
            assert "Chloride" not in text
            assert f"({CHILDS})" not in text
            assert re.search(rf'<a class="chip on" href="(\?|{reverse(there[0], args=there[1:])})">{HERS} <span', text)
        text = main(hers, *there, of=childs.pk)
        assert "Chloride" in text
        assert "Sodium" not in text
        hers.force_login(sam)
        assert "Quillfeather" not in main(hers, *there, of=connection.pk)

    def test_keeps_the_person_where_it_is_narrowed_further(self, hers, connection, two_of_hers):
        everybodys = main(hers, "subject", "results").split('class="rows"')[0]
        assert "from=" not in everybodys  # whose, before which provider
        assert "Show only" not in everybodys
        text = main(hers, "subject", "results", of=connection.pk)
        assert f'href="?of={connection.pk}&amp;from={two_of_hers.pk}"' in text
        narrowed = main(hers, "subject", "results", of=connection.pk, **{"from": two_of_hers.pk})
        assert "Potassium" in narrowed
        assert "Sodium" not in narrowed

    def test_is_where_the_overview_of_one_leads_to(self, hers, connection, two_of_hers, childs):
        text = main(hers, "whole_record", of=childs.pk)
        assert f'href="{reverse("subject", args=["results"])}?of={childs.pk}"' in text
        assert f'href="{reverse("everything_by_date")}?of={childs.pk}"' in text
        assert "Pteridine" not in text
        assert "Pteridine" in main(hers, "whole_record", of=connection.pk)

    def test_is_not_asked_for_where_there_is_one_person(self, hers, connection, other):
        keep(connection, result(0))
        keep(other, result(1))
        for there in (("subject", "results"), ("whole_record",)):
            text = main(hers, *there, of=connection.pk)
            assert "Whose record?" not in text
            assert "Riverside Hospital" in text

    @pytest.mark.parametrize("of", ["", "x", "00000000-0000-4000-8000-000000000000"])
    def test_is_of_everybody_where_nobody_is_meant(self, hers, connection, two_of_hers, childs, of):
        text = main(hers, "subject", "results", of=of)
        assert "Sodium" in text
        assert "Chloride" in text
