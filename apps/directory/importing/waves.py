"""Merge what was staged, wave by wave, while the next rows are read.

The database works on its own: statements of a wave are sent at once (libpq's pipeline mode) and their results are
fetched when the next wave is there, so that reading and storing take the time of the longer of the two.
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
    vocabulary.STORE_NEIGHBOURS,  # first: as long as it is not read, the others cannot be sent
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
        """Merge what is staged and empty the stage, without waiting. Call `finish` before anything else is asked."""
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
        """Wait for the wave under way, if there is one. Raises what the database raised."""
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
        """Add what the waves did to the numbers of the report."""
        report.providers = self._rows[provider_merge.FIRST]
        report.providers_new = self._rows[provider_merge.ADD]
        report.providers_changed = self._rows[provider_merge.CHANGE]
        report.endpoints = self._rows[endpoint_merge.REMEMBER]
        report.endpoints_new = self._rows[endpoint_merge.ADD_ENDPOINTS]
        report.endpoints_changed = self._rows[endpoint_merge.CHANGE_ENDPOINTS]


def _ids(at: datetime) -> str:
    """How the ids of new rows of one table begin, all but their last eight digits, which are the number of the row: in
    the order in which rows come, so that each goes to the end of an index and not somewhere into it. UUIDs of version 7
    (RFC 9562 section 5.7): the time, then chance, then a counter."""
    time, chance = f"{int(at.timestamp() * 1000):012x}", f"{secrets.randbits(40):010x}"
    return f"{time[:8]}-{time[8:]}-7{chance[:3]}-8{chance[3:6]}-{chance[6:]}"
