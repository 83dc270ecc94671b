"""A page to read that is limited to some subjects, or to recent entries."""

import re
from datetime import date

import pytest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from msgspec.structs import asdict

from apps.connections.authorization_responses import candidates
from apps.connections.authorization_responses.candidates import Candidate
from apps.records.exporting import choosing, portions, summaries
from apps.records.exporting.pdf import making
from apps.records.exporting.portions import WHOLE, Portion, Span
from apps.records.models import Shelf
from apps.records.presenters.datatypes import moments
from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.entry import Entry
from apps.records.subjects import DOCUMENTS, LISTED, MEDICINES, PROCEDURES, RESULTS, VISITS, VITALS
from tests.fixtures.cast import PASSWORD
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.people import allergy
from tests.records.shelved import keep, order, result

pytestmark = pytest.mark.django_db

SINCE = date(2024, 12, 30)
EVERYTHING = [subject.key for subject in LISTED]


def told(user, portion):
    """What the page has, by subject."""
    summary = summaries.summary(choosing.choices(user, at=AT), at=AT, portion=portion)
    return summary, {each.name: [row.when for group in each.groups for row in group.rows] for each in summary.lists}


def text(response):
    return re.sub(r"\s+", " ", response.content.decode())


def event(**when):
    return Entry(when=When(**when))


class TestAPortion:
    @pytest.mark.parametrize(
        ("span", "day", "since"),
        [
            (Span.ALL, date(2026, 5, 31), None),
            (Span.THREE_MONTHS, date(2026, 5, 31), date(2026, 2, 28)),
            (Span.YEAR, date(2024, 2, 29), date(2023, 2, 28)),
            (Span.FIVE_YEARS, date(2026, 1, 1), date(2021, 1, 1)),
        ],
    )
    def test_begins_on_the_same_day_or_the_last_one_of_that_month(self, span, day, since):
        assert portions.since(span, today=day) == since

    @pytest.mark.parametrize(
        ("when", "is_held"),
        [
            ({"starts": "2024-12-30"}, True),
            ({"starts": "2024-12-29"}, False),
            ({"starts": "2024"}, True),  # may have been on its last day
            ({"starts": "2024-11"}, False),
            ({"starts": "2024-11-01", "ends": "2025-01-02"}, True),
            ({"starts": "2019-11-01", "is_open": True}, True),
            ({"text": "last spring"}, False),
            ({"starts": "2025-01-02", "ends": "2015-01-03"}, True),  # an end that cannot be
            (asdict(moments.of_period({"start": "2025-01-02", "end": "soon"}, means="seen")), True),
            (asdict(moments.of_period({"start": "2019-01-02", "end": "soon"}, means="seen")), False),
            ({"age_from": 50.0, "sorts_at": "2024-06-01T00:00:00+00:00/3"}, True),  # until the birthday after
            ({"age_from": 50.0, "sorts_at": "2023-06-01T00:00:00+00:00/3"}, False),
            ({"age_from": 48.0, "age_to": 50.0, "sorts_at": "2022-06-01T00:00:00+00:00/3"}, True),
            ({"age_from": 48.0, "age_to": 1e300, "sorts_at": "9990-06-01T00:00:00+00:00/3"}, True),
        ],
    )
    def test_holds_what_may_have_been_since_and_what_goes_on(self, when, is_held):
        portion = Portion(WHOLE.subjects, SINCE)
        assert portion.holds(VISITS, event(**when)) is is_held
        assert portion.holds(MEDICINES, event(**when))

    @pytest.mark.parametrize(
        ("zone", "sent", "is_held"),
        [
            ("Pacific/Auckland", "2024-12-29T14:00:00Z", True),
            ("America/Los_Angeles", "2024-12-30T02:00:00Z", False),
            ("America/Los_Angeles", "2024-12-30T00:00:00Z", True),  # a date, as midnight is
            ("America/Los_Angeles", "2024-12-30T02:00:00+13:00", True),
        ],
    )
    def test_begins_with_the_day_that_the_page_tells(self, zone, sent, is_held):
        with timezone.override(zone):
            assert Portion(WHOLE.subjects, SINCE).holds(RESULTS, event(starts=sent)) is is_held

    def test_limits_nothing_that_holds_on(self):
        portion = Portion(WHOLE.subjects, SINCE)
        assert {subject for subject in LISTED if portion.limits(subject)} == {RESULTS, VITALS, VISITS, DOCUMENTS}
        assert portion.holds(PROCEDURES, event(starts="1998-05-06"))  # a surgery matters for a whole life
        assert not WHOLE.limits(RESULTS)
        assert WHOLE.is_whole
        assert not portion.is_whole


class TestThePage:
    @pytest.fixture
    def kept(self, connection):
        undated = result(9)
        del undated["effectiveDateTime"]
        old = order("m1", on="2011-01-05")
        keep(connection, *(result(number) for number in range(4)), undated, old, allergy("a1"))

    @pytest.mark.parametrize("has_shelves", [True, False])
    def test_has_late_results_and_old_medicines(self, alice, kept, has_shelves):
        if not has_shelves:
            Shelf.objects.all().delete()
        summary, lists = told(alice, Portion(WHOLE.subjects, SINCE))
        assert lists["Results"] == ["December 31, 2024", "December 30, 2024"]
        assert lists["Medicines"] == ["January 5, 2011"]
        assert next(each.count for each in summary.lists if each.name == "Results") == 2
        assert summary.undated == 1

    @pytest.mark.parametrize("has_shelves", [True, False])
    def test_of_one_subject_has_no_other_and_no_other_s_gaps(self, alice, kept, has_shelves):
        if not has_shelves:
            Shelf.objects.all().delete()
        summary, lists = told(alice, Portion(frozenset({RESULTS.key})))
        assert list(lists) == ["Results"]
        assert len(lists["Results"]) == 5
        assert {one.subject for choice in summary.choices for one in choice.gaps.missing} <= {"Results"}

    @pytest.mark.parametrize(
        ("portion", "said"),
        [
            (WHOLE, "Nothing is missing, as far as we know."),
            (Portion(frozenset({RESULTS.key})), "Nothing is missing from this part, as far as we know."),
        ],
    )
    def test_does_not_say_of_a_part_that_nothing_of_the_record_is_missing(self, portion, said):
        summary = summaries.Summary("", "", (), (), (), (), (), portion)
        text = render_to_string("records/exporting/summary_missing.html", {"summary": summary})
        assert re.findall(r"[NO][^<>]*as far as we know\.", text) == [said]

    def test_that_is_whole_is_as_it_was(self, alice, kept):
        summary, lists = told(alice, WHOLE)
        assert len(lists["Results"]) == 5
        assert summary.undated == 0
        assert list(lists) == [str(subject.name) for subject in summaries._ORDERED]


class TestTheForm:
    @pytest.fixture
    def address(self):
        return reverse("download_copy")

    @pytest.fixture
    def hers(self, hers, connection):
        hers.post(reverse("account_reauthenticate"), {"password": PASSWORD})
        keep(connection, *(result(number) for number in range(4)), order("m1", on="2011-01-05"))
        return hers

    def sent(self, connection, **changes):
        whole = {"sources": [str(connection.pk)], "format": "summary", "subjects": EVERYTHING, "span": "all"}
        return {**whole, **changes}

    def test_of_a_list_has_its_subject_ticked_and_stands_open(self, hers, address):
        assert f'{address}?only=results"' in text(hers.get(reverse("subject", args=["results"])))
        said = text(hers.get(f"{address}?only=results"))
        assert re.findall(r'name="subjects" value="(\w+)"[^>]* checked', said) == ["results"]
        to_read = "pdf" if making.is_here() else "summary"
        assert re.search(rf'value="{to_read}"[^>]* checked', said)
        assert re.search(r"<details[^>]* open", said)

    def test_of_a_list_of_one_provider_has_that_record_alone_ticked(self, hers, sam, connection, address):
        other = make_connection(connection.user, make_endpoint("https://other.example/r4"))
        keep(other, result(0))
        there = {"results": f"?only=results&amp;from={other.pk}", "": f"?from={other.pk}"}
        for key, query in there.items():
            listed = reverse("subject", args=[key]) if key else reverse("everything_by_date")
            assert f'{address}{query}"' in text(hers.get(listed, {"from": other.pk}))
        both = {str(connection.pk), str(other.pk)}
        theirs = make_connection(sam, make_endpoint("https://third.example/r4"))
        for asked, ticked in ((other.pk, {str(other.pk)}), (theirs.pk, both), ("x", both), ("", both)):
            said = text(hers.get(address, {"only": "results", "from": asked}))
            assert set(re.findall(r'name="sources" value="([^"]*)"[^>]* checked', said)) == ticked

    def test_of_a_list_of_one_person_has_all_their_records_ticked(self, hers, connection, address):
        second = make_connection(connection.user, make_endpoint("https://second.example/r4"))
        childs = make_connection(connection.user, make_endpoint("https://other.example/r4"))
        childs.sealed_person = candidates.seal_person(childs, Candidate("p-1", "Milo Quillfeather", "2019-01-02"))
        childs.save()
        keep(childs, result(0))
        listed = text(hers.get(reverse("subject", args=["results"]), {"of": childs.pk}))
        assert f'{address}?only=results&amp;of={childs.pk}"' in listed
        for of, ticked in (
            (second.pk, {str(connection.pk), str(second.pk)}),
            (childs.pk, {str(childs.pk)}),
            ("x", set()),
        ):
            said = text(hers.get(address, {"only": "results", "of": of}))
            assert set(re.findall(r'name="sources" value="([^"]*)"[^>]* checked', said)) == ticked

    @pytest.mark.parametrize("query", ["", "?only=everything", "?only="])
    def test_has_every_subject_ticked_otherwise(self, hers, address, query):
        said = text(hers.get(f"{address}{query}"))
        assert re.findall(r'name="subjects" value="(\w+)"[^>]* checked', said) == EVERYTHING
        assert not re.search(r"<details[^>]* open", said)

    def test_gives_a_part_that_says_what_it_leaves_out(self, hers, connection, address):
        said = text(hers.post(address, self.sent(connection, subjects=["results", "vitals"], span="5-years")))
        assert "This page has only a part of the record." in said
        assert "It has: Results, Vitals." in said
        assert "on: Results, Vitals." in said
        assert "Lisinopril" not in said

    def test_names_what_is_left_out_where_that_is_less(self, hers, connection, address):
        most = [key for key in EVERYTHING if key not in {"medicines", "allergies"}]
        said = text(hers.post(address, self.sent(connection, subjects=most)))
        assert "Left out: Allergies and reactions, Medicines." in said

    def test_gives_a_whole_page_that_says_nothing_of_parts(self, hers, connection, address):
        for sent in (self.sent(connection), {"sources": [str(connection.pk)], "format": "summary"}):
            said = text(hers.post(address, sent))
            assert "only a part of the record" not in said
            assert "Lisinopril" in said

    @pytest.mark.parametrize("what", ["ips", "bundle", "ndjson"])
    @pytest.mark.parametrize("changes", [{"subjects": ["results"]}, {"span": "1-year"}])
    def test_leaves_nothing_out_of_other_copies_unsaid(self, hers, connection, address, what, changes):
        response = hers.post(address, self.sent(connection, format=what, **changes))
        assert response.status_code == 422
        assert "Only a format that is for reading can hold just a part of the record." in text(response)
        assert re.search(r"<details[^>]* open", text(response))

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"subjects": []}, "Choose at least one kind of entry."),
            ({"subjects": ["x"]}, "One of these kinds does not exist."),
            ({"span": "9"}, "Choose how far back."),
        ],
    )
    def test_says_what_is_odd_about_it(self, hers, connection, address, changes, said):
        response = hers.post(address, self.sent(connection, **changes))
        assert response.status_code == 422
        assert said in text(response)

    def test_gives_no_part_to_a_stranger(self, client, sam, hers, connection, address):
        client.force_login(sam)
        client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
        response = client.post(address, self.sent(connection, subjects=["results"]))
        assert response.status_code == 422
        assert "Sodium" not in text(response)


def test_moments_say_where_an_open_period_goes_on():
    """What a portion relies on to keep a stay that has not ended."""
    assert moments.of_period({"start": "2019-01-02"}, means="seen").is_open
    assert not moments.of_period({"start": "2019-01-02", "end": "2019-01-03"}, means="seen").is_open
