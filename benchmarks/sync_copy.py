"""Measures copying one person's allergies through a sync run, against pooled requests that store each page bare."""

import json
import time

import requests
from django.db import connection as database
from django.db import transaction
from django.utils import timezone

from apps.audit.recording import Actor
from apps.connections.models import Connection
from apps.records import forgetting, syncing
from apps.records.models import Record, SyncRun
from benchmarks import links
from benchmarks.figure import ratio, say
from benchmarks.memory import forget_peak, peak_mb
from benchmarks.stub_provider import PATIENT_ID, ROWS_A_PAGE, starting

_LATENCY_MS = 15


def main(rows_given: str, tries_given: str) -> None:
    """One line of JSON: the ratios of so many tries (of none: no comparator), how memory grew, and processor time."""
    rows, tries = int(rows_given), int(tries_given)
    with starting(rows=rows, latency_ms=_LATENCY_MS) as origin:
        (connection,) = links.make(origin, 1, at=timezone.now())
        say(f"copying {rows} rows")
        forget_peak()
        before_mb, before_seconds = peak_mb(), time.process_time()
        _copy(connection, rows)
        used_ms = (time.process_time() - before_seconds) * 1000
        found = {"grown_mb": peak_mb() - before_mb, "processor_ms": used_ms * ROWS_A_PAGE / rows}
        if tries:
            with database.cursor() as cursor:
                cursor.execute("CREATE TABLE bare_rows (id serial PRIMARY KEY, page integer, body bytea)")
            session = requests.Session()
            session.trust_env = False
            found["again_to_bare"] = ratio(
                lambda: _copy(connection, rows), lambda: _fetch_and_store(session, origin), tries=tries
            )
            found["to_bare"] = ratio(
                lambda: _copy_anew(connection, rows), lambda: _fetch_and_store(session, origin), tries=tries
            )
    print(json.dumps(found))


def _copy(connection: Connection, rows: int) -> None:
    run = syncing.start(connection, cause=SyncRun.Cause.PATIENT, at=timezone.now())
    while run.finished_at is None:  # in slices, as workers do
        syncing.advance(run.pk, at=timezone.now())
        run.refresh_from_db()
    assert Record.objects.filter(connection=connection).count() == rows + 1
    assert run.outcome == SyncRun.Outcome.COMPLETE


def _copy_anew(connection: Connection, rows: int) -> None:
    forgetting.forget(connection, actor=Actor.system("bench"), at=timezone.now())
    _copy(connection, rows)


def _fetch_and_store(session: requests.Session, origin: str) -> None:
    """Every page, each resource a row as it came, a page a transaction."""
    next_url: str | None = f"{origin}/r4/AllergyIntolerance?patient={PATIENT_ID}"
    while next_url is not None:
        page = session.get(next_url, headers={"Authorization": "Bearer bench"}, timeout=10).json()
        bodies = [json.dumps(entry["resource"]).encode() for entry in page["entry"]]
        with transaction.atomic(), database.cursor() as cursor:
            cursor.execute("INSERT INTO bare_rows (page, body) SELECT 1, unnest(%s::bytea[])", [bodies])
        next_url = next((link["url"] for link in page["link"] if link["relation"] == "next"), None)
