"""Staff save during an import: whoever comes second waits, and neither fails because of the other."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client

from apps.directory.admin import beside_imports
from apps.directory.models import Endpoint, Provider, SearchWord
from apps.directory.searching import vocabulary
from tests.fixtures.admin_pages import Page, address, opened, saved

pytestmark = pytest.mark.django_db(transaction=True)


class Import(threading.Thread):
    """Holds the words, and wants every row as soon as somebody waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.is_under_way, self.faults = threading.Event(), list[BaseException]()

    def run(self) -> None:
        try:
            with transaction.atomic():
                vocabulary.hold()
                self.is_under_way.set()
                self._wait_for_staff()
                for model in (Endpoint, Provider):
                    model.objects.update(is_sandbox=False, vanished_at=None)
        except BaseException as fault:  # noqa: BLE001 - the test looks at it
            self.faults.append(fault)
        finally:
            connection.close()

    @staticmethod
    def _wait_for_staff() -> None:
        asks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND NOT granted"
        for _ in range(1000):
            with connection.cursor() as cursor:
                cursor.execute(asks, [SearchWord.LOCK])
                if cursor.fetchone()[0]:
                    return
            threading.Event().wait(0.01)
        raise AssertionError("nobody waits")


@contextmanager
def an_import() -> Iterator[None]:
    """One that ends no sooner than this does."""
    is_under_way, may_end = threading.Event(), threading.Event()

    def run() -> None:
        try:
            with transaction.atomic():
                vocabulary.hold()
                is_under_way.set()
                may_end.wait(20)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert is_under_way.wait(10)
        yield
    finally:
        may_end.set()
        thread.join(20)


class TestAPageThatIsSavedDuringAnImport:
    @pytest.fixture
    def under_way(self) -> Iterator[Import]:
        thread = Import()
        yield thread
        thread.join(20)

    @pytest.mark.parametrize("kind", ["endpoint", "provider"])
    def test_waits_for_its_end(self, staff: Client, endpoint: Endpoint, under_way: Import, kind: str):
        row, changes = {
            "endpoint": (endpoint, {"portals-0-name": "Fernlea Chart"}),
            "provider": (Provider.objects.get(), {"name": "Fernlea"}),
        }[kind]
        page = opened(staff, row)
        under_way.start()
        assert under_way.is_under_way.wait(10)
        saved(staff, row, page, **changes)
        under_way.join(20)
        assert under_way.faults == []
        assert "fernlea" in Provider.objects.get().words

    @pytest.mark.parametrize("kind", ["endpoint", "provider"])
    def test_says_so_where_that_takes_long_and_is_sent_again_from_there(
        self, staff: Client, endpoint: Endpoint, kind: str, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(beside_imports, "_PATIENCE", "SET LOCAL lock_timeout = '100ms'")
        row: Any = endpoint if kind == "endpoint" else Provider.objects.get()
        page = opened(staff, row)
        with an_import():
            answer = staff.post(address(row), {**page.sent, "portals-0-name": "Fernlea", "name": "Fernlea"})
        assert answer.status_code == 503
        said = answer.content.decode()
        assert "A list is being imported" in said
        assert "fernlea" not in Provider.objects.get().words
        assert staff.post(address(row), Page(said).sent).status_code == 302
        assert "fernlea" in Provider.objects.get().words
