"""One record of a user's is found with all that its pages need, and by nobody else."""

import pytest
from django.urls import reverse

from apps.connections.models import Connection
from apps.records.models import Record
from apps.records.viewing.opening import one_record
from tests.records.linked import AT
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db


@pytest.fixture
def pk(connection):
    keep(connection, result(0))
    return Record.objects.get(logical_id="o0").pk


class TestARecord:
    def test_is_found_with_its_connection_provider_and_endpoint_by_one_query(
        self, alice, connection, pk, django_assert_num_queries
    ):
        with django_assert_num_queries(1):
            found = one_record.find(alice, pk)
            assert (found.pk, found.resource_type, found.logical_id, found.user) == (pk, "Observation", "o0", alice)
            assert found.connection.provider.name == connection.provider.name
            assert found.connection.endpoint.fhir_base_url == connection.endpoint.fhir_base_url
        assert bytes(found.sealed_body) == bytes(Record.objects.get(pk=pk).sealed_body)

    def test_is_of_nobody_else(self, sam, pk):
        with pytest.raises(Record.DoesNotExist):
            one_record.find(sam, pk)

    def test_is_not_of_a_connection_that_nobody_confirmed(self, alice, connection, pk):
        waiting = {"status": Connection.Status.AWAITING_CONFIRMATION, "confirm_by_at": AT, "confirmed_at": None}
        Connection.objects.filter(pk=connection.pk).update(**waiting)
        with pytest.raises(Record.DoesNotExist):
            one_record.find(alice, pk)

    def test_of_no_number_that_there_can_be_is_not_found(self, hers, pk):
        assert hers.get(reverse("over_time", args=["results", 10**30])).status_code == 404
        assert hers.get(reverse("over_time", args=["results", pk])).status_code == 200
