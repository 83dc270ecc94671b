"""Measures copying one person's record through a sync run, sealing, summaries and shelves included, against programs
that only fetch the same pages (`sync_bare`)."""

import json
import statistics
import time
from collections.abc import Callable

from django.utils import timezone

from apps.audit.recording import Actor
from apps.connections.models import Connection
from apps.directory.models import Endpoint
from apps.records import deleting_copies, syncing
from apps.records.models import Record, SyncRun
from benchmarks import links, providers, sync_bare, sync_bodies, sync_provider
from benchmarks.figure import say
from benchmarks.memory import forget_peak, peak_mb

_LATENCY_MS = 15
_BESIDE = 1 + sync_bodies.PRACTITIONERS  # records that are no search's rows: the patient, and whom rows name


def main(rows_given: str, tries_given: str) -> None:
    """One line of JSON: how memory grew over that of an idle worker, and seconds of a first copy; after so many tries
    (of none: no comparators) also the ratios to them, and full pages of a copy when nothing changed."""
    rows, tries = int(rows_given), int(tries_given)
    with providers.starting("sync_provider", rows, _LATENCY_MS, within_seconds=60) as origin:
        connection = _link(origin)
        sync_bare.prepare()
        say(f"copying {rows} rows")
        forget_peak()
        idle_mb, began, used = peak_mb(), time.perf_counter(), time.process_time()
        _copy(connection, rows)
        found = {
            "seconds": time.perf_counter() - began,
            "processor_ms": (time.process_time() - used) * 1000 * sync_provider.ROWS_A_PAGE / rows,
            "grown_mb": peak_mb() - idle_mb,
        }
        questions = sync_bare.first_questions(sync_provider.asked(origin)[0])
        if tries:
            found |= _unchanged(connection, origin, rows)
            found |= _compared(connection, origin, rows, questions, tries)
    print(json.dumps(found))


def _link(origin: str) -> Connection:
    """A link to a kind of server that may be asked four questions at a time."""
    (connection,) = links.make(origin, 1, at=timezone.now())
    Endpoint.objects.filter(pk=connection.endpoint_id).update(interface="smart", dialect="smart")
    return Connection.objects.select_related("endpoint", "registration__authorization_server").get(pk=connection.pk)


def _unchanged(connection: Connection, origin: str, rows: int) -> dict[str, float]:
    began = time.perf_counter()
    _copy(connection, rows)
    return {"again_seconds": time.perf_counter() - began, "again_full_pages": sync_provider.asked(origin)[1]}


def _compared(connection: Connection, origin: str, rows: int, questions: list[str], tries: int) -> dict[str, float]:
    """Medians of tries, in each of which all three are done in turn."""
    taken: dict[str, list[float]] = {"copy": [], "bare": [], "fhirclient": []}
    for number in range(tries):
        say(f"{rows} rows, try {number + 1} of {tries}")
        deleting_copies.forget(connection, actor=Actor.system("bench"), at=timezone.now())
        taken["copy"].append(_seconds(lambda: _copy(connection, rows)))
        taken["bare"].append(_seconds(lambda: _fetch_bare(origin, rows, questions)))
        taken["fhirclient"].append(_seconds(lambda: _page_with_fhirclient(origin, rows, questions)))
    return {
        **{f"{name}_seconds": statistics.median(seconds) for name, seconds in taken.items()},
        **{
            f"to_{name}": statistics.median(ours / theirs for ours, theirs in zip(taken["copy"], seconds, strict=True))
            for name, seconds in taken.items()
        },
    }


def _fetch_bare(origin: str, rows: int, questions: list[str]) -> None:
    assert sync_bare.fetch_and_store(origin, questions) >= rows


def _page_with_fhirclient(origin: str, rows: int, questions: list[str]) -> None:
    assert sync_bare.page_with_fhirclient(origin, questions) == rows


def _seconds(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _copy(connection: Connection, rows: int) -> None:
    run = syncing.start(connection, cause=SyncRun.Cause.PATIENT, at=timezone.now())
    while run.finished_at is None:  # in slices, as workers do
        syncing.advance(run.pk, at=timezone.now())
        run.refresh_from_db()
    assert Record.objects.filter(connection=connection).count() == rows + _BESIDE
    assert run.outcome == SyncRun.Outcome.COMPLETE, list(run.steps.values_list("resource_type", "gap"))
