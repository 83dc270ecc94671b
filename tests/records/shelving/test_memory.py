"""Building shelves takes a few megabytes of memory, however large the bodies are."""

import json
import random
import tracemalloc
from uuid import uuid4

import pytest

from apps.records import shelving
from apps.records.shelving import opening
from apps.records.subjects import LISTED
from apps.records.syncing.received_rows import storing
from apps.vault import sealing
from apps.vault.sealing import Holder
from apps.wire.fhir import Resource
from tests.records.linked import AT
from tests.records.people import PATIENT_ID

pytestmark = pytest.mark.django_db

_NOTE_BYTES = 1_000_000
_NOTES = 40
_ANSWERS = 280
_MOST_BYTES = 16 * _NOTE_BYTES  # a body in several forms, and what lists say of it; forty bodies would be 80 and more


def note(number, text):
    content = {
        "resourceType": "Condition",
        "id": f"c{number}",
        "subject": {"reference": f"Patient/{PATIENT_ID}"},
        "code": {"text": f"Condition {number}"},
        "extension": [{"url": "https://example.org/page", "valueBase64Binary": text}],
    }
    return Resource("Condition", f"c{number}", json.dumps(content).encode())


def questionnaire(number):
    """Of many answers, none too long for a list."""
    items = [{"linkId": str(n), "text": "Asked", "answer": [{"valueString": f"{n} " * 900}]} for n in range(_ANSWERS)]
    content = {"resourceType": "QuestionnaireResponse", "id": f"q{number}", "status": "completed", "item": items}
    return Resource("QuestionnaireResponse", f"q{number}", json.dumps(content).encode())


def keep(connection, *resources):
    with sealing.key_ring(Holder.user(connection.user_id)) as ring:
        storing.keep(connection, resources, run_id=uuid4(), ring=ring, at=AT)


def peak_bytes(connection):
    tracemalloc.start()
    try:
        built = shelving.rebuild_all(connection, at=AT)
        return built.entries, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


class TestLargeBodies:
    def test_that_hardly_compress_are_not_open_all_at_once(self, connection):
        chance = random.Random(4)
        for number in range(_NOTES):
            keep(connection, note(number, chance.randbytes(_NOTE_BYTES // 2).hex()))
        entries, peak = peak_bytes(connection)
        assert (entries, peak < _MOST_BYTES) == (_NOTES, True)

    def test_that_are_small_when_sealed_are_not_either(self, connection):
        keep(connection, *(note(number, "a" * _NOTE_BYTES) for number in range(_NOTES)))
        entries, peak = peak_bytes(connection)
        assert (entries, peak < _MOST_BYTES) == (_NOTES, True)

    def test_whose_entries_are_as_large_are_not_either(self, connection):
        for number in range(_NOTES):
            keep(connection, questionnaire(number))
        entries, peak = peak_bytes(connection)
        assert (entries, peak < _MOST_BYTES) == (_NOTES, True)


class TestABatch:
    def test_holds_as_many_rows_and_bytes_as_it_may(self, connection, monkeypatch):
        monkeypatch.setattr(opening, "_ROWS_AT_ONCE", 3)
        monkeypatch.setattr(opening, "_BYTES_AT_ONCE", 5_000)
        lengths = [10, 10, 10, 10, 4000, 4000, 9000, 10, 60_000]
        keep(connection, *(note(number, "a" * length) for number, length in enumerate(lengths)))
        monkeypatch.setattr(opening, "_LARGE_BYTES", 250)
        with sealing.key_ring(Holder.user(connection.user_id)) as ring:
            found = list(opening.batches(connection, LISTED, ring, []))
        sizes = [[len(body) for _record, body in batch] for batch in found]
        assert all(len(batch) <= 3 and (sum(batch) <= 5_000 or len(batch) == 1) for batch in sizes)
        assert sorted(record.logical_id for batch in found for record, _body in batch) == [f"c{n}" for n in range(9)]
