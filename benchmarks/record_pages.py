"""Measures the record's pages with twenty thousand rows against the same pages with two hundred, and against a page
without a record to somebody signed in: processor time, and queries."""

import gc
import json
import statistics
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from time import process_time

from django.conf import settings
from django.db import connection as database
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from apps.connections.models import Connection
from apps.records import shelving
from apps.records.exporting import choosing, summaries
from apps.records.exporting.ips import documents
from apps.records.exporting.portions import WHOLE
from apps.records.models import Record
from apps.records.subjects import LISTED
from apps.records.syncing.received_rows import storing
from apps.vault import sealing
from apps.vault.sealing import Holder
from apps.wire.fhir import Resource
from benchmarks import links, sync_bodies
from benchmarks.figure import say
from config import wsgi

_FEW, _MANY = 200, 20_000
_ROWS_AT_ONCE = 500
_TRIES = 40  # of fewer, the slowest twentieth is the slowest one
EMPTY = "/help/"  # signed in, and nothing of the record
# Of every third result, of none, and nearly of the third.
_WORDS = {"search": "potassium", "search_in_vain": "sodium", "search_mistyped": "potasium"}


def main() -> None:
    """One line of JSON, for each page:

    - `<page>_to_small`: its median to that of the same page with two hundred rows;
    - `<page>_to_empty`: its slowest twentieth to the median of an empty page, which is what the goal is of;
    - `<page>_to_empty_alike`: its slowest twentieth to the slowest twentieth of an empty page. What a machine does
      beside us makes some of every page slow, the empty one too: this is what is left of the page's own;
    - `<page>_queries`.

    And the seconds of what is made to be taken along.
    """
    assert wsgi.application is not None  # loaded, as in the site's own processes, which look after memory as it says
    small, large = _linked(_FEW), _linked(_MANY)
    # What filled the records, and is none of the site's: a page does not look through it for garbage.
    gc.collect()
    gc.freeze()
    few, many = _pages(small), _pages(large)
    browsers = [browser_of(connection) for connection in (small, large)]
    found: dict[str, float] = {}
    for page in few:
        say(page)
        times: dict[str, list[float]] = {"small": [], "large": [], "empty": []}
        for _try in range(_TRIES + 1):
            times["small"].append(seconds(browsers[0], few[page], _WORDS.get(page)))
            times["large"].append(seconds(browsers[1], many[page], _WORDS.get(page)))
            times["empty"].append(seconds(browsers[1], EMPTY))
        median = {name: statistics.median(taken[1:]) for name, taken in times.items()}
        found[f"{page}_to_small"] = median["large"] / median["small"]
        slowest = _slowest_twentieth(times["large"][1:])
        found[f"{page}_to_empty"] = slowest / median["empty"]
        found[f"{page}_to_empty_alike"] = slowest / _slowest_twentieth(times["empty"][1:])
        with CaptureQueriesContext(database) as queries:
            seconds(browsers[1], many[page], _WORDS.get(page))
        found[f"{page}_queries"] = len(queries)
    found |= _copies(large)
    print(json.dumps(found))


def _slowest_twentieth(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=20)[-1]


def _copies(connection: Connection) -> dict[str, float]:
    """The page to read and print, and the patient summary: all that a download says in one answer; and the same as
    somebody sees them with whom all but the private is shared."""
    choices = choosing.choices(connection.user, at=timezone.now())
    shared = replace(WHOLE, tells_sensitive=False, is_for_others=True)

    def seconds_of(make: Callable[[], object]) -> float:
        began = process_time()
        make()
        return process_time() - began

    return {
        "copy_to_read_seconds": seconds_of(lambda: summaries.summary(choices, at=timezone.now())),
        "patient_summary_seconds": seconds_of(lambda: documents.document(choices, at=timezone.now())),
        "shared_page_seconds": seconds_of(lambda: summaries.summary(choices, at=timezone.now(), portion=shared)),
        "shared_summary_seconds": seconds_of(lambda: documents.document(choices, at=timezone.now(), portion=shared)),
    }


def _linked(rows: int) -> Connection:
    say(f"storing {rows} rows")
    (connection,) = links.make(f"http://127.0.0.1:{rows}", 1, at=timezone.now())
    keep(connection, _resources(rows))
    return connection


def _pages(connection: Connection) -> dict[str, str]:
    tests = Record.objects.filter(connection=connection, resource_type="Observation")
    lab, vital = (tests.get(logical_id=f"observation-{number}").pk for number in (1, 0))
    return {
        "home": reverse("home"),
        "overview": reverse("whole_record"),
        **{subject.key: reverse("subject", args=[subject.key]) for subject in LISTED},
        "over_time": reverse("over_time", args=["results", lab]),
        "vital_over_time": reverse("over_time", args=["vitals", vital]),
        "entry": reverse("entry", args=["results", lab]),
        **dict.fromkeys(_WORDS, reverse("search_record")),
        "by_date": reverse("everything_by_date"),
    }


def keep(connection: Connection, resources: Iterator[Resource]) -> None:
    """Store them as a sync does, and put them on shelves."""
    with sealing.key_ring(Holder.user(connection.user_id)) as ring:
        batch: list[Resource] = []
        for resource in resources:
            batch.append(resource)
            if len(batch) == _ROWS_AT_ONCE:
                storing.keep(connection, batch, run_id=uuid.uuid4(), ring=ring, at=timezone.now())
                batch = []
        storing.keep(connection, batch, run_id=uuid.uuid4(), ring=ring, at=timezone.now())
    shelving.rebuild_all(connection, at=timezone.now())


def _resources(rows: int) -> Iterator[Resource]:
    yield Resource("Patient", sync_bodies.PATIENT_ID, json.dumps(sync_bodies.patient()).encode())
    for name, count in sync_bodies.shares(rows).items():
        for body in sync_bodies.bodies(name, count):
            yield Resource(name, body["id"], json.dumps(body).encode())


def browser_of(connection: Connection) -> Client:
    """One that is signed in as whose record it is."""
    browser = Client(headers={"host": settings.ALLOWED_HOSTS[0]})
    browser.force_login(connection.user, backend=settings.AUTHENTICATION_BACKENDS[-1])
    return browser


def seconds(browser: Client, address: str, words: str | None = None) -> float:
    """Of the processor, for this page; with words, for what they find."""
    began = process_time()
    answer = browser.get(address) if words is None else browser.post(address, {"words": words}, follow=True)
    taken = process_time() - began
    assert answer.status_code == 200, (address, answer.status_code)
    return taken
