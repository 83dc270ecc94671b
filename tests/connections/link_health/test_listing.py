"""Operators find links by the criteria they give, in the order of their ids."""

import uuid

import pytest
from django.db import connection

from apps.connections.link_health import listing
from apps.connections.link_health.listing import Wanted
from apps.directory.models import Provider
from tests.connections.link_rows import HOUR, NOW


def ids(*, most=None, **wanted):
    return [one.id for one in listing.listed(Wanted(**wanted), at=NOW, most=most)]


class TestAListing:
    def test_is_of_all_in_the_order_of_their_ids_where_nothing_is_asked(self, make_link):
        links = [make_link() for _ in range(5)]
        assert ids() == sorted(link.pk for link in links)

    def test_goes_on_where_another_ended(self, make_link):
        links = sorted(make_link().pk for _ in range(5))
        assert ids(most=2) == links[:2]
        assert ids(after=links[1], most=2) == links[2:4]

    @pytest.mark.parametrize(
        ("asked", "columns"),
        [
            ("status", {"status": "needs_reauthorization"}),
            ("reason", {"status": "needs_reauthorization", "reason": "window_over"}),
        ],
    )
    def test_is_of_those_with_the_value_asked_for(self, asked, columns, make_link):
        make_link()
        one = make_link(**columns)
        assert ids(**{asked: columns[asked]}) == [one.pk]

    def test_is_of_one_registration_one_provider_or_one_user(self, make_link, make_registration, sam):
        make_link()
        elsewhere = Provider.objects.create(directory="tests", directory_id="b", name="Bay", imported_at=NOW)
        one = make_link(make_registration("Another"), provider=elsewhere, user=sam)
        assert ids(registration_id=one.registration_id) == [one.pk]
        assert ids(provider_id=elsewhere.pk) == [one.pk]
        assert ids(user_id=sam.pk) == [one.pk]
        assert ids(user_id=uuid.uuid4()) == []

    def test_is_of_those_that_lapse_unless_somebody_acts(self, make_link):
        soon = NOW + 5 * HOUR
        wanted = [make_link(lapses_at=soon), make_link(refresh_deadline_at=soon, refresh_due_at=NOW)]
        both = make_link(lapses_at=soon, refresh_deadline_at=soon)
        make_link(lapses_at=NOW + 7 * HOUR)
        make_link(refresh_deadline_at=NOW - HOUR)
        make_link(refresh_deadline_at=soon, status="disconnected")
        assert ids(lapsing_within_hours=6) == sorted(link.pk for link in [*wanted, both])

    def test_says_the_first_of_two_ends_and_until_when_a_failed_one_waits(self, make_link):
        failed = make_link(
            lapses_at=NOW + 2 * HOUR, refresh_deadline_at=NOW + HOUR, not_before_at=NOW + HOUR / 2, tries=3
        )
        fresh = make_link(not_before_at=NOW + HOUR / 2, refresh_due_at=NOW + HOUR, status="needs_reauthorization")
        found = {one.id: one for one in listing.listed(Wanted(), at=NOW, most=None)}
        assert (found[failed.pk].ends_at, found[failed.pk].waits_until) == (NOW + HOUR, NOW + HOUR / 2)
        assert (found[fresh.pk].ends_at, found[fresh.pk].waits_until) == (None, None)
        assert found[fresh.pk].due_at == NOW + HOUR

    def test_has_links_without_tokens(self, make_link):
        link = make_link(has_tokens=False, status="disconnected")
        assert ids() == [link.pk]

    def test_reads_neither_tokens_nor_who_it_is(self, db):
        asked = str(listing.matching(Wanted(lapsing_within_hours=6), at=NOW).query)
        assert "connections_connection" in asked
        assert not [name for name in ("sealed", "fhir_patient_id", "scope", "email") if name in asked]

    @pytest.mark.parametrize(
        ("wanted", "index"),
        [
            ({"status": "needs_reauthorization"}, "links_in_order"),
            ({"reason": "window_over"}, "reasons_in_order"),
            ({"lapsing_within_hours": 24}, "connections_connection_pkey"),
        ],
    )
    def test_goes_through_an_index_in_their_order_and_gathers_nothing(self, wanted, index, db):
        with connection.cursor() as cursor:
            cursor.execute(
                "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off"
            )
        plan = listing.matching(Wanted(**wanted), at=NOW)[:50].explain()
        assert index in plan
        assert not [step for step in ("Sort", "Aggregate", "Append") if step in plan]

    def test_asks_one_question_for_many(self, make_link, django_assert_max_num_queries):
        for _ in range(3):
            make_link()
        with django_assert_max_num_queries(1):
            assert len(list(listing.listed(Wanted(), at=NOW, most=None))) == 3
