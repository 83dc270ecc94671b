"""An entry's page that does not show all of something says so, and where all of it is."""

import pytest
from django.urls import reverse

from apps.records.models import Record
from tests.records.pages import page
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db

SAID = "this page may tell only part of it"


def entry(client, logical_id):
    return page(client, "entry", "results", Record.objects.get(logical_id=logical_id).pk)


class TestAnEntryWithTwentyOneDoctors:
    def test_says_that_it_may_tell_only_part_of_it(self, hers, connection):
        doctors = [{"display": f"Dr. {number}"} for number in range(21)]
        keep(connection, {**result(0), "performer": doctors}, {**result(1), "performer": doctors[:20]})
        assert SAID in entry(hers, "o0")
        assert SAID not in entry(hers, "o1")

    def test_does_not_say_so_where_its_provider_hides_it(self, hers, connection):
        doctors = [{"display": f"Dr. {number}"} for number in range(21)]
        keep(connection, {**result(0), "performer": doctors, "meta": {"security": [{"code": "masked"}]}})
        assert SAID not in entry(hers, "o0")

    def test_is_not_there_for_a_stranger(self, client, sam, connection):
        keep(connection, result(0))
        client.force_login(sam)
        assert client.get(reverse("entry", args=["results", Record.objects.get(logical_id="o0").pk])).status_code == 404
