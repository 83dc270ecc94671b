"""Staff save while an import is under way: whoever came second waits, and neither of the two is ended for the other."""

import threading
from collections.abc import Iterator

import pytest
from django.db import connection, transaction
from django.test import Client

from apps.directory.models import Endpoint, Provider, SearchWord
from apps.directory.searching import vocabulary
from tests.fixtures.admin_pages import opened, saved

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
