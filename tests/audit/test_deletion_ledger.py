"""The deletion ledger has only complete lines, synced to disk, even with several writers and after one died."""

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from apps.audit import deletion_ledger
from apps.audit.deletion_ledger import Deleted, Unreadable
from apps.audit.models import EventType

AT = datetime(2026, 11, 20, 9, 40, tzinfo=UTC)


def make(count: int = 1) -> list[Deleted]:
    """An account, and connections."""
    account = Deleted(EventType.ACCOUNT_CLOSED, AT, uuid4(), None)
    return [account] + [
        Deleted(EventType.RECORD_FORGOTTEN, AT + timedelta(microseconds=number), uuid4(), uuid4())
        for number in range(1, count)
    ]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deletions.jsonl"


class TestTheLedger:
    def test_gives_back_what_was_written_in_its_order(self, path):
        first, second = make(3), make(2)
        deletion_ledger.append(path, first)
        deletion_ledger.append(path, second)
        assert list(deletion_ledger.read(path)) == first + second

    def test_holds_ids_and_times_and_nothing_else(self, path):
        (one,) = make()
        deletion_ledger.append(path, [one])
        assert json.loads(path.read_text()) == {
            "event": "account.closed",
            "at": "2026-11-20T09:40:00+00:00",
            "user": str(one.user_id),
            "connection": None,
        }

    def test_is_ours_alone_to_read(self, path):
        deletion_ledger.append(path, make())
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_is_on_the_disk_before_anybody_is_told(self, path, monkeypatch):
        synced = []
        monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_ino))
        deletion_ledger.append(path, make())
        assert synced == [path.stat().st_ino, path.parent.stat().st_ino]

    def test_keeps_lines_whole_where_many_write_at_once(self, path):
        batches = [make(20) for _ in range(8)]
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda batch: deletion_ledger.append(path, batch), batches))
        assert sorted(deletion_ledger.read(path), key=repr) == sorted(
            (one for batch in batches for one in batch), key=repr
        )

    def test_loses_no_later_line_to_one_that_a_crash_tore(self, path):
        first, later = make(2), make(2)
        deletion_ledger.append(path, first)
        with path.open("a") as file:
            file.write('{"event": "account.cl')
        deletion_ledger.append(path, later)
        assert list(deletion_ledger.read(path)) == [*first, Unreadable(3), *later]

    def test_leaves_no_half_line_where_the_disk_is_full(self, path, monkeypatch):
        first = make(2)
        deletion_ledger.append(path, first)
        written = os.write

        def half_and_then_full(descriptor, data):
            if len(data) < 100:
                raise OSError(28, "No space left on device")
            return written(descriptor, data[: len(data) // 2])

        monkeypatch.setattr(os, "write", half_and_then_full)
        with pytest.raises(OSError, match="No space"):
            deletion_ledger.append(path, make(2))
        assert list(deletion_ledger.read(path)) == first

    @pytest.mark.parametrize(
        "line",
        [
            "x", "[]", "null", "{}", "[" * 100_000, '{"event": "account.closed"}', "\udcff",
            f'{{"event": "user.eaten", "at": "2026-11-20T09:40:00+00:00", "user": "{uuid4()}", "connection": null}}',
            f'{{"event": "account.closed", "at": "2026-11-20T09:40:00", "user": "{uuid4()}", "connection": null}}',
            '{"event": "account.closed", "at": "2026-11-20T09:40:00+00:00", "user": 7, "connection": null}',
            f'{{"event": "account.closed", "at": "0001-01-01T00:00+23:59", "user": "{uuid4()}", "connection": null}}',
        ],
        ids=range(11),
    )  # fmt: skip
    def test_names_the_line_that_is_none_of_ours(self, path, line):
        path.write_text(f"\n{line}\n", errors="surrogateescape")
        assert list(deletion_ledger.read(path)) == [Unreadable(2)]
