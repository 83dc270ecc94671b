"""A provider on this machine, and Alice's confirmed link to it."""

import pytest

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
def hers(client, alice):
    """A browser in which Alice is signed in."""
    client.force_login(alice)
    return client
