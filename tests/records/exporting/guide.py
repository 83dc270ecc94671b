"""What R4 and the guide of the International Patient Summary demand of a document, as far as its structure shows it.

There is no validator of profiles here: the rules are written down by hand, each with the name that the specification
gives it.
"""

import re
from collections.abc import Iterator
from datetime import date
from typing import Any, Final

Part = dict[str, Any]

LOINC: Final = "http://loinc.org"
REQUIRED: Final = frozenset({"10160-0", "48765-2", "11450-4"})
SECTIONS: Final = {  # what each may refer to: Composition (IPS) of STU 1.1 and 2.0
    "104605-1": {"Flag"},
    "48765-2": {"AllergyIntolerance"},
    "10160-0": {"MedicationStatement", "MedicationRequest"},
    "11450-4": {"Condition"},
    "10162-6": {"Observation"},
    "42348-3": {"Consent", "DocumentReference"},
    "46264-8": {"DeviceUseStatement"},
    "47519-4": {"Procedure"},
    "30954-2": {"Observation", "DiagnosticReport"},
    "8716-3": {"Observation"},
    "11369-6": {"Immunization"},
    "11348-0": {"Condition"},
    "18776-5": {"CarePlan"},
    "29762-2": {"Observation"},
}
_THO: Final = "http://terminology.hl7.org/CodeSystem/"
_WITHHELD: Final = (f"{_THO}list-empty-reason", "withheld")
_CODED: Final = {  # bindings that are required: by type and element, then by element alone
    "Composition.status": {"preliminary", "final", "amended"},
    "MedicationRequest.status": {"active", "on-hold", "cancelled", "completed", "stopped", "draft", "unknown"},
    "MedicationRequest.intent": {
        "proposal", "plan", "order", "original-order", "reflex-order", "filler-order", "instance-order", "option",
    },
    "MedicationStatement.status": {
        "active", "completed", "intended", "stopped", "on-hold", "unknown", "not-taken",
    },
    "Observation.status": {"registered", "preliminary", "final", "amended", "corrected", "cancelled", "unknown"},
    "DiagnosticReport.status": {
        "registered", "partial", "preliminary", "final", "amended", "corrected", "appended", "cancelled", "unknown",
    },
    "Immunization.status": {"completed", "not-done"},
    "Procedure.status": {
        "preparation", "in-progress", "not-done", "on-hold", "stopped", "completed", "unknown",
    },
    "CarePlan.status": {"draft", "active", "on-hold", "revoked", "completed", "unknown"},
    "CarePlan.intent": {"proposal", "plan", "order", "option"},
    "Flag.status": {"active", "inactive"},
    "DocumentReference.status": {"current", "superseded"},
    "DeviceUseStatement.status": {"active", "completed", "intended", "stopped", "on-hold"},
    "Device.status": {"active", "inactive", "unknown"},
    "AllergyIntolerance.type": {"allergy", "intolerance"},
    "AllergyIntolerance.criticality": {"low", "high", "unable-to-assess"},
    "AllergyIntolerance.category": {"food", "medication", "environment", "biologic"},
    "AllergyIntolerance.reaction.severity": {"mild", "moderate", "severe"},
    "CarePlan.activity.detail.status": {
        "not-started", "scheduled", "in-progress", "on-hold", "completed", "cancelled", "stopped", "unknown",
    },
    "gender": {"male", "female", "other", "unknown"},
    "comparator": {"<", "<=", ">=", ">"},
    "durationUnit": {"s", "min", "h", "d", "wk", "mo", "a"},
    "periodUnit": {"s", "min", "h", "d", "wk", "mo", "a"},
    "dayOfWeek": {"mon", "tue", "wed", "thu", "fri", "sat", "sun"},
    "when": {
        "MORN", "MORN.early", "MORN.late", "NOON", "AFT", "AFT.early", "AFT.late", "EVE", "EVE.early", "EVE.late",
        "NIGHT", "PHS", "HS", "WAKE", "C", "CM", "CD", "CV", "AC", "ACM", "ACD", "ACV", "PC", "PCM", "PCD", "PCV",
    },
}  # fmt: skip
_CONCEPTS: Final = {  # the same of concepts: the code system, and its codes
    "AllergyIntolerance.clinicalStatus": ("allergyintolerance-clinical", {"active", "inactive", "resolved"}),
    "AllergyIntolerance.verificationStatus": (
        "allergyintolerance-verification", {"unconfirmed", "confirmed", "refuted", "presumed"},
    ),
    "Condition.clinicalStatus": (
        "condition-clinical", {"active", "recurrence", "relapse", "inactive", "remission", "resolved"},
    ),
    "Condition.verificationStatus": (
        "condition-ver-status", {"unconfirmed", "provisional", "differential", "confirmed", "refuted"},
    ),
    "Condition.category": ("condition-category", {"problem-list-item", "encounter-diagnosis"}),
    "emptyReason": ("list-empty-reason", {"nilknown", "notasked", "withheld", "unavailable", "notstarted"}),
    "dataAbsentReason": (
        "data-absent-reason",
        {"unknown", "asked-declined", "masked", "not-applicable", "error", "as-text", "not-performed"},
    ),
}  # fmt: skip
_NEEDED: Final = {  # 1..1 or 1..*, absent with a reason counting as there; of a choice any
    "Composition": ("identifier", "status", "type", "subject", "date", "author", "title", "section", "text"),
    "Patient": ("name", "birthDate", "text"),
    "AllergyIntolerance": ("code", "patient", "clinicalStatus"),
    "Condition": ("code", "subject", "clinicalStatus", "category"),
    "MedicationStatement": ("status", "medication[x]", "subject", "effective[x]"),
    "MedicationRequest": ("status", "intent", "medication[x]", "subject"),
    "Immunization": ("status", "vaccineCode", "patient", "occurrence[x]"),
    "Procedure": ("status", "code", "subject", "performed[x]"),
    "DeviceUseStatement": ("status", "subject", "device", "timing[x]"),
    "Observation": ("status", "category", "code", "subject", "effective[x]", "performer"),
    "DiagnosticReport": ("status", "code", "subject", "effective[x]", "performer"),
    "CarePlan": ("status", "intent", "subject"),
    "Flag": ("status", "code", "subject"),
    "DocumentReference": ("status", "content", "subject"),
    "Practitioner": ("name",),
    "Organization": ("name",),
    "Provenance": ("target", "recorded", "agent"),
}
_URL: Final = re.compile("urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_CODE: Final = re.compile(r"\S+(\s\S+)*")
_URI: Final = re.compile(
    r"(urn:oid:[0-2](\.(0|[1-9]\d*))+|urn:uuid:[0-9a-f-]{36}|(?!urn:(oid|uuid):)[a-z][a-z0-9+.-]*:\S+)", re.IGNORECASE
)
_STAMP: Final = re.compile(
    r"\d{4}(-\d\d(-\d\d(T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]((0\d|1[0-3]):[0-5]\d|14:00)))?)?)?",
    re.ASCII,
)
_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT\S+")
_DATES: Final = re.compile(
    r"\w*Date(Time)?|date|start|end|authoredOn|lastOccurrence|creation|recorded|onset|timestamp|lastUpdated|issued"
)
_INSTANTS: Final = frozenset({"timestamp", "lastUpdated", "issued", "recorded"})
_UNSHOWABLE: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_BY_NAME: Final = frozenset({"system", "url", "fullUrl", "source", "profile", "uri"})


def broken(document: Part) -> list[str]:
    """Each rule that the document breaks, with where; none for one that keeps all."""
    return [*_of_bundle(document), *_of_composition(document), *_of_parts(document)]


def _of_bundle(bundle: Part) -> Iterator[str]:
    entries = bundle["entry"]
    urls = [each.get("fullUrl", "") for each in entries]
    yield from _unless(bundle["type"] == "document", "IPS: Bundle.type")
    yield from _unless(_INSTANT.fullmatch(bundle.get("timestamp", "")), "bdl-10: a document has a timestamp")
    yield from _unless(
        bundle.get("identifier", {}).keys() >= {"system", "value"}, "bdl-9: a document has an identifier"
    )
    yield from _unless(entries[0]["resource"]["resourceType"] == "Composition", "bdl-11: the Composition is first")
    yield from _unless(all(map(_URL.fullmatch, urls)), "R4 references: fullUrl is urn:uuid, in lower case")
    yield from _unless(len(set(urls)) == len(urls), "bdl-7: fullUrl is unique")
    for each in entries:
        yield from _unless(each["fullUrl"] == f"urn:uuid:{each['resource']['id']}", "id is that of fullUrl")
        yield from _unless(each.keys() == {"fullUrl", "resource"}, "bdl-2, bdl-3: no search, no request")
    kinds = [each["resource"]["resourceType"] for each in entries]
    yield from _unless(kinds.count("Patient") == kinds.count("Composition") == 1, "IPS: one Patient, one Composition")
    named = {each["fullUrl"]: set(_references(each["resource"])) for each in entries}
    for url, targets in named.items():
        yield from (f"R4 references: {target} of {url} is in the document" for target in targets - set(urls))
    yield from (f"R4 documents: {url} is reachable" for url in _unreachable(named, urls[kinds.index("Composition")]))


def _unreachable(named: dict[str, set[str]], start: str) -> set[str]:
    """From the Composition, along references; a Provenance is reached by what it is about."""
    reached, waiting = {start}, [start]
    while waiting:
        url = waiting.pop()
        near = named[url] | {other for other, targets in named.items() if url in targets}
        new = (near & set(named)) - reached
        reached |= new
        waiting += new
    return set(named) - reached


def _of_composition(bundle: Part) -> Iterator[str]:
    by_url = {each["fullUrl"]: each["resource"] for each in bundle["entry"]}
    head = next(each for each in by_url.values() if each["resourceType"] == "Composition")
    yield from _unless(_codes(head["type"]) == [(LOINC, "60591-5")], "IPS: Composition.type")
    yield from _unless(by_url[head["subject"]["reference"]]["resourceType"] == "Patient", "IPS: Composition.subject")
    authors = {by_url[each["reference"]]["resourceType"] for each in head["author"]}
    yield from _unless(authors and authors <= {"Device", "Patient", "Practitioner"}, "IPS: Composition.author")
    codes = [_codes(each["code"])[0] for each in head["section"]]
    yield from _unless(len(set(codes)) == len(codes), "IPS: each section once")
    yield from _unless({code for _system, code in codes} >= REQUIRED, "IPS: the required sections")
    for each in head["section"]:
        system, code = _codes(each["code"])[0]
        told = [by_url.get(reference["reference"], {}) for reference in each.get("entry", ())]
        yield from _unless(system == LOINC and code in SECTIONS, f"IPS: Composition.section.code {code}")
        yield from _unless(each.get("title", "").strip() and each.get("text"), f"IPS: title and text of {code}")
        yield from _unless(
            ("entry" in each) != ("emptyReason" in each), f"cmp-1, cmp-2: {code} has entries or a reason"
        )
        is_withheld = _codes(each.get("emptyReason", {}))[:1] == [_WITHHELD]  # by the person
        yield from _unless("entry" in each or code not in REQUIRED or is_withheld, f"IPS: {code} has entries")
        kinds = {resource.get("resourceType") for resource in told}
        yield from _unless(kinds <= SECTIONS.get(code, set()), f"IPS: {code} refers to {kinds}")
        listed = [reference["reference"] for reference in each.get("entry", ())]
        yield from _unless(len(set(listed)) == len(listed), f"{code} refers to each once")


def _of_parts(bundle: Part) -> Iterator[str]:
    for each in bundle["entry"]:
        resource = each["resource"]
        kind = resource["resourceType"]
        for name in _NEEDED.get(kind, ()):
            yield from _unless(_has(resource, name), f"IPS: {kind}.{name}")
        yield from (f"{kind}: {said}" for said in _LAWS.get(kind, lambda _resource: iter(()))(resource))
        for path, part in _within(resource, kind):
            yield from (f"{path}: {said}" for said in _of_part(path, part))
    yield from (f"ele-1: {path} is not empty" for path in _empties(bundle, "Bundle"))


def _of_part(path: str, part: Part) -> Iterator[str]:
    """What holds of an object wherever it stands."""
    for name, value in part.items():
        for one in value if isinstance(value, list) else [value]:
            yield from (f"{name}: {said}" for said in _of_value(path, name, one))
    if path.endswith("xtension"):
        values = [name for name in part if name.lstrip("_").startswith("value")]
        yield from _unless(
            len(values) == ("extension" not in part) and "url" in part, "ext-1: a value, or further parts"
        )
    if "start" in part and "end" in part:
        most = min(len(part["start"]), len(part["end"]), 10)
        yield from _unless(part["start"][:most] <= part["end"][:most], "per-1: it starts before it ends")
    if "low" in part and "high" in part and not path.endswith("referenceRange"):
        low, high = (part[side].get("value") for side in ("low", "high"))
        yield from _unless(low is None or high is None or low <= high, "rng-2: low is not above high")
    yield from _of_kind(path, part)


def _of_kind(path: str, part: Part) -> Iterator[str]:
    """What holds of a datatype, told by where it stands."""
    if {"numerator", "denominator"} & part.keys():
        yield from _unless({"numerator", "denominator"} <= part.keys(), "rat-1: both or none")
    if path.endswith("telecom"):
        yield from _unless("system" in part or "value" not in part, "cpt-2: a system where there is a value")
    if path.endswith("referenceRange"):
        yield from _unless({"low", "high", "text"} & part.keys(), "obs-3: low, high or text")
    if path.endswith(("Quantity", ".low", ".high", "numerator", "denominator")):
        yield from _unless("system" in part or "code" not in part, "qty-3: a code has a system")


def _of_value(path: str, name: str, value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        system, codes = _CONCEPTS.get(f"{path}.{name}") or _CONCEPTS.get(name) or ("", set())
        told = _codes(value) if system else []
        yield from _unless(all(one[0] == _THO + system and one[1] in codes for one in told), "is of its set")
    elif isinstance(value, str):
        yield from _of_text(path, name, value)


def _of_text(path: str, name: str, value: str) -> Iterator[str]:
    yield from _unless(value.strip() and not _UNSHOWABLE.search(value), "string: some text, of characters that show")
    is_contact = path.endswith("telecom")
    if name in _BY_NAME and not is_contact:
        yield from _unless(_URI.fullmatch(value), f"uri: {value!r} is absolute")
    if name in {"code", "status", "valueCode", "language"} or (name == "system" and is_contact):
        yield from _unless(_CODE.fullmatch(value), "code: no outer or double spaces")
    if _DATES.fullmatch(name):
        yield from _unless(_STAMP.fullmatch(value) and _is_a_day(value), f"dateTime: {value!r}")
        yield from _unless(name not in _INSTANTS or _INSTANT.fullmatch(value), f"instant: {value!r}")
    known = _CODED.get(f"{path}.{name}") or _CODED.get(name)
    yield from _unless(known is None or value in known, f"{value!r} is of its set")


def _of_observation(resource: Part) -> Iterator[str]:
    has_value = any(name.lstrip("_").startswith("value") for name in resource)
    parts = resource.get("component", [])
    yield from _unless(
        not (has_value and "dataAbsentReason" in resource), "obs-6: a value or a reason why there is none"
    )
    same = {each for part in parts for each in _codes(part["code"])} & set(_codes(resource["code"]))
    yield from _unless(not (has_value and same), "obs-7: no part has the code of a whole that has a value")
    yield from _unless(
        has_value or "dataAbsentReason" in resource or parts or "hasMember" in resource, "vs-2: a value or a reason"
    )
    for part in parts:
        told = [name for name in part if name.lstrip("_").startswith("value") or name == "dataAbsentReason"]
        yield from _unless(len(told) == 1, "vs-3: a part has a value or a reason")


def _of_condition(resource: Part) -> Iterator[str]:
    over = {code for _system, code in _codes(resource["clinicalStatus"])} if "clinicalStatus" in resource else set()
    ended = any(name.startswith("abatement") for name in resource)
    yield from _unless(not ended or over <= {"inactive", "resolved", "remission"}, "con-4: what ended is not active")


def _of_allergy(resource: Part) -> Iterator[str]:
    for each in resource.get("reaction", ()):
        yield from _unless(each.get("manifestation"), "reaction.manifestation is 1..*")


def _of_person(resource: Part) -> Iterator[str]:
    for each in resource.get("name", ()):
        yield from _unless({"text", "family", "given"} & each.keys(), "ips-pat-1: a name names somebody")
    for each in resource.get("contact", ()):
        yield from _unless({"name", "telecom", "address", "organization"} & each.keys(), "pat-1: a way to know them")


def _of_plan(resource: Part) -> Iterator[str]:
    for each in resource.get("activity", ()):
        yield from _unless(("detail" in each) != ("reference" in each), "cpl-3: detail or reference")
        yield from _unless("status" in each.get("detail", {"status": ""}), "activity.detail.status is 1..1")


def _of_vaccine(resource: Part) -> Iterator[str]:
    for each in resource.get("protocolApplied", ()):
        yield from _unless(_has(each, "doseNumber[x]"), "protocolApplied.doseNumber[x] is 1..1")


_LAWS: Final = {
    "Observation": _of_observation,
    "Condition": _of_condition,
    "AllergyIntolerance": _of_allergy,
    "Patient": _of_person,
    "CarePlan": _of_plan,
    "Immunization": _of_vaccine,
}


def _codes(concept: Part) -> list[tuple[str, str]]:
    return [(each.get("system", ""), each["code"]) for each in concept.get("coding", ()) if "code" in each]


def _has(part: Part, name: str) -> bool:
    stem, is_choice = name.removesuffix("[x]"), name.endswith("[x]")
    found = [key for key in part if key.lstrip("_").startswith(stem)] if is_choice else {name, f"_{name}"} & part.keys()
    return len(found) == 1


def _is_a_day(written: str) -> bool:
    try:
        return bool(date.fromisoformat((written[:10] + "-01-01")[:10]))
    except ValueError:
        return False


def _unless(holds: object, said: str) -> Iterator[str]:
    if not holds:
        yield said


def _references(part: Any) -> Iterator[str]:
    for _path, each in _within(part, ""):
        if isinstance(each.get("reference"), str):
            yield each["reference"]


def _within(part: Any, path: str) -> Iterator[tuple[str, Part]]:
    if isinstance(part, list):
        for each in part:
            yield from _within(each, path)
    elif isinstance(part, dict):
        yield path, part
        for name, each in part.items():
            yield from _within(each, f"{path}.{name}")


def _empties(part: Any, path: str) -> Iterator[str]:
    if part in ("", [], {}, None):
        yield path
    for name, each in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
        yield from _empties(each, f"{path}.{name}")
