"""The connections whose records a page shows are read by one statement of our own."""

import pytest
from django.db import connection as database
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.connections.models import Connection
from apps.records.models import Record
from apps.records.subjects import LISTED
from apps.records.viewing.opening import connected
from tests.records.linked import AT, make_connection
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db


class TestTheConnectionsOfARecord:
    def test_are_the_confirmed_ones_of_one_person_the_oldest_first(self, alice, sam, connection, other):
        make_connection(sam, connection.endpoint)
        Connection.objects.filter(pk=connection.pk).update(created_at=AT.replace(year=AT.year + 1))
        assert [one.pk for one in connected.confirmed(alice.pk)] == [other.pk, connection.pk]
        Connection.objects.filter(pk=other.pk).update(
            status=Connection.Status.AWAITING_CONFIRMATION, confirm_by_at=AT, confirmed_at=None
        )
        assert [one.pk for one in connected.confirmed(alice.pk)] == [connection.pk]

    def test_are_as_they_are_kept(self, alice, connection):
        Connection.objects.filter(pk=connection.pk).update(sealed_person=b"\x00sealed\xff", last_checked_at=AT)
        (found,) = connected.confirmed(alice.pk)
        kept = Connection.objects.get(pk=connection.pk)
        for one, same in ((found, kept), (found.provider, kept.provider), (found.endpoint, kept.endpoint)):
            told = [field.attname for field in one._meta.concrete_fields if field.attname in one.__dict__]
            assert {name: getattr(one, name) for name in told} == {name: getattr(same, name) for name in told}
        assert found.sealed_person == b"\x00sealed\xff"

    def test_bring_all_that_pages_ask_of_them(self, hers, connection, other):
        keep(connection, result(1), result(2))
        keep(other, result(3))
        pk = Record.objects.get(logical_id="o1").pk
        pages = [reverse("subject", args=[subject.key]) for subject in LISTED]
        pages += [reverse("whole_record"), reverse("everything_by_date")]
        pages += [reverse("over_time", args=["results", pk]), reverse("entry", args=["results", pk])]
        hers.get(pages[0])  # that she looked is written down now
        with CaptureQueriesContext(database) as queries:
            assert {hers.get(page).status_code for page in pages} == {200}
        apart = ('FROM "connections_connection"', 'FROM "directory_')
        assert not [query["sql"] for query in queries if any(table in query["sql"] for table in apart)]
