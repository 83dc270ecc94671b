"""Alice's browser and her confirmed links: to a provider on this machine, and to others that nobody asks."""

import pytest
from django.utils import timezone

from tests.records import provider as providers
from tests.records.linked import give_tokens, make_connection, make_endpoint


@pytest.fixture
def provider():
    with providers.running() as running:
        yield running


@pytest.fixture
def linked(alice, provider):
    """A connection with tokens, to `provider`."""
    endpoint = make_endpoint(provider.base_url, token_url=provider.server.url("/oauth/token"))
    connection = make_connection(alice, endpoint)
    give_tokens(connection)
    return connection


@pytest.fixture
def soon(linked):
    """Views read the clock themselves: tokens that live from now on."""
    give_tokens(linked, issued_at=timezone.now())


@pytest.fixture
def connection(alice):
    """To Harbor Family Practice, with no tokens."""
    return make_connection(alice)


@pytest.fixture
def other(alice):
    """To Riverside Hospital, besides."""
    endpoint = make_endpoint("https://other.example/r4")
    endpoint.providers.update(name="Riverside Hospital")
    return make_connection(alice, endpoint)


@pytest.fixture
def older(alice, connection):
    """To Harbor Family Practice in another way, its DSTU2 endpoint."""
    older = make_connection(alice, make_endpoint("https://fhir.example/dstu2", version="dstu2"))
    older.provider = connection.provider
    older.save()
    return older
