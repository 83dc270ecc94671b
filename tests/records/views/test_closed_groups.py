"""Groups of a list that are closed at first: what was ruled out, and many past medicines."""

import re
from typing import Any

import pytest

from tests.records.pages import main
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep

pytestmark = pytest.mark.django_db

CLOSED = re.compile(r'<details class="group"><summary><h2>(.*?)</h2></summary>(.*?)</details>', re.DOTALL)


def medicine(number: int, status: str) -> dict[str, Any]:
    return {
        "resourceType": "MedicationRequest",
        "id": f"{status}-{number}",
        "status": status,
        "intent": "order",
        "subject": {"reference": f"Patient/{PATIENT_ID}"},
        "medicationCodeableConcept": {"text": f"{status.title()} medicine {number:02}"},
    }


def condition(logical_id: str, verification: str) -> dict[str, Any]:
    return {
        "resourceType": "Condition",
        "id": logical_id,
        "subject": {"reference": f"Patient/{PATIENT_ID}"},
        "verificationStatus": {"coding": [{"code": verification}]},
        "clinicalStatus": {"coding": [{"code": "active"}]},
        "code": {"text": f"Called {logical_id}"},
    }


def closed(text: str) -> list[tuple[str, int]]:
    """The headings of what is closed, and how many rows are in each."""
    return [(re.sub("<[^>]+>", "", heading), rows.count("row-link")) for heading, rows in CLOSED.findall(text)]


def test_past_medicines_are_where_there_are_more_than_ten(hers, connection):
    keep(connection, medicine(1, "active"), *(medicine(number, "stopped") for number in range(11)))
    text = main(hers, "subject", "medicines")
    assert closed(text) == [("Past 11 entries", 11)]
    assert text.index("Active medicine") < text.index("<details") < text.index("Stopped medicine")


def test_ten_past_medicines_are_open(hers, connection):
    keep(connection, medicine(1, "active"), *(medicine(number, "stopped") for number in range(10)))
    text = main(hers, "subject", "medicines")
    assert closed(text) == []
    assert '<h2 class="group">Past</h2>' in text


def test_what_a_page_begins_with_is_open(hers, connection):
    keep(connection, medicine(1, "active"), *(medicine(number, "stopped") for number in range(60)))
    assert closed(main(hers, "subject", "medicines")) == [("Past 60 entries", 49)]
    text = main(hers, "subject", "medicines", page="2")
    assert closed(text) == []
    assert text.count("Stopped medicine") == 11


def test_one_condition_that_was_ruled_out_is_and_past_ones_are_not(hers, connection):
    past = {**condition("past", "confirmed"), "clinicalStatus": {"coding": [{"code": "resolved"}]}}
    keep(connection, condition("now", "confirmed"), condition("never", "refuted"), past)
    text = main(hers, "subject", "conditions")
    assert closed(text) == [("Ruled out 1 entry", 1)]
    assert text.index("<details") < text.index("Called never") < text.index("</details>")


def test_what_was_ruled_out_is_open_where_there_is_nothing_else(hers, connection):
    keep(connection, condition("never", "refuted"))
    text = main(hers, "subject", "conditions")
    assert closed(text) == []
    assert "Called never" in text


def test_nothing_is_in_a_list_that_is_newest_first(hers, connection):
    keep(connection, medicine(1, "active"), *(medicine(number, "stopped") for number in range(11)))
    assert closed(main(hers, "subject", "medicines", by="date")) == []
