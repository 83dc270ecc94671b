"""Alice's confirmed connections: to a provider that answers on this machine, and to others that are never called."""

import pytest
from django.utils import timezone

from tests.records import provider as providers
from tests.records.linked import give_tokens, make_connection, make_endpoint


@pytest.fixture
def provider():
    """A provider that answers on this machine."""
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
    """Give `linked` tokens that are valid now, for views, which read the clock themselves."""
    give_tokens(linked, issued_at=timezone.now())


@pytest.fixture
def connection(alice):
    """A connection to Harbor Family Practice, without tokens."""
    return make_connection(alice)


@pytest.fixture
def other(alice):
    """A second connection, to Riverside Hospital."""
    endpoint = make_endpoint("https://other.example/r4")
    endpoint.providers.update(name="Riverside Hospital")
    return make_connection(alice, endpoint)


@pytest.fixture
def older(alice, connection):
    """A second connection to Harbor Family Practice, at its DSTU2 endpoint."""
    older = make_connection(alice, make_endpoint("https://fhir.example/dstu2", version="dstu2"))
    older.provider = connection.provider
    older.save()
    return older
