"""A registration that replaces the one by which somebody signed in."""

from dataclasses import replace

import pytest

from apps.connections.models import Connection
from apps.directory import credentials
from apps.directory.models import ClientRegistration
from apps.wire.secret import Secret
from tests.connections.conftest import Place


@pytest.fixture
def newer(connection: Connection, place: Place) -> Place:
    """The same place, where another registration of ours is used since she linked."""
    ClientRegistration.objects.update(status="retired")
    registration = ClientRegistration.objects.create(
        authorization_server=place.registration.authorization_server, label="newer", status="approved",
        client_id="newer-client", authentication="query", versions_added=["r4"], is_sandbox=True, uses_pkce=False,
    )  # fmt: skip
    credentials.keep(registration, Secret("newer-secret"), at=connection.created_at)
    return replace(place, registration=registration)
