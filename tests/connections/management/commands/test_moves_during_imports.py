"""`moved_addresses` during a directory import: a step that meets it waits for a moment, and then says so."""

import pytest

from apps.directory import import_waits
from apps.directory.models import Endpoint, KnownOrigins
from tests.connections.link_rows import make_link, make_registration, provider, registration
from tests.connections.management.commands.test_moved_addresses import NEW, endpoint, run
from tests.fixtures.imports import an_import

__all__ = ["endpoint", "make_link", "make_registration", "provider", "registration"]  # fixtures

pytestmark = pytest.mark.django_db(transaction=True)

NOT_DONE = (1, "Nothing was changed, because a list is being imported. After that, do it again.")


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for long."""
    monkeypatch.setattr(import_waits, "_PATIENCE", "SET LOCAL lock_timeout = '100ms'")


class TestAnApproval:
    def test_is_taken_back_wholly_or_not_at_all(self, endpoint):
        url = endpoint.fhir_base_url
        assert run(url, "--approve", NEW)[1] == (0, "")
        with an_import(Endpoint.objects.all()):
            assert run(url, "--withdraw")[1] == NOT_DONE
        assert KnownOrigins.objects.get().withdrawn_at is None
        assert run(url, "--withdraw")[1] == (0, "")
        assert KnownOrigins.objects.get().withdrawn_at is not None

    def test_is_not_given_meanwhile(self, endpoint):
        with an_import(Endpoint.objects.all()):
            assert run(endpoint.fhir_base_url, "--approve", NEW)[1] == NOT_DONE
        assert not KnownOrigins.objects.exists()
