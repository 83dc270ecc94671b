"""The International Patient Summary is valid by the rules in its package, and the same from both FHIR versions."""

import json
import re
from decimal import Decimal
from html.parser import HTMLParser

import pytest
from hypothesis import HealthCheck, given, settings

from apps.records.exporting import choosing
from apps.records.exporting.ips import documents
from apps.records.exporting.ips.sections import SECTIONS, TYPES
from apps.records.models import Record
from tests.records.exporting import guide
from tests.records.exporting.keeping import keep, raw
from tests.records.exporting.r4 import assert_r4
from tests.records.exporting.stories import NAMES, VERSIONS, stories
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.people import R4_PATIENT, allergy
from tests.records.presenters import oddities

pytestmark = pytest.mark.django_db

ABSENT = "http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips"
MEDICINES, ALLERGIES, PROBLEMS = "10160-0", "48765-2", "11450-4"
REQUIRED = {  # what each type must have, so that IPS and R4 take it; [x] is any of a choice, its absence included
    "AllergyIntolerance": ("code", "patient", "clinicalStatus"),
    "Condition": ("code", "subject", "clinicalStatus", "category"),
    "MedicationStatement": ("status", "medicationCodeableConcept", "subject", "effective[x]"),
    "MedicationRequest": ("status", "intent", "medicationCodeableConcept", "subject"),
    "Immunization": ("status", "vaccineCode", "patient", "occurrence[x]"),
    "Procedure": ("status", "code", "subject", "performed[x]"),
    "DeviceUseStatement": ("status", "subject", "device", "timing[x]"),
    "Device": (),
    "Observation": ("status", "category", "code", "subject", "effective[x]", "performer"),
    "DiagnosticReport": ("status", "code", "subject", "effective[x]", "performer"),
    "CarePlan": ("status", "intent", "subject"),
    "Flag": ("status", "code", "subject"),
    "DocumentReference": ("status", "content", "subject"),
    "Patient": ("name", "birthDate"),
    "Practitioner": ("name",),
    "Organization": ("name",),
    "Provenance": ("target", "recorded", "agent", "entity"),
}

_ODD = (
    "status", "code", "clinicalStatus", "verificationStatus", "abatementDateTime", "reaction", "effectivePeriod",
    "medicationReference", "vaccineCode", "component", "valueQuantity", "activity", "valueRange", "valueRatio",
    "category", "dosage", "description", "identifier", "referenceRange",
    "conclusion", "conclusionCode", "codedDiagnosis", "result", "contained", "issued", "generalPractitioner",
    "communication", "contact", "name", "telecom", "address", "birthDate", "deceasedDateTime", "dosageInstruction",
    "protocolApplied", "vaccinationProtocol", "period", "bodySite", "note", "modifierExtension", "performedPeriod",
    "occurrenceDateTime", "effectiveDateTime", "stage", "interpretation", "hasMember", "related", "type", "content",
    "authoredOn", "recordedDate", "onsetPeriod", "lastOccurrence", "substance", "criticality", "severity", "udiCarrier",
    "valueSampledData", "valueDateTime", "timing", "date", "intent",
)  # fmt: skip


def summary(user):
    written = documents.document(choosing.choices(user, at=AT), at=AT)
    assert_r4(written)
    return json.loads(written, parse_float=Decimal)


def resources(document, *kinds):
    return [each["resource"] for each in document["entry"] if each["resource"]["resourceType"] in kinds]


def section(document, loinc):
    (found,) = [each for each in composition(document)["section"] if each["code"]["coding"][0]["code"] == loinc]
    return found


def composition(document):
    return document["entry"][0]["resource"]


def told_in(document, loinc):
    """The resources that a section refers to."""
    by_url = {each["fullUrl"]: each["resource"] for each in document["entry"]}
    named = [each for each in composition(document)["section"] if each["code"]["coding"][0]["code"] == loinc]
    return [by_url[reference["reference"]] for each in named for reference in each.get("entry", ())]


def referenced(part):
    if isinstance(part, dict):
        yield from ([part["reference"]] if isinstance(part.get("reference"), str) else [])
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from referenced(each)


def empties(part, path=""):
    if part in ("", [], {}, None):
        yield path
    children = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for name, each in children:
        yield from empties(each, f"{path}.{name}")


class Markup(HTMLParser):
    """The tags of a narrative, and whether each was closed."""

    def __init__(self):
        super().__init__()
        self.tags = set()
        self.open = []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag != "br":
            assert self.open.pop() == tag


def has(resource, name):
    stem = name.removesuffix("[x]")
    found = [key for key in resource if key.removeprefix("_").startswith(stem)] if "[x]" in name else []
    return bool(found) or name in resource or f"_{name}" in resource


def assert_valid(document):
    """The rules of `apps.records.exporting.ips`."""
    assert guide.broken(document) == []
    assert (document["resourceType"], document["type"]) == ("Bundle", "document")
    assert document["identifier"]["system"] == "urn:ietf:rfc:3986"
    assert document["timestamp"]
    assert all(set(each) == {"fullUrl", "resource"} for each in document["entry"])
    urls = [each["fullUrl"] for each in document["entry"]]
    assert len(set(urls)) == len(urls)
    assert [f"urn:uuid:{each['resource']['id']}" for each in document["entry"]] == urls
    assert set(referenced(document)) <= set(urls)
    assert list(empties(document)) == []
    assert_composed(composition(document))
    for resource in (each["resource"] for each in document["entry"][1:]):
        missing = [name for name in REQUIRED[resource["resourceType"]] if not has(resource, name)]
        assert missing == [] or "deviceName" in resource, resource
        assert_lawful(resource)


def assert_composed(head):
    assert head["resourceType"] == "Composition"
    assert head["status"] == "final"
    assert head["type"]["coding"][0]["code"] == "60591-5"
    assert head["subject"]
    assert head["author"]
    assert head["date"]
    codes = [each["code"]["coding"][0]["code"] for each in head["section"]]
    assert codes == [each.loinc for each in SECTIONS if not each.is_by_itself or each.loinc in codes]
    for each in head["section"]:
        assert each["title"]
        assert ("entry" in each) != ("emptyReason" in each)
        assert each["code"]["coding"][0]["code"] not in {MEDICINES, ALLERGIES, PROBLEMS} or "entry" in each
        markup = Markup()
        markup.feed(each["text"]["div"])
        assert markup.open == []
        assert markup.tags <= {"div", "p", "table", "thead", "tbody", "tr", "th", "td", "br"}


def assert_lawful(resource):
    """Invariants of R4 that converting could break."""
    if resource["resourceType"] == "Condition" and any(key.startswith("abatement") for key in resource):  # con-4
        assert resource["clinicalStatus"]["coding"][0]["code"] in {"inactive", "resolved", "remission"}
    if resource["resourceType"] == "Observation" and "dataAbsentReason" in resource:  # obs-6
        assert not any(key.startswith("value") for key in resource)
    for coding in re.findall(r'"code": "([^"]*)"', json.dumps(resource, default=str)):
        assert coding == " ".join(coding.split())


class TestADocument:
    @pytest.mark.parametrize("name", NAMES)
    def test_is_valid_and_the_same_from_both_versions(self, alice, sam, name):
        sections = []
        for number, version in enumerate(VERSIONS):
            user = (alice, sam)[number]
            connection = make_connection(user, make_endpoint(f"https://{version}.example", version=version))
            keep(connection, *stories()[name][version])
            document = summary(user)
            assert_valid(document)
            sections.append({each.loinc: plain(document, told_in(document, each.loinc)) for each in SECTIONS})
        for loinc, of_dstu2 in sections[0].items():
            assert of_dstu2 == sections[1][loinc], loinc

    def test_of_an_empty_record_says_that_nothing_is_known(self, alice):
        make_connection(alice)
        document = summary(alice)
        assert_valid(document)
        codes = [told_in(document, each)[0] for each in (MEDICINES, ALLERGIES, PROBLEMS)]
        found = [(each.get("code") or each["medicationCodeableConcept"])["coding"][0]["code"] for each in codes]
        assert found == ["no-medication-info", "no-allergy-info", "no-problem-info"]
        assert section(document, "11369-6")["emptyReason"]["coding"][0]["code"] == "unavailable"
        assert "Harbor Family Practice: Not fetched yet." in section(document, ALLERGIES)["text"]["div"]

    def test_says_that_there_is_none_only_where_a_provider_recorded_it(self, alice):
        none = {"coding": [{"system": "http://snomed.info/sct", "code": "716186003"}], "text": "No known allergies"}
        keep(make_connection(alice), allergy("a1", code=none))
        document = summary(alice)
        (entry,) = told_in(document, ALLERGIES)
        assert entry["code"] == {
            "coding": [
                {"system": ABSENT, "code": "no-known-allergies", "display": "No known allergies"},
                {"system": "http://snomed.info/sct", "code": "716186003"},
            ],
            "text": "No known allergies",
        }
        assert "Harbor Family Practice recorded on" in section(document, ALLERGIES)["text"]["div"]
        assert "no-problem-info" in str(told_in(document, PROBLEMS))

    @pytest.mark.parametrize(
        ("recorded", "listed", "is_coded"),
        [
            ("716186003", {}, False),
            ("716186003", {"clinicalStatus": {"coding": [{"code": "resolved"}]}}, True),
            ("409137002", {"category": ["medication"]}, False),
            ("409137002", {"category": ["food"]}, True),
            ("409137002", {}, False),
        ],
    )
    def test_codes_no_none_known_beside_what_refutes_it(self, alice, recorded, listed, is_coded):
        none = {"coding": [{"system": "http://snomed.info/sct", "code": recorded}], "text": "None known"}
        keep(make_connection(alice), {**allergy("a1", code=none), "category": []})
        keep(
            make_connection(alice, make_endpoint("https://other.example/r4")),
            {**allergy("a2"), "category": [], **listed},
        )
        document = summary(alice)
        assert "None known" in section(document, ALLERGIES)["text"]["div"]
        codes = [str(each["code"]) for each in told_in(document, ALLERGIES)]
        assert len(codes) == 1 + is_coded
        assert any("no-known" in code for code in codes) is is_coded

    def test_leaves_out_what_was_entered_in_error_or_ruled_out(self, alice):
        def judged(code):
            return {"coding": [{"code": code}]}

        keep(
            make_connection(alice),
            allergy("a1", verificationStatus=judged("entered-in-error"), code={"text": "Canary one"}),
            allergy("a2", verificationStatus=judged("refuted"), code={"text": "Canary two"}),
            allergy("a3", clinicalStatus=judged("active"), code={"text": "Canary three"}),
        )
        document = summary(alice)
        assert [each["code"]["text"] for each in told_in(document, ALLERGIES)] == ["Canary three"]
        assert "Canary one" not in str(document)
        assert "over, ruled out or not done: 1." in section(document, ALLERGIES)["text"]["div"]

    @pytest.mark.parametrize("said", [True, "true"])
    @pytest.mark.parametrize(
        ("kind", "named", "flag"),
        [
            ("MedicationRequest", "medicationCodeableConcept", "doNotPerform"),
            ("MedicationStatement", "medicationCodeableConcept", "wasNotTaken"),
            ("Immunization", "vaccineCode", "wasNotGiven"),
            ("Procedure", "code", "notPerformed"),
        ],
    )
    def test_leaves_out_what_was_not_given_also_where_that_was_sent_as_text(self, alice, kind, named, flag, said):
        status = {"MedicationRequest": "active", "MedicationStatement": "active"}.get(kind, "completed")
        sent = {"resourceType": kind, "id": "n1", "status": status, named: {"text": "Canary"}, flag: said}
        keep(make_connection(alice), sent, sent | {"id": "n2", named: {"text": "Given"}, flag: False})
        told = str(summary(alice))
        assert "Canary" not in told
        assert "Given" in told

    @pytest.mark.parametrize("no", ["prohibited", "doNotPerform"])
    def test_says_what_a_plan_tells_not_to_do_also_by_a_code_alone(self, alice, no):
        run = {"code": {"coding": [{"code": "229065009"}]}, "status": "in-progress", no: True}
        walk = {"description": "Walk", "status": "in-progress"}
        plan = {"resourceType": "CarePlan", "id": "p1", "status": "active", "description": "Heart",
                "activity": [{"detail": run}, {"detail": walk}]}  # fmt: skip
        keep(make_connection(alice), plan)
        document = summary(alice)
        (told,) = told_in(document, "18776-5")
        assert [each["detail"].get("doNotPerform") for each in told["activity"]] == [True, None]
        assert "Not to do: 229065009 · Under way; Walk · Under way" in section(document, "18776-5")["text"]["div"]

    def test_names_the_patient_and_says_where_each_entry_is_from(self, alice):
        keep(make_connection(alice), R4_PATIENT, allergy("a1"))
        document = summary(alice)
        (patient,) = resources(document, "Patient")
        assert patient["name"][1]["family"] == "Quillfeather"
        assert patient["birthDate"] == "1984-03-09"
        (entry,) = told_in(document, ALLERGIES)
        assert entry["meta"]["source"] == "https://fhir.example/r4/AllergyIntolerance/a1"
        assert entry["identifier"] == [{"system": "https://fhir.example/r4/AllergyIntolerance", "value": "a1"}]
        (provenance,) = resources(document, "Provenance")
        assert provenance["target"] == [{"reference": f"urn:uuid:{entry['id']}"}]

    def test_calls_nobody_by_a_title_alone(self, alice):
        keep(make_connection(alice), {**R4_PATIENT, "name": [{"prefix": ["Dr"]}, {"family": "Rose"}]})
        (patient,) = resources(summary(alice), "Patient")
        assert patient["name"] == [{"family": "Rose"}]

    def test_escapes_what_a_provider_wrote(self, alice):
        keep(make_connection(alice), allergy("a1", code={"text": '<script>alert(1)</script> & "more"'}))
        div = section(summary(alice), ALLERGIES)["text"]["div"]
        assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp;" in div

    @pytest.mark.parametrize("character", ["\ufffe", "\uffff", "\x0b", "\u2028", "\x85", "&", "]]>"])
    def test_is_well_formed_whatever_character_came(self, alice, character):
        said = f"Canary{character}word"
        connection = make_connection(alice)
        connection.provider.name = said
        connection.provider.save()
        keep(connection, allergy("a1", code={"text": said}), {**R4_PATIENT, "name": [{"text": said}]})
        assert_valid(summary(alice))

    def test_has_a_report_with_the_results_it_names_and_those_inside_it(self, alice):
        listed = {"resourceType": "Observation", "id": "o1", "status": "final", "code": {"text": "Potassium"}}
        inside = {
            "resourceType": "Observation", "id": "in", "status": "final", "code": {"text": "Sodium"},
            "valueQuantity": {"value": 140, "unit": "mmol/L"},
        }  # fmt: skip
        report = {
            "resourceType": "DiagnosticReport", "id": "r1", "status": "appended", "code": {"text": "Salts"},
            "category": [{"coding": [{"code": "LAB"}]}, {}], "issued": "2026-03-04T10:00:00Z",
            "conclusion": "Nothing amiss", "conclusionCode": [{"text": "Well"}],
            "contained": [inside, {**inside, "id": "gone", "status": "entered-in-error"}, {**inside, "status": "x"}],
            "result": [{"reference": each} for each in ("#in", "Observation/o1", "Observation/elsewhere", "#gone")],
        }  # fmt: skip
        connection = make_connection(alice)
        keep(connection, R4_PATIENT, listed, report)
        document = summary(alice)
        assert_valid(document)
        (found,) = resources(document, "DiagnosticReport")
        assert [each["code"]["text"] for each in reported(document, found)] == ["Potassium", "Sodium"]
        assert (found["status"], found["effectiveDateTime"]) == ("appended", "2026-03-04T10:00:00Z")
        assert found["category"] == [{"coding": [{"code": "LAB"}]}]
        assert (
            "Final, with later additions; Nothing amiss; Well; Sodium: 140 mmol/L"
            in section(document, "30954-2")["text"]["div"]
        )
        (origin,) = resources(document, "Provenance")
        urls = {each["fullUrl"] for each in document["entry"] if each["resource"]["resourceType"] == "Observation"}
        assert urls <= {each["reference"] for each in origin["target"]}

    def test_keeps_the_digits_of_a_value(self, alice):
        body = b'{"resourceType":"Observation","id":"o","status":"final","valueQuantity":{"value":5.10}}'
        keep(make_connection(alice), raw("Observation", "o", body))
        assert b'"value":5.10' in documents.document(choosing.choices(alice, at=AT), at=AT)

    def test_is_the_same_for_the_same_moment(self, alice):
        keep(make_connection(alice), R4_PATIENT, allergy("a1"))
        first, again = (documents.document(choosing.choices(alice, at=AT), at=AT) for _ in range(2))
        assert first == again

    @settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(oddities.odd(*_ODD))
    def test_is_valid_whatever_came(self, sam, content):
        connection = sam.connections.first() or make_connection(sam)
        Record.objects.filter(connection=connection).delete()
        body = json.dumps(content).encode()
        keep(connection, *(raw(kind, "odd", body) for kind in ("Patient", *TYPES)))
        assert_valid(summary(sam))


def plain(document, found):
    """A section less what names its source, and what DSTU2 has no word for: that an allergy is confirmed, that an order
    was only reported, codes of categories R4 added, a number without a unit, and samples. Results are told by their
    names."""
    cleaned = [{name: part for name, part in each.items() if name not in _OF_SOURCE} for each in found]
    named = [{**each, "result": [one["code"] for one in reported(document, each)]} for each in cleaned]
    written = (json.dumps(each, sort_keys=True, default=str) for each in named)
    return sorted(each.replace(_SCORE, "") for each in written)


def reported(document, report):
    """The results that a report refers to, in its order."""
    by_url = {each["fullUrl"]: each["resource"] for each in document["entry"]}
    return [by_url[each["reference"]] for each in report.get("result", ())]


_OF_SOURCE = {
    "id", "meta", "identifier", "patient", "subject", "device", "verificationStatus", "intent", "reportedBoolean",
    "category", "specimen",
}  # fmt: skip
_SCORE = '"code": "{score}", "system": "http://unitsofmeasure.org", "unit": "{score}", '
