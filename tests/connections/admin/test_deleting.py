"""Rows of the directory that links refer to cannot be deleted in the admin, and it reads no link to say so."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.directory.models import Endpoint, EndpointCheck, Provider
from tests.connections.conftest import BACKEND
from tests.fixtures.cast import gave_password

pytestmark = pytest.mark.django_db

DIRECTORY = "/admin/directory"


@pytest.fixture
def hers(client, stella):
    """Stella's browser, in which she signed in a moment ago."""
    client.force_login(stella, backend=BACKEND)
    gave_password(client, stella)
    return client


def page_of(kind: str, link: Any) -> str:
    pk = {"provider": link.provider_id, "endpoint": link.endpoint_id, "clientregistration": link.registration_id}[kind]
    return f"{DIRECTORY}/{kind}/{pk}/delete/"


@pytest.mark.parametrize("kind", ["provider", "endpoint", "clientregistration"])
class TestARowWithLinks:
    def test_stays_and_says_what_refers_to_it(self, hers, make_link, kind):
        links = [make_link() for _each in range(3)]
        address = page_of(kind, links[0])
        for answer in (hers.get(address), hers.post(address, {"post": "yes"})):
            text = answer.content.decode()
            assert "<li>Connections</li>" in text
            assert not [link.pk for link in links if str(link.pk) in text]
        links[0].refresh_from_db()

    def test_has_none_of_them_read_for_it(self, hers, make_link, kind):
        """A provider may have a million, each with what is sealed for it."""
        address = page_of(kind, make_link())
        with CaptureQueriesContext(connection) as asked:
            hers.get(address)
        assert not [query["sql"] for query in asked if "sealed_person" in query["sql"]]


class TestAnEndpointWithoutLinks:
    def test_goes_with_its_checks(self, hers, registration):
        endpoint = registration.authorization_server.endpoints.get()
        EndpointCheck.objects.create(endpoint=endpoint, checked_at=timezone.now(), outcome="well")
        hers.post(f"{DIRECTORY}/endpoint/{endpoint.pk}/delete/", {"post": "yes"})
        assert not Endpoint.objects.filter(pk=endpoint.pk).exists()


class TestSeveralProviders:
    def test_stay_together_where_one_has_a_link(self, hers, make_link):
        make_link()
        other = Provider.objects.create(directory="tests", directory_id="2", name="Other", imported_at=timezone.now())
        chosen = [str(pk) for pk in Provider.objects.values_list("pk", flat=True)]
        asked = {"action": "delete_selected", "_selected_action": chosen, "post": "yes"}
        text = hers.post(f"{DIRECTORY}/provider/", asked).content.decode()
        assert "<li>Connections</li>" in text
        assert Provider.objects.filter(pk=other.pk).exists()
