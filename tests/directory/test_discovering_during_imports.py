"""What is discovered during an import that holds the endpoint's row: nobody waits for its end."""

import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from apps.directory import discovering, import_waits
from apps.directory.import_waits import StillImporting
from apps.directory.models import AuthorizationServer, Endpoint, EndpointCheck
from apps.directory.monitoring import checking
from tests.directory.conftest import AT
from tests.directory.smart_deployment import LOGIN
from tests.fixtures.imports import an_import

pytestmark = pytest.mark.django_db(transaction=True)

LATER = AT + discovering.FRESH


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for long."""
    monkeypatch.setattr(import_waits, "_PATIENCE", "SET LOCAL lock_timeout = '100ms'")


@pytest.fixture
def during_an_import(root) -> Iterator[None]:
    """Of a list that changed the endpoint's row."""
    root.discover()
    with an_import(Endpoint.objects.all()):
        yield


def seconds_of(call: Callable[[], object]) -> float:
    began = time.monotonic()
    call()
    return time.monotonic() - began


@pytest.mark.usefixtures("during_an_import")
class TestWhoeverUsesStaleAddresses:
    def test_goes_on_with_what_is_known_without_waiting(self, root):
        root.says(token_endpoint=f"{LOGIN}/other")
        endpoint = Endpoint.objects.get()
        assert discovering.is_stale(endpoint, at=LATER)
        assert seconds_of(lambda: discovering.keep_fresh(endpoint, at=LATER)) < 5
        assert endpoint.authorization_server is not None
        assert endpoint.authorization_server.token_url == f"{LOGIN}/token"
        assert discovering.is_stale(Endpoint.objects.get(), at=LATER)

    def test_leaves_a_doubt_to_the_next(self):
        assert seconds_of(lambda: discovering.doubt(Endpoint.objects.get())) < 5
        assert Endpoint.objects.get().discovered_at == AT


@pytest.mark.usefixtures("during_an_import")
class TestWhoeverDiscoversAnew:
    def test_is_told_and_nothing_is_stored(self, root):
        root.says(token_endpoint=f"{LOGIN}/other")
        with pytest.raises(StillImporting):
            discovering.discover(Endpoint.objects.get(), at=LATER)
        assert Endpoint.objects.get().discovered_at == AT
        assert AuthorizationServer.objects.get().token_url == f"{LOGIN}/token"

    def test_is_told_so_of_an_error_as_well(self, root):
        root.says(token_endpoint="")
        with pytest.raises(StillImporting):
            discovering.discover(Endpoint.objects.get(), at=LATER)
        assert Endpoint.objects.get().discovery_fault == ""

    def test_reads_so_from_the_commands(self, root, capsys):
        with pytest.raises(CommandError):
            call_command("discover_endpoints", root.url)
        call_command("check_endpoints", root.url)
        told = capsys.readouterr()
        assert f"failed {root.url}: a list is being imported" in told.err
        assert f"not checked, as a list is being imported: {root.url}" in told.err
        assert "0 checked" in told.out

    def test_checks_no_more_of_them_now(self):
        assert checking.check_each([Endpoint.objects.get()] * 2, at=LATER, seconds=60) == []
        assert not EndpointCheck.objects.exists()


class TestAnImportThatOnlyRefersToAnEndpoint:
    def test_stops_no_discovery_of_it(self, root, make_provider):
        """An import that adds a portal locks its endpoint's key alone."""
        provider = make_provider("Harbor")
        root.discover()
        adds: Any = SimpleNamespace(update=lambda **_columns: root.endpoint.providers.add(provider))
        with an_import(adds):
            discovering.discover(Endpoint.objects.get(), at=LATER)
        assert Endpoint.objects.get().discovered_at == LATER
