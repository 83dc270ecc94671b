"""Merge staged rows, wave by wave, while the next rows are read.

The statements of a wave are sent together (libpq's pipeline mode), and their results are fetched when the next wave is
ready. So the database works while we read, and an import takes only the longer of the two times.
"""

import secrets
from collections import Counter
from contextlib import ExitStack
from datetime import datetime
from typing import Any

import psycopg
from django.db import connection

from apps.directory.importing import endpoint_matching, endpoint_merge, provider_merge, tables
from apps.directory.importing.reporting import Report
from apps.directory.searching import vocabulary

_EACH = (
    vocabulary.STORE_NEIGHBOURS,  # first: until it has been consumed, the others cannot be sent
    "ANALYZE import_provider (number, directory_id), import_endpoint (number, root), import_pair (provider, endpoint)",
    provider_merge.FIRST, provider_merge.OWNERS, "ANALYZE import_first, import_owner", provider_merge.REFUSE,
    provider_merge.CHANGE, provider_merge.ADD, provider_merge.SITES, vocabulary.LEARN_EARLY,
    endpoint_matching.NOBODYS, endpoint_matching.DROP_NOBODYS, endpoint_matching.JUDGE, "ANALYZE import_judged",
    endpoint_matching.REFUSE_CROSSING, endpoint_matching.REFUSE, endpoint_matching.REFUSE_REPEATED,
    endpoint_merge.FIND_REVOCATIONS, endpoint_merge.CHANGE_REVOCATIONS,
    endpoint_merge.ADD_SERVERS, endpoint_merge.FIND_SERVERS, "ANALYZE import_judged",
    endpoint_merge.CHANGE_ENDPOINTS, endpoint_merge.ADD_ENDPOINTS,
    endpoint_merge.MOVED, endpoint_merge.PARTED, endpoint_merge.WANTED, "ANALYZE import_wanted",
    endpoint_merge.CHANGE_PORTALS, endpoint_merge.ADD_PORTALS,
    endpoint_merge.LEFT, endpoint_merge.REMEMBER, provider_merge.REMEMBER,
)  # fmt: skip


class Waves:
    """The waves of one import into one directory, within its transaction."""

    def __init__(self, directory: str, *, at: datetime) -> None:
        self._parameters = {
            "directory": directory,
            "at": at,
            **{f"{whose}_ids": _ids(at) for whose in ("provider", "endpoint", "server")},
        }
        self._rows: Counter[str] = Counter()  # by statement
        self._under_way: ExitStack | None = None
        self._sent: list[tuple[str, psycopg.Cursor[Any]]] = []
        self._neighbours = vocabulary.Neighbours()

    def start(self, *, is_whole_list: bool) -> None:
        """Begin to merge what is staged and then empty the stage, without waiting. Call `finish` before any other
        query."""
        database = connection.connection
        parameters = {**self._parameters, "neighbours": self._neighbours.made}
        with ExitStack() as stack:
            stack.enter_context(database.pipeline())
            for statement in (*(provider_merge.WHOLE_LIST if is_whole_list else ()), *_EACH, tables.NEXT_WAVE):
                cursor = psycopg.Cursor(database)
                cursor.execute(statement, parameters if "%(" in statement else None)
                self._sent.append((statement, cursor))
            self._under_way = stack.pop_all()
        self._neighbours.make()

    def finish(self) -> None:
        """Wait for the wave in progress, if there is one. Raises the database's errors."""
        if self._under_way is None:
            return
        self._under_way.close()
        self._under_way = None
        for statement, cursor in self._sent:
            self._rows[statement] += max(cursor.rowcount, 0)
            if statement == vocabulary.LEARN_EARLY:
                self._neighbours.meet(word for (word,) in cursor.fetchall())
            cursor.close()
        self._sent.clear()

    def count_in(self, report: Report) -> None:
        """Add the results of the waves to the report."""
        report.providers = self._rows[provider_merge.FIRST]
        report.providers_new = self._rows[provider_merge.ADD]
        report.providers_changed = self._rows[provider_merge.CHANGE]
        report.endpoints = self._rows[endpoint_merge.REMEMBER]
        report.endpoints_new = self._rows[endpoint_merge.ADD_ENDPOINTS]
        report.endpoints_changed = self._rows[endpoint_merge.CHANGE_ENDPOINTS]


def _ids(at: datetime) -> str:
    """The prefix of new rows' ids, all but the last eight digits, which are the row's number. So ids increase with the
    rows, and are appended to an index instead of spread over it. UUIDs of version 7 (RFC 9562 section 5.7): time,
    random bits, counter."""
    time, chance = f"{int(at.timestamp() * 1000):012x}", f"{secrets.randbits(40):010x}"
    return f"{time[:8]}-{time[8:]}-7{chance[:3]}-8{chance[3:6]}-{chance[6:]}"
