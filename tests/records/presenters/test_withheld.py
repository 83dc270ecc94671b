"""No entry of any kind shows what a provider withdrew or withholds."""

import json
from typing import Any

import msgspec
import pytest

from apps.records import presenting
from apps.records.presenters.entry import Context, Entry

SAID = {"text": "canary"}
SHOWN = {"display": "canary"}
# Something for each kind to tell.
EVERYTHING: dict[str, Any] = {
    **dict.fromkeys(("code", "vaccineCode", "medicationCodeableConcept", "relationship", "substance"), SAID),
    **{name: [SAID] for name in ("type", "category", "note", "reasonCode", "dosageInstruction", "dosage")},
    **dict.fromkeys(("description", "title", "name", "valueString", "conclusion", "subscriberId"), "canary"),
    **dict.fromkeys(("authority", "requester"), SHOWN),
    "condition": [{"code": SAID}],
    "recommendation": [{"targetDisease": SAID, "vaccineCode": [SAID]}],
    "item": [{"text": "canary", "answer": [{"valueString": "canary"}]}],
    "reaction": [{"description": "canary", "manifestation": [SAID]}],
    "activity": [{"detail": {"description": "canary"}}],
    "participant": [{"member": SHOWN, "actor": SHOWN, "individual": SHOWN}],
    "payor": [SHOWN],
    "component": [{"code": SAID, "valueString": "canary"}],
    "performer": [{"actor": SHOWN}],
    "collection": {"bodySite": SAID},
    "text": {"div": "<div>canary</div>"},
}
MASKED = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"

kinds = pytest.mark.parametrize("resource_type", [*presenting.PRESENTERS, "Basic"])


def entry_of(resource_type: str, **elements: Any) -> Entry:
    body = json.dumps({"resourceType": resource_type, "id": "x1", **EVERYTHING, **elements}).encode()
    return presenting.present(body, resource_type=resource_type, logical_id="x1", context=Context())[1]


def tells(entry: Entry) -> bool:
    return b"canary" in msgspec.json.encode(entry)


class TestAnEntry:
    @kinds
    def test_tells_what_was_sent(self, resource_type):
        assert tells(entry_of(resource_type))

    @kinds
    @pytest.mark.parametrize(
        "elements",
        [{"meta": {"security": [{"code": "MASKED"}]}}, {"extension": [{"url": MASKED, "valueCode": "masked"}]}],
        ids=["by a label", "by an extension"],
    )
    def test_tells_nothing_of_what_is_withheld(self, resource_type, elements):
        entry = entry_of(resource_type, **elements)
        assert (entry.is_withheld, tells(entry)) == (True, False)

    @kinds
    def test_tells_nothing_of_what_was_taken_back(self, resource_type):
        taken_back = {"status": "entered-in-error", "verificationStatus": {"coding": [{"code": "entered-in-error"}]}}
        entry = entry_of(resource_type, **taken_back)
        assert (entry.is_withdrawn, tells(entry)) == (True, False)
