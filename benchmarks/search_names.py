"""Measures a search within a record of sixteen thousand names, no two alike, against a page without a record to
somebody signed in: processor time. What several entries say alike is looked through once, so that this is the most that
a record of so many entries can cost."""

import gc
import itertools
import json
import statistics
from collections.abc import Iterator, Mapping

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.connections.models import Connection
from apps.wire.fhir import Resource
from benchmarks import links, sync_bodies
from benchmarks.figure import say
from benchmarks.record_pages import EMPTY, browser_of, keep, seconds
from config import wsgi

_NAMES = 16_000
_TRIES = 30
_WHERE = ("left", "right", "upper", "lower", "inner", "outer", "chronic", "acute", "mild", "severe")
_WHAT = (
    *("pain", "injury", "disorder", "infection", "swelling", "fracture", "inflammation", "deficiency", "ulcer"),
    *("sprain", "hepatitis A", "vitamin D", "type 2", "grade III"),
)
_OF = ("shoulder", "elbow", "wrist", "hip", "knee", "ankle", "stomach", "kidney", "liver", "lung", "heart", "thyroid")
_SEARCHES: Mapping[str, str] = {
    "one_word": "shoulder",
    "one_name": "seen 15999",
    "in_vain": "sodium",
    "mistyped": "shouldre",
    "in_part": "shoulder sprain chronic zebra",
    "one_letter": "a",
    "letters": " ".join("abcdefghijklmnopqrstuvwxyz"),
    "digits": " ".join("0123456789"),
    "two_letters": "se ee er ti ne ac is ra te ut ri ow le ro ou ef ld we pe ve it lo ag on in he al or st ch",
    "year": "shoulder 2019",
}


def main() -> None:
    """One line of JSON: for each sort of search how many empty pages it costs, by the median of several tries."""
    assert wsgi.application is not None  # loaded, as in the site's own processes, which look after memory as it says
    browser = browser_of(_linked())
    gc.collect()
    gc.freeze()
    found = {}
    for name, words in _SEARCHES.items():
        say(name)
        times = [(_searched(browser, words), seconds(browser, EMPTY)) for _try in range(_TRIES + 1)]
        searched, empty = (statistics.median(taken) for taken in zip(*times[1:], strict=True))
        found[f"{name}_to_empty"] = searched / empty
    print(json.dumps(found))


def _searched(browser: Client, words: str) -> float:
    return seconds(browser, reverse("search_record"), words)


def _linked() -> Connection:
    say(f"storing {_NAMES} names")
    (connection,) = links.make("http://127.0.0.1:1", 1, at=timezone.now())
    keep(connection, _resources())
    return connection


def _resources() -> Iterator[Resource]:
    yield Resource("Patient", sync_bodies.PATIENT_ID, json.dumps(sync_bodies.patient()).encode())
    called = itertools.cycle(itertools.product(_WHERE, _WHAT, _OF))
    for number, words in zip(range(_NAMES), called, strict=False):
        resource_type, logical_id = ("Condition", "Procedure")[number % 2], f"named-{number}"
        body = {
            "resourceType": resource_type,
            "id": logical_id,
            "subject": {"reference": f"Patient/{sync_bodies.PATIENT_ID}"},
            "code": {"text": f"{' '.join(words)}, seen {number}"},
            ("onsetDateTime", "performedDateTime")[number % 2]: sync_bodies.day(number),
        }
        yield Resource(resource_type, logical_id, json.dumps(body).encode())
