"""`register_client` during a directory import: it waits for a moment, and then stores nothing and says so."""

import pytest
from django.core.management import CommandError, call_command

from apps.directory import import_waits
from apps.directory.models import AuthorizationServer, ClientRegistration
from tests.fixtures.imports import an_import

pytestmark = pytest.mark.django_db(transaction=True)


class TestARegistration:
    def test_is_stored_once_the_import_is_over(self, endpoint, monkeypatch):
        monkeypatch.setattr(import_waits, "_PATIENCE", "SET LOCAL lock_timeout = '100ms'")
        asked = (
            "--authorization-server",
            endpoint.authorization_server.authorize_url,
            "--application-name",
            "Holdfast",
        )
        stored = ClientRegistration.objects.filter(application_name="Holdfast")
        with (
            an_import(AuthorizationServer.objects.all()),
            pytest.raises(CommandError, match=r"Nothing was stored, because a list is being imported\."),
        ):
            call_command("register_client", *asked)
        assert not stored.exists()
        call_command("register_client", *asked)
        assert stored.exists()
