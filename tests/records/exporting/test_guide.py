"""The rules of the guide find violations: each of these documents has one fault."""

import copy
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from apps.records.exporting import choosing
from apps.records.exporting.ips import documents
from tests.records.exporting import guide
from tests.records.exporting.keeping import keep
from tests.records.exporting.stories import stories
from tests.records.linked import AT, make_connection, make_endpoint

pytestmark = pytest.mark.django_db

Document = dict[str, Any]


_WRITTEN: list[bytes] = []  # once: it is long


@pytest.fixture
def document(alice):
    if not _WRITTEN:
        keep(make_connection(alice, make_endpoint()), *stories()["george"]["r4"])
        _WRITTEN.append(documents.document(choosing.choices(alice, at=AT), at=AT))
    return json.loads(_WRITTEN[0], parse_float=Decimal)


def one(document: Document, kind: str, *names: str) -> dict[str, Any]:
    resources = (each["resource"] for each in document["entry"])
    return next(each for each in resources if each["resourceType"] == kind and set(names) <= each.keys())


def section(document: Document, code: str) -> dict[str, Any]:
    sections = one(document, "Composition")["section"]
    return next(each for each in sections if each["code"]["coding"][0]["code"] == code)


def alone() -> dict[str, Any]:
    """An entry that nothing refers to."""
    url = f"urn:uuid:{'0' * 8}-0000-0000-0000-{'0' * 12}"
    return {"fullUrl": url, "resource": {"resourceType": "Device", "id": url.removeprefix("urn:uuid:")}}


def problem(document: Document) -> dict[str, Any]:
    return one(document, "Condition", "clinicalStatus")


FAULTS: dict[str, Callable[[Document], Any]] = {
    "bdl-9": lambda whole: whole.pop("identifier"),
    "bdl-10": lambda whole: whole.pop("timestamp"),
    "bdl-11": lambda whole: whole["entry"].append(whole["entry"].pop(0)),
    "bdl-7": lambda whole: whole["entry"].append(whole["entry"][-1]),
    "id is that of fullUrl": lambda whole: whole["entry"][-1]["resource"].update(id="x"),
    "is in the document": lambda whole: problem(whole)["subject"].update(reference=f"urn:uuid:{'0' * 8}"),
    "is reachable": lambda whole: whole["entry"].append(alone()),
    "the required sections": lambda whole: one(whole, "Composition")["section"].remove(section(whole, "48765-2")),
    "each section once": lambda whole: one(whole, "Composition")["section"].append(section(whole, "48765-2")),
    "cmp-1": lambda whole: section(whole, "48765-2").update(emptyReason={}),
    "11450-4 has entries": lambda whole: section(whole, "11450-4").pop("entry"),
    "refers to each once": lambda whole: section(whole, "11450-4")["entry"].extend(section(whole, "11450-4")["entry"]),
    "IPS: 48765-2 refers to": lambda whole: section(whole, "48765-2").update(entry=section(whole, "11450-4")["entry"]),
    "Composition.section.code": lambda whole: section(whole, "48765-2")["code"]["coding"][0].update(system="urn:x"),
    "title and text": lambda whole: section(whole, "48765-2").pop("text"),
    "IPS: Condition.clinicalStatus": lambda whole: problem(whole).pop("clinicalStatus"),
    "con-4": lambda whole: problem(whole).update(abatementDateTime="2020"),
    "ips-pat-1": lambda whole: one(whole, "Patient").update(name=[{"prefix": ["Dr"]}]),
    "pat-1: a way": lambda whole: one(whole, "Patient").update(contact=[{"gender": "male"}]),
    "cpt-2": lambda whole: one(whole, "Patient").update(telecom=[{"value": "1"}]),
    "obs-6": lambda whole: one(whole, "Observation", "valueQuantity").update(dataAbsentReason={"text": "x"}),
    "vs-2": lambda whole: one(whole, "Observation", "valueQuantity").pop("valueQuantity"),
    "obs-3": lambda whole: one(whole, "Observation", "referenceRange")["referenceRange"].append({"type": {}}),
    "qty-3": lambda whole: one(whole, "Observation", "valueQuantity")["valueQuantity"].pop("system"),
    "uri: 'SNOMED' is absolute": lambda whole: problem(whole)["code"]["coding"][0].update(system="SNOMED"),
    "code: no outer": lambda whole: problem(whole)["code"]["coding"][0].update(code=" 1"),
    "dateTime: '2019-02-30'": lambda whole: problem(whole).update(recordedDate="2019-02-30"),
    "instant: '2019'": lambda whole: one(whole, "Provenance").update(recorded="2019"),
    "'odd' is of its set": lambda whole: one(whole, "Observation").update(status="odd"),
    "clinicalStatus: is of its set": lambda whole: problem(whole)["clinicalStatus"]["coding"][0].update(code="odd"),
    "string: some text": lambda whole: one(whole, "Composition").update(title="  "),
    "ele-1": lambda whole: problem(whole).update(note=[]),
    "ext-1": lambda whole: problem(whole).update(modifierExtension=[{"url": "urn:x"}]),
    "per-1": lambda whole: problem(whole).update(onsetPeriod={"start": "2020", "end": "2019"}),
    "rng-2": lambda whole: problem(whole).update(onsetRange={"low": {"value": 2}, "high": {"value": 1}}),
}  # fmt: skip


class TestTheRules:
    def test_are_kept_by_what_has_no_fault(self, document):
        assert guide.broken(document) == []

    @pytest.mark.parametrize("rule", FAULTS)
    def test_find_what_breaks_them(self, document, rule):
        spoiled = copy.deepcopy(document)
        FAULTS[rule](spoiled)
        assert any(rule in said for said in guide.broken(spoiled))
