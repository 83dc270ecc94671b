"""The pages of the whole record: subjects, lists, entries, everything by date, and search."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from apps.audit.models import AuditEvent, EventType
from apps.connections.models import Connection
from apps.records import shelving
from apps.records.models import Leaf, Record, RecordVersion, Shelf
from apps.records.shelving import writing
from apps.records.subjects import LISTED, shelved_for
from apps.records.viewing import as_sent, entries
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.pages import ask, main, page
from tests.records.people import allergy
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db

LISTS = ["whole_record", "everything_by_date", "search_record", "what_is_new"]


def entry_of(logical_id):
    return Record.objects.get(logical_id=logical_id)


class TestYourRecord:
    def test_leads_to_every_subject_which_home_counts(self, hers, sam, connection):
        keep(connection, result(0), result(1), allergy("a1"))
        Connection.objects.update(last_checked_at=AT)
        counted = "<span>2 entries</span> <span><span>· </span>newest December 31, 2024</span>"
        assert counted in page(hers, "home")
        text = main(hers, "whole_record")
        assert counted not in text
        for subject in LISTED:
            assert f'<a href="{reverse("subject", args=[subject.key])}">{subject.name}</a>' in text
        hers.force_login(sam)
        assert "entries" not in main(hers, "home")

    def test_of_nobody_linked_says_how_to_begin(self, hers):
        assert "Your record starts when you connect your first provider." in page(hers, "whole_record")


class TestAList:
    def test_shows_what_matters_of_each_entry(self, hers, connection):
        high = {**result(0, value=152.0), "interpretation": [{"coding": [{"code": "H"}]}]}
        keep(connection, high)
        text = page(hers, "subject", "results")
        for said in ("152.0 mmol/L", "Above the usual range", "Collected December 31, 2024", "Harbor Family Practice"):
            assert said in text

    def test_has_fifty_rows_a_page(self, hers, connection):
        keep(connection, *(result(number) for number in range(60)))
        first, second = page(hers, "subject", "results"), page(hers, "subject", "results", page=2)
        assert (first.count('class="row-link"'), second.count('class="row-link"')) == (50, 10)
        assert "60 entries, newest first" in first
        assert "Page 2 of 2" in second

    def test_of_a_year_shows_that_year_alone(self, hers, connection):
        keep(connection, *(result(number) for number in range(350, 390)))
        text = page(hers, "subject", "results", year="2023")
        assert text.count('class="row-link"') == 24
        assert "2024" not in re.sub(r"<nav.*?</nav>", "", text).split("<h1>")[1].split("Something missing")[0]

    def test_of_one_provider_leaves_out_the_others(self, hers, connection, other):
        keep(connection, result(0))
        keep(other, result(1, name="Potassium", code="2823-3"))
        text = page(hers, "subject", "results", **{"from": str(other.pk)})
        assert "Potassium" in text
        assert "Sodium" not in text

    def test_of_two_providers_has_one_row_for_the_very_same(self, hers, connection, other):
        keep(connection, result(0), result(1))
        keep(other, result(0), result(1, value=6.2))
        text = page(hers, "subject", "results")
        assert text.count('class="row-link"') == 3
        assert "From Harbor Family Practice and Riverside Hospital" in text

    def test_counts_what_was_withdrawn(self, hers, connection):
        keep(connection, result(0), {**result(1, name="Mistake"), "status": "entered-in-error"})
        text = page(hers, "subject", "results")
        assert "1 entry was withdrawn by Harbor Family Practice." in text
        assert "Mistake" not in text

    def test_counts_what_is_hidden(self, hers, connection):
        keep(connection, result(0), {"resourceType": "Observation", "id": "o9", "status": "final"})
        text = page(hers, "subject", "results")
        assert "1 entry is here without details. Harbor Family Practice hides them." in text
        keep(connection, result(0), result(9))
        assert "without details" not in page(hers, "subject", "results")

    def test_of_nothing_says_why(self, hers, connection):
        keep(connection)
        assert "Not fetched yet from Harbor Family Practice." in page(hers, "subject", "allergies")

    def test_is_current_before_past_and_by_name(self, hers, connection):
        past, now = ({"clinicalStatus": {"coding": [{"code": code}]}} for code in ("resolved", "active"))
        keep(
            connection,
            {**allergy("a1"), **past, "code": {"text": "Almonds"}},
            {**allergy("a2"), **now, "code": {"text": "Wasps"}},
            {**allergy("a3"), **now, "code": {"text": "Bees"}},
        )
        text = page(hers, "subject", "allergies")
        places = [text.index(said) for said in ("Bees", "Wasps", ">Past<", "Almonds")]
        assert places == sorted(places)

    def test_that_does_not_open_says_so(self, hers, connection):
        keep(connection, result(0))
        Leaf.objects.update(sealed_rows=b"\x03" + bytes(80))
        assert "We cannot open this right now" in page(hers, "subject", "results")
        Shelf.objects.update(sealed_index=b"\x03" + bytes(80))
        assert "We cannot open this right now" in page(hers, "subject", "results")

    def test_shows_no_markup_of_a_provider(self, hers, connection):
        keep(connection, result(0, name="<script>alert(1)</script>"))
        assert "<script>alert" not in page(hers, "subject", "results")

    @pytest.mark.parametrize("query", [{"page": "9" * 5}, {"page": "-1"}, {"year": "abcd"}, {"from": "x"}, {"by": "?"}])
    def test_makes_the_best_of_an_odd_address(self, hers, connection, query):
        keep(connection, result(0))
        assert "Sodium" in page(hers, "subject", "results", **query)


class TestAnEntry:
    def test_says_its_facts_its_source_and_the_providers_words(self, hers, connection):
        keep(connection, {**result(0), "note": [{"text": "Drink more water."}]})
        text = page(hers, "entry", "results", entry_of("o0").pk)
        for said in ("Sodium", "5.1 mmol/L", "December 31, 2024", "Drink more water.", "From Harbor Family Practice"):
            assert said in text

    def test_shows_earlier_versions(self, hers, connection):
        keep(connection, result(0, value=5.1))
        keep(connection, result(0, value=7.4))
        text = page(hers, "entry", "results", entry_of("o0").pk)
        assert text.index("7.4 mmol/L") < text.index("Earlier versions") < text.index("5.1 mmol/L")

    def test_says_how_many_versions_it_leaves_out_and_shows_all_when_asked(self, hers, connection, sam, monkeypatch):
        monkeypatch.setattr(entries, "_MOST_VERSIONS", 2)
        for value in (5.1, 6.2, 7.4, 8.3):
            keep(connection, result(0, value=value))
        there = reverse("entry", args=["results", entry_of("o0").pk])
        text = page(hers, "entry", "results", entry_of("o0").pk)
        assert "1 older version is not shown here." in text
        assert "5.1 mmol/L" not in text
        assert 'href="?versions=all#earlier"' in text
        every = page(hers, "entry", "results", entry_of("o0").pk, versions="all")
        assert "5.1 mmol/L" in every
        assert "not shown here" not in every
        hers.force_login(sam)
        assert hers.get(there, {"versions": "all"}).status_code == 404

    def test_leaves_out_no_version_where_all_are_there(self, hers, connection, monkeypatch):
        monkeypatch.setattr(entries, "_MOST_VERSIONS", 2)
        for value in (5.1, 6.2, 7.4):
            keep(connection, result(0, value=value))
        assert "not shown here" not in page(hers, "entry", "results", entry_of("o0").pk)

    def test_shows_what_it_says_where_an_earlier_version_does_not_open_and_that_there_is_one(self, hers, connection):
        for value in (5.1, 6.2, 7.4):
            keep(connection, result(0, value=value))
        spoiled = RecordVersion.objects.order_by("pk")[0]
        RecordVersion.objects.filter(pk=spoiled.pk).update(sealed_body=b"\x03" + bytes(80))
        text = page(hers, "entry", "results", entry_of("o0").pk)
        assert text.index("7.4 mmol/L") < text.index("Earlier versions") < text.index("6.2 mmol/L")
        assert text.count("We cannot show this version right now.") == 1
        RecordVersion.objects.update(sealed_body=b"\x03" + bytes(80))
        text = page(hers, "entry", "results", entry_of("o0").pk)
        assert text.index("Earlier versions") < text.index("We cannot show this version right now.")
        assert text.count("We cannot show this version right now.") == 2

    def test_recorded_by_mistake_says_nothing_else(self, hers, connection):
        keep(connection, {**result(0, name="Mistake"), "status": "entered-in-error"})
        text = page(hers, "entry", "results", entry_of("o0").pk)
        assert "marked this as recorded by mistake" in text
        assert "Mistake" not in text
        assert "5.1" not in text

    def test_is_there_as_the_provider_sent_it(self, hers, connection):
        keep(connection, result(0, value=5.10))
        assert "&quot;logicalId&quot;" not in page(hers, "entry_as_sent", "results", entry_of("o0").pk)
        assert "&quot;value&quot;: 5.1" in page(hers, "entry_as_sent", "results", entry_of("o0").pk)

    @pytest.mark.parametrize("bracket", ["", "]" * 50])
    def test_nested_to_hurt_is_shown_as_it_stands(self, hers, connection, bracket):
        deep: list[object] = []
        for _layer in range(50):
            deep = [bracket, deep]
        keep(connection, {**result(0), "deep": deep})
        text = page(hers, "entry_as_sent", "results", entry_of("o0").pk)
        assert f"[{json.dumps(bracket)}, [".replace('"', "&quot;") in text

    def test_longer_than_a_page_is_shown_as_far_as_it_fits(self, hers, connection):
        keep(connection, {**result(0), "note": [{"text": "x" * as_sent.MOST_BYTES}]})
        text = page(hers, "entry_as_sent", "results", entry_of("o0").pk)
        assert "{&quot;resourceType&quot;: " in text
        assert as_sent.MOST_BYTES < len(text) < as_sent.MOST_BYTES + 20_000

    def test_leads_to_each_file_that_can_be_fetched(self, hers, connection):
        letter = {"title": "Letter", "contentType": "application/pdf", "url": "Binary/1"}
        nothing = {"title": "Lost", "contentType": "application/pdf"}
        content = [{"attachment": nothing}, {"attachment": letter}]
        keep(connection, {"resourceType": "DocumentReference", "id": "d1", "status": "current", "content": content})
        record = entry_of("d1")
        text = page(hers, "entry", "documents", record.pk)
        assert "Letter" in text
        assert re.findall(rf"/record/files/{record.pk}/\d+/", text) == [reverse("file", args=[record.pk, 0])]

    def test_that_does_not_open_says_so(self, hers, connection):
        keep(connection, result(0))
        Record.objects.update(sealed_body=b"\x03" + bytes(80))
        text = page(hers, "entry", "results", entry_of("o0").pk)
        assert "We could not open this entry" in text
        assert f'href="{reverse("entry", args=["results", entry_of("o0").pk])}">Try again</a>' in text
        assert f'href="{reverse("subject", args=["results"])}">Back to the list</a>' in text
        assert "We cannot open this right now" in page(hers, "entry_as_sent", "results", entry_of("o0").pk)


class TestEverythingByDate:
    def test_has_all_subjects_newest_first(self, hers, connection):
        keep(
            connection, result(5), allergy("a1", recordedDate="2024-12-30"), result(0, name="Potassium", code="2823-3")
        )
        text = page(hers, "everything_by_date").split("<h1>")[1]
        places = [text.index(said) for said in ("Potassium", "Pteridine", "Sodium")]
        assert places == sorted(places)

    def test_lets_its_reader_go_on_from_what_a_filter_left(self, hers, sam, connection):
        keep(connection, result(1))
        texts = [page(hers, "subject", "results", year=year) for year in ("", "2024")]
        assert ["autofocus" in text for text in texts] == [False, True]

    def test_is_narrowed_to_one_subject_by_a_link_that_keeps_the_rest(self, hers, sam, connection):
        keep(connection, *(result(number) for number in range(60)), allergy("a1", recordedDate="2024-12-30"))
        text = page(hers, "everything_by_date", year="2024")
        assert '<a class="chip" href="?year=2024&amp;subject=results">Results</a>' in text
        text = page(hers, "everything_by_date", year="2024", subject="results")
        assert '<a class="chip on" href="?year=2024">Results <span' in text
        assert 'href="?year=2024&amp;subject=results&amp;page=2">Next 10</a>' in text
        assert f'href="{reverse("download_copy")}?only=results"' in text
        assert re.search(r"autofocus>\s*60 entries, newest first", text)
        assert "Only a part of this list:</strong> 2024 · Results" in text
        assert "Pteridine" not in text
        assert ">Results</span>" not in text  # which each row said beside its name, of several subjects
        assert ">Results</span>" in page(hers, "everything_by_date", year="2024")
        assert "Sodium" not in page(hers, "everything_by_date", subject="allergies")
        hers.force_login(sam)
        assert "Sodium" not in page(hers, "everything_by_date", subject="results")

    @pytest.mark.parametrize("subject", ["", "x", "patient", '"><b>', "results\x00"])
    def test_minds_no_subject_that_is_none(self, hers, connection, subject):
        keep(connection, result(0), allergy("a1"))
        text = page(hers, "everything_by_date", subject=subject)
        assert "Sodium" in text
        assert "Pteridine" in text

    def test_of_one_subject_takes_at_most_twelve_queries(self, hers, connection, other, django_assert_max_num_queries):
        for whose in (connection, other):
            keep(whose, *(result(number) for number in range(60)), allergy("a1"))
        hers.get(reverse("whole_record"))
        with django_assert_max_num_queries(12):
            hers.get(reverse("everything_by_date"), {"subject": "results", "page": 2})


class TestSearch:
    def test_finds_entries_by_subject(self, hers, connection):
        keep(connection, result(0), allergy("a1"))
        text = ask(hers, "pteri")
        assert "1 entry found" in text
        assert reverse("entry", args=["allergies", entry_of("a1").pk]) in text

    def test_says_so_where_nothing_is_found(self, hers, connection):
        keep(connection, result(0))
        assert "Nothing found for “zebra” in 1 entry." in ask(hers, "zebra")

    def test_says_that_the_record_is_prepared_anew_where_its_leaves_are_still_to_come(self, hers, connection):
        """As long as shelves are of a build whose leaves nobody has: read again, they still are."""
        keep(connection, result(0))
        Leaf.objects.all().delete()
        text = ask(hers, "sodium")
        assert "Your record is being prepared again" in text
        assert "Nothing found" not in text

    def test_says_it_where_an_earlier_release_built_the_shelves(self, hers, connection, monkeypatch):
        monkeypatch.setattr(writing.Writing, "write_words", lambda _writing, _rows: {})
        keep(connection, result(0))
        monkeypatch.undo()
        assert "Your record is being prepared again" in ask(hers, "sodium")
        of_results = {subject.key for subject in shelved_for("Observation")}
        assert shelving.unreadable(connection) == of_results  # the next copy builds them
        shelving.rebuild_all(connection, at=AT)
        assert not shelving.unreadable(connection)
        assert "1 entry found" in ask(hers, "sodium")

    def test_takes_few_queries_however_many_providers(
        self, hers, alice, connection, other, django_assert_max_num_queries
    ):
        third = make_connection(alice, make_endpoint("https://third.example/r4"))
        for whose in (connection, other, third):
            keep(whose, *(result(number) for number in range(60)), allergy("a1"))
        ask(hers, "sodium")  # written down once a day
        with django_assert_max_num_queries(12):
            assert "180 entries found" in ask(hers, "sodium")

    def test_leaves_no_word_in_an_address(self, hers, connection):
        keep(connection, result(0))
        assert "Nothing found" not in page(hers, "search_record", words="sodium")
        for words in ("sodium", "zebra"):
            answer = hers.post(reverse("search_record"), {"words": words})
            assert answer.status_code == 303
            assert words not in answer["Location"]

    def test_is_there_again_when_she_goes_back_to_it(self, hers, connection):
        keep(connection, result(0))
        places = [hers.post(reverse("search_record"), {"words": words})["Location"] for words in ("sodium", "zebra")]
        assert "1 entry found" in hers.get(places[0]).content.decode()
        assert "“zebra”" in hers.get(places[1]).content.decode()
        for number in range(10):
            hers.post(reverse("search_record"), {"words": f"word {number}"})
        assert "sodium" not in hers.get(places[0]).content.decode()  # kept no more: an empty box

    def test_of_hers_is_shown_to_nobody_else(self, hers, sam, connection):
        keep(connection, result(0))
        place = hers.post(reverse("search_record"), {"words": "sodium"})["Location"]
        stranger = Client()
        stranger.force_login(sam)
        assert "sodium" not in stranger.get(place).content.decode()
        assert "sodium" in hers.get(place).content.decode()


class TestEveryPage:
    def addresses(self):
        record = entry_of("o0")
        return [
            *(reverse(name) for name in LISTS),
            *(reverse("subject", args=[subject.key]) for subject in LISTED),
            reverse("entry", args=["results", record.pk]),
            reverse("entry_as_sent", args=["results", record.pk]),
            reverse("over_time", args=["results", record.pk]),
        ]

    def test_shows_nothing_to_a_stranger(self, client, sam, connection):
        keep(connection, result(0), allergy("a1"))
        client.force_login(sam)
        for address in self.addresses():
            response = client.get(address)
            assert response.status_code == (404 if f"/{entry_of('o0').pk}/" in address else 200)
            assert not [said for said in ("Sodium", "Pteridine", "Harbor") if said in response.content.decode()]
        found = ask(client, "sodium")
        assert "1 entry found" not in found
        assert "Harbor" not in found

    def test_asks_whoever_is_signed_out_to_sign_in(self, client, connection):
        keep(connection, result(0))
        for address in self.addresses():
            response = client.get(address)
            assert response["Location"] == f"{reverse('account_login')}?next={address}"

    def test_stays_in_no_cache_and_says_nothing_in_its_title(self, hers, connection):
        keep(connection, result(0), allergy("a1"))
        for address in self.addresses():
            response = hers.get(address)
            assert "no-store" in response["Cache-Control"]
            title = re.search(r"<title>(.*?)</title>", response.content.decode(), re.DOTALL)
            assert title
            assert not [said for said in ("Sodium", "Pteridine", "Harbor") if said in title[1] + address]

    def test_takes_at_most_twelve_queries(self, hers, connection, other, django_assert_max_num_queries):
        keep(connection, *(result(number) for number in range(120)), allergy("a1"))
        keep(other, *(result(number) for number in range(1, 120)))
        hers.get(reverse("whole_record"))
        for address in self.addresses():
            with django_assert_max_num_queries(12):
                hers.get(address)

    def test_is_written_down_once_a_day_and_session(self, hers, connection, other):
        keep(connection, result(0))
        for address in self.addresses():
            hers.get(address)
        seen = AuditEvent.objects.filter(event=EventType.RECORD_VIEWED).values_list("subject_id", flat=True)
        assert sorted(seen) == sorted((str(connection.pk), str(other.pk)))


class TestARecordOfNobody:
    """Before the first provider is connected."""

    PAGES = [("whole_record", ()), ("subject", ("allergies",)), ("subject", ("results",)), ("everything_by_date", ())]

    @pytest.mark.parametrize(("name", "args"), PAGES)
    def test_says_how_it_begins_and_nothing_else(self, client, sam, connection, name, args):
        keep(connection, result(0))  # a stranger's
        client.force_login(sam)
        text = client.get(reverse(name, args=args)).content.decode()
        assert text.count("There is nothing here yet. Your record starts when you connect your first provider.") == 1
        assert text.count(f'href="{reverse("find-provider")}">Connect a provider') == 1
        assert not [said for said in ("Something missing or wrong", "0 entries", ">Print<", "Sodium") if said in text]
