"""What a search shows of things that came by several connections."""

import logging
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.records.models import Record
from apps.records.presenters import plain_names, visits
from tests.records.linked import make_connection, make_endpoint
from tests.records.pages import ask, text_of
from tests.records.people import PATIENT_ID, allergy
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db


def rows(client, words="sodium", subject="results"):
    """Of each row its text, and the numbers of the records that it leads to."""
    found = re.findall(r'<li> ?<a class="row-link".*?</a>.*?(?=<li> ?<a class="row-link"|</main)', ask(client, words))
    return [(re.sub(r"<[^>]*>", "", row), set(map(int, re.findall(rf"/{subject}/(\d+)/", row)))) for row in found]


def records(connection):
    return set(Record.objects.filter(connection=connection, resource_type="Observation").values_list("pk", flat=True))


def visit():
    """One that is called by nothing; its doctor is what finds it."""
    return {
        "resourceType": "Encounter",
        "id": "e1",
        "status": "finished",
        "class": {"code": "AMB"},
        "subject": {"reference": f"Patient/{PATIENT_ID}"},
        "period": {"start": "2024-01-05"},
        "participant": [{"individual": {"display": "Dr. Ives"}}],
    }


class TestTheSameThingFromSeveralSources:
    def test_is_one_row_that_leads_to_each_of_them(self, hers, connection, other):
        for whose in (connection, other):
            keep(whose, result(0))
        ((text, leads_to),) = rows(hers)
        assert text.count("December 31, 2024") == 2
        assert [name in text for name in ("Harbor Family Practice", "Riverside Hospital")] == [True, True]
        assert leads_to == records(connection) | records(other)

    def test_is_several_rows_where_one_of_them_sent_it_several_times(self, hers, connection, other):
        for whose, ids in ((connection, ("a", "b")), (other, ("c", "d", "e"))):
            keep(whose, *({**result(0), "id": logical_id} for logical_id in ids))
        found = rows(hers)
        assert sorted(len(leads_to) for _text, leads_to in found) == [1, 2, 2]
        assert set.union(*(leads_to for _text, leads_to in found)) == records(connection) | records(other)
        assert all(len(leads_to & records(connection)) < 2 for _text, leads_to in found)

    @pytest.mark.parametrize("theirs", [result(1), result(0, name="Sodium in urine", code="2955-3")])
    def test_is_no_other_day_and_no_other_name(self, hers, connection, other, theirs):
        keep(connection, result(0))
        keep(other, theirs)
        assert [len(leads_to) for _text, leads_to in rows(hers)] == [1, 1]

    @pytest.mark.parametrize("left_out", ["type", "date"])
    def test_is_nobodys_guess_where_a_name_or_a_date_is_lacking(self, hers, connection, other, left_out):
        told = visit() if left_out == "type" else {**visit(), "type": [{"text": "Checkup"}], "period": {}}
        for whose in (connection, other):
            keep(whose, told)
        found = rows(hers, "ives", "visits")
        assert [len(leads_to) for _text, leads_to in found] == [1, 1]
        assert all(("Visit" if left_out == "type" else "Checkup") in text for text, _leads_to in found)

    @pytest.mark.parametrize(
        ("sent", "name"),
        [
            ({"code": "AMB"}, "Visit"),
            ({"code": "IMP"}, "Hospital stay"),
            ({"code": "X9", "display": "Day clinic"}, "Day clinic"),
        ],
    )
    def test_is_called_as_its_list_calls_it(self, hers, sam, connection, sent, name):
        keep(connection, {**visit(), "class": sent}, {**visit(), "id": "e2", "class": {"code": "EMER"}})
        found = rows(hers, "ives", "visits")
        assert len(found) == 2
        assert sum(name in text for text, _leads_to in found) == 1
        assert sum("Emergency visit" in text for text, _leads_to in found) == 1
        hers.force_login(sam)
        assert rows(hers, "ives", "visits") == []

    def test_may_be_of_a_sort_that_has_the_key_of_no_name(self):
        assert {kind.value for kind in visits.Kind}.isdisjoint(name.key for name in plain_names.NAMES)

    def test_has_no_name_and_is_not_found_by_one_where_its_details_are_withheld(self, hers, connection):
        hidden = {"meta": {"security": [{"code": "masked"}]}}
        keep(connection, {**visit(), **hidden})
        assert rows(hers, "visit", "visits") == []

    def test_is_no_matter_of_a_stranger(self, hers, sam, connection):
        keep(connection, result(0))
        theirs = make_connection(sam, make_endpoint("https://third.example/r4"))
        keep(theirs, result(0))
        stranger = Client()
        stranger.force_login(sam)
        assert [leads_to for _text, leads_to in rows(hers)] == [records(connection)]
        assert [leads_to for _text, leads_to in rows(stranger)] == [records(theirs)]


class TestAnEntryThatThereIsNone:
    def nkda(self):
        nkda = {"system": "http://snomed.info/sct", "code": "409137002", "display": "NKDA"}
        return allergy("a1", code={"text": "NKDA", "coding": [nkda]})

    @pytest.mark.parametrize("words", ["nkda", "no known"])
    def test_is_found_by_either_name_and_called_as_its_list_calls_it(self, hers, sam, connection, words):
        keep(connection, self.nkda())
        ((text, _numbers),) = rows(hers, words, "allergies")
        assert "No known medicine allergies" in text
        assert "(NKDA)" in text
        hers.force_login(sam)
        assert rows(hers, words, "allergies") == []

    def test_is_found_by_the_words_of_its_reader(self, hers, connection):
        keep(connection, self.nkda())
        hers.cookies["django_language"] = "es"
        assert len(rows(hers, "sin alergias", "allergies")) == 1

    @pytest.mark.parametrize("words", ["presion arterial", "Presión", "PRESIO\u0301N"])
    def test_is_found_by_our_words_without_their_accents(self, hers, connection, words):
        keep(connection, result(0, name="BP", code="85354-9"))
        hers.cookies["django_language"] = "es"
        assert len(rows(hers, words)) == 1


class TestASearchOfBefore:
    """Its address stays in the browser's history, and what was looked for in the session."""

    FORGOTTEN = "We no longer have this search."

    def test_is_found_again_while_it_is_kept_and_said_to_be_gone_after_that(self, hers, connection):
        keep(connection, result(0))
        first = hers.post(reverse("search_record"), {"words": "sodium"})["Location"]
        assert "1 entry found" in text_of(hers.get(first))
        for nth in range(10):
            hers.post(reverse("search_record"), {"words": f"word {nth}"})
        text = text_of(hers.get(first))
        assert self.FORGOTTEN in text
        assert 'name="words"' in text

    def test_is_nothing_to_be_sorry_for_where_nothing_was_looked_for(self, hers, sam, connection):
        assert self.FORGOTTEN not in ask(hers, "")
        assert self.FORGOTTEN not in text_of(hers.get(reverse("search_record")))
        hers.force_login(sam)
        assert self.FORGOTTEN in text_of(hers.get(reverse("search_record"), {"number": "1"}))


def lists(client, words):
    """The whole lists that a search offers."""
    offered = ask(client, words).split("<main", 1)[1].partition("You may be looking for")[2].partition("</ul>")[0]
    return re.findall(r'href="/record/([a-z]+)/"', offered)


class TestTheNameOfAList:
    @pytest.mark.parametrize(
        ("words", "keys"),
        [
            ("allergies", ["allergies"]),
            ("My ALLERGY", ["allergies"]),
            ("vaccination", ["vaccines"]),
            ("medications", ["medicines"]),
            ("care", ["plans", "team"]),
            ("surgery", ["procedures"]),
            ("sodium", []),
            ("and", []),
        ],
    )
    def test_leads_to_it(self, hers, connection, words, keys):
        keep(connection, result(0))
        assert lists(hers, words) == keys

    def test_leads_to_it_in_the_language_of_the_page_without_its_accents(self, hers, connection):
        keep(connection, result(0))
        hers.cookies["django_language"] = "es"
        found = hers.post(reverse("search_record"), {"words": "Alergia"}, follow=True).content.decode()
        assert f'<a href="{reverse("subject", args=["allergies"])}">Alergias y reacciones</a>' in found.split("<h1")[1]


class TestSeveralWords:
    def test_are_found_where_they_stand_apart(self, hers, sam, connection):
        keep(connection, result(0), result(366), result(1, name="Potassium", code="2823-3"))
        assert len(rows(hers, "harbor sodium tests 2024")) == 1
        assert "No entry has all" not in ask(hers, "harbor sodium tests 2024")
        hers.force_login(sam)
        assert rows(hers, "harbor sodium tests 2024") == []

    def test_of_which_no_entry_has_all_are_told_apart(self, hers, sam, connection):
        keep(connection, result(0), result(1), result(2, name="Potassium", code="2823-3"))
        said = ask(hers, "Sódium Metformín <b>")
        assert "No entry has all of these words." in said
        assert "2 entries have “Sódium”, but not “Metformín b”." in said
        assert "entries found" not in said
        assert len(rows(hers, "Sódium Metformín")) == 2
        said = ask(hers, "potassium sodium")
        assert said.index("2 entries have “sodium”, but not “potassium”.") < said.index(
            "1 entry has “potassium”, but not “sodium”."
        )
        hers.force_login(sam)
        assert "but not" not in ask(hers, "Sódium Metformín")

    def test_that_a_later_list_has_all_of_find_nothing_of_an_earlier_one_that_has_some(self, hers, connection, other):
        keep(connection, result(0), result(1))
        keep(other, result(2, name="Sodium chloride", code="2075-0"))
        text = ask(hers, "sodium chloride")
        assert "1 entry found" in text
        assert "has “sodium”" not in text

    @pytest.mark.parametrize(
        ("words", "months"),
        [("sodium December 2024", "December"), ("sodium dec", "dec"), ("sodio diciembre", "diciembre")],
    )
    def test_of_which_one_is_a_month_find_what_the_others_do(self, hers, sam, connection, words, months):
        keep(connection, result(0))
        said = ask(hers, words)
        assert f"You can search by year, but not by month: “{months}” was left out." in said
        assert "1 entry found" in said
        assert "No entry has all" not in said  # there is one of that month
        said = ask(hers, f"{words} metformin")
        assert "but not “metformin”." in said
        assert f"“{months}” was left out." in said
        hers.force_login(sam)
        assert "entry found" not in ask(hers, words)

    def test_of_which_one_is_a_month_that_somebody_is_called_are_as_others(self, hers, connection):
        keep(connection, result(0, name="Sodium for April O'Hara"))
        assert "was left out" not in ask(hers, "sodium april")

    def test_of_which_there_are_many_entries_are_said_to_show_the_newest(self, hers, connection):
        keep(connection, *map(result, range(50)))
        assert "The newest are shown." not in ask(hers, "sodium metformin")
        keep(connection, result(50))
        assert "The newest are shown." in ask(hers, "sodium metformin")
        assert "51 entries found&nbsp;· the newest are shown" in ask(hers, "sodium")  # no line begins with the dot

    @pytest.mark.parametrize(
        "words",
        [
            "x" * 5000,
            "' OR 1=1 --",
            '"""',
            "%s %d {0}",
            "\x00\x1f2019\x1f",
            "(((",
            "\\",
            "a b c " * 40,
            "\u0301",
            "糖 尿",
        ],
    )
    def test_that_are_odd_give_a_calm_page(self, hers, connection, words):
        keep(connection, result(0))
        said = ask(hers, words)
        assert "Nothing found for" in said or "Type a word" in said or "but not" in said
        assert "1 entry found" not in said

    @pytest.mark.parametrize("words", ["sodium quillfeather", "quillfeather", "sodium"])
    def test_are_in_no_log(self, hers, connection, caplog, words):
        keep(connection, result(0))
        with caplog.at_level(logging.DEBUG):
            ask(hers, words)
        assert not re.search("sodium|quillfeather", caplog.text, re.IGNORECASE)

    def test_take_few_queries(self, hers, connection, other, django_assert_max_num_queries):
        keep(connection, *map(result, range(60)))
        keep(other, *map(result, range(60)))
        for words in ("sodium", "harbor sodium tests 2024", "sodium metformin"):
            found = hers.post(reverse("search_record"), {"words": words})["Location"]
            with django_assert_max_num_queries(10):
                hers.get(found)


class TestAWordThatIsTrueOfMuch:
    @pytest.mark.parametrize(
        ("words", "leads_to", "said"),
        [
            ("2024", "?year=2024", "Everything by date, 2024"),
            ("harbor practice", "?from=", "Everything by date, Harbor Family Practice"),
        ],
    )
    def test_leads_to_all_of_it_and_to_nothing_of_others(self, hers, sam, connection, other, words, leads_to, said):
        keep(connection, result(0))
        keep(other, result(400))
        found = ask(hers, words)
        assert f'href="{reverse("everything_by_date")}{leads_to}' in found.split("<h1")[1]
        assert said in found
        assert f"No single entry is called “{words}”." in found
        assert "Everything by date, Riverside" not in found
        (address,) = re.findall(rf'href="({reverse("everything_by_date")}\?[^"]*)"', found)
        assert "1 entry" in text_of(hers.get(address))
        hers.force_login(sam)
        assert said not in ask(hers, words)

    def test_leads_to_its_year_where_a_day_is_a_number_of_something_else(self, hers, connection):
        keep(connection, result(0, name="Vitamin B 12"))
        found = ask(hers, "june 12 2024")
        assert "You can search by year, but not by month: “june” was left out." in found
        assert f'href="{reverse("everything_by_date")}?year=2024"' in found

    @pytest.mark.parametrize("words", ["sodium 2024", "harbor sodium", "harbor sodium 2024"])
    def test_leads_to_none_of_it_where_an_entry_has_every_word(self, hers, connection, words):
        keep(connection, result(0))
        found = ask(hers, words)
        assert "1 entry found" in found
        assert "You may be looking for" not in found

    def test_leads_to_no_year_without_entries(self, hers, connection):
        keep(connection, result(0))
        assert "Nothing found for “2019” in 1 entry." in ask(hers, "2019")


class TestWhatAWordAlsoMeans:
    """Only what is among what was found is said to be shown as well."""

    def test_is_told_where_it_is_shown(self, hers, connection):
        keep(connection, result(0, name="Lipid panel", code="57698-3"))
        assert re.search("Also showing [^.]*lipids[^.]* for “cholesterol”", ask(hers, "cholesterol"))

    def test_is_not_told_where_only_a_longer_word_holds_it(self, hers, connection):
        flu_vaccine = {
            "resourceType": "Immunization",
            "id": "i1",
            "status": "completed",
            "patient": {"reference": f"Patient/{PATIENT_ID}"},
            "vaccineCode": {"coding": [{"system": "http://hl7.org/fhir/sid/cvx", "code": "140"}]},
            "occurrenceDateTime": "2024-10-01",
        }
        keep(connection, flu_vaccine)
        said = ask(hers, "flu")
        assert "1 entry found" in said
        assert "Also showing" not in said  # reflux


class TestASearchForNothing:
    @pytest.mark.parametrize("words", ["", "   ", "\u200b", "... ?!"])
    def test_says_what_to_type(self, hers, connection, words):
        assert "Type a word to look for" in ask(hers, words)

    def test_is_not_what_somebody_did_who_just_came(self, hers, connection):
        assert "Type a word to look for" not in text_of(hers.get(reverse("search_record")))


class TestARecordThatIsStillArriving:
    SAID = "We have not finished copying this record: entries may be missing."

    def test_is_said_to_be_wherever_it_is_searched(self, hers, connection, other):
        connection.last_checked_at = timezone.now()
        connection.save()
        keep(other, result(0))
        for said in (
            ask(hers, "sodium"),
            ask(hers, "nothing of the kind"),
            text_of(hers.get(reverse("search_record"))),
        ):
            assert said.count(self.SAID) == 1
            assert f'href="{reverse("record", args=[other.pk])}"' in said
        other.last_checked_at = timezone.now()
        other.save()
        assert self.SAID not in ask(hers, "sodium")

    def test_has_nothing_to_search_at_first(self, hers, connection):
        said = ask(hers, "sodium")
        assert "There are no entries to search yet." in said
        assert "0 entries" not in said

    def test_begins_with_a_provider(self, hers):
        said = ask(hers, "sodium")
        assert "Your record starts when you connect your first provider." in said
        assert "Nothing found" not in said
