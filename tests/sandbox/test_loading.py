"""Serving other people's FHIR files: read, recognized, rewritten, stored, and each with an account."""

import gzip
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from apps.sandbox.loading import reading, versioning
from apps.sandbox.models import Account, Resource

R4 = "/a/r4/fhir/r4"


def bundle(*entries, kind="collection"):
    return {"resourceType": "Bundle", "type": kind, "entry": list(entries)}


def entry(body, full_url=None):
    return {"resource": body, **({"fullUrl": full_url} if full_url else {})}


PATIENT = {
    "resourceType": "Patient",
    "id": "p-1",
    "name": [{"family": "Sample", "given": ["Ada"]}],
    "birthDate": "1980-02-03",
}
CONDITION = {
    "resourceType": "Condition",
    "id": "c-1",
    "subject": {"reference": "Patient/p-1"},
    "code": {"text": "Cough"},
}


@pytest.fixture
def load(db, tmp_path):
    """Writes files and loads the folder; gives what the command said. Values are JSON unless they are bytes."""

    def load(**files):
        for name, content in files.items():
            stem, _, suffix = name.rpartition("__")
            raw = content if isinstance(content, bytes) else json.dumps(content).encode()
            (tmp_path / f"{stem}.{suffix.replace('_', '.')}").write_bytes(raw)
        told = StringIO()
        call_command("load_bundles", str(tmp_path), stdout=told)
        return told.getvalue()

    return load


def stored(resource_type, version="r4"):
    rows = Resource.objects.filter(version=version, resource_type=resource_type).order_by("id")
    return [(row.patient_id, json.loads(bytes(row.body))) for row in rows]


class TestFile:
    @pytest.mark.parametrize("kind", ["transaction", "collection", "searchset", "document", "batch"])
    def test_of_any_bundle_type_is_served_to_an_account(self, load, get, token_of, kind):
        told = load(one__json=bundle(entry(PATIENT), entry(CONDITION), kind=kind))
        assert "one.json: 2 resources in r4" in told
        assert "ada-sample-1980  ada-sample-1980-pass  Ada Sample: 2 in r4" in told
        assert Account.objects.get(username="ada-sample-1980").has_password("ada-sample-1980-pass")
        token = token_of("ada-sample-1980", "r4")
        assert get(f"{R4}/Patient", token).json()["id"] == "p-1"
        found = get(f"{R4}/Condition?patient=p-1", token).json()
        assert [one["resource"]["code"]["text"] for one in found["entry"]] == ["Cough"]

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("plain__json", json.dumps(bundle(entry(PATIENT), entry(CONDITION))).encode()),
            ("packed__json_gz", gzip.compress(json.dumps(bundle(entry(PATIENT), entry(CONDITION))).encode())),
            ("marked__json", b"\xef\xbb\xbf" + json.dumps(bundle(entry(PATIENT), entry(CONDITION))).encode()),
            ("lines__ndjson", (json.dumps(PATIENT) + "\n\n" + json.dumps(CONDITION) + "\n").encode()),
            ("packed_lines__ndjson_gz", gzip.compress((json.dumps(PATIENT) + "\n" + json.dumps(CONDITION)).encode())),
            ("array__json", json.dumps([PATIENT, CONDITION]).encode()),
        ],
    )
    def test_may_come_in_any_wrapping(self, load, name, content):
        assert "2 resources in r4" in load(**{name: content})

    def test_that_cannot_be_read_is_named_and_does_not_stop_the_others(self, load):
        told = load(
            a__json=b'{"resourceType": "Patient", ', b__json=b"[1, 2]", c__json=PATIENT, d__json_gz=b"\x1f\x8b broken"
        )
        assert "a.json: skipped: is not JSON" in told
        assert "b.json: skipped: is JSON, but not a FHIR resource" in told
        assert "d.json.gz: skipped: cannot be opened" in told
        assert "c.json: 1 resources in r4" in told

    def test_with_one_bad_line_keeps_the_good_ones(self, load):
        told = load(one__ndjson=json.dumps(PATIENT).encode() + b"\n{oops\n" + json.dumps(CONDITION).encode())
        assert "2 resources in r4; line 2 is not JSON" in told

    def test_without_any_resource_fails(self, db, tmp_path):
        (tmp_path / "x.json").write_text("{}")
        with pytest.raises(CommandError, match="no FHIR resource"):
            call_command("load_bundles", str(tmp_path), stdout=StringIO())

    def test_loaded_twice_holds_everything_once(self, load):
        load(one__json=bundle(entry(PATIENT), entry(CONDITION), entry({"resourceType": "Observation", "status": "final",
             "subject": {"reference": "Patient/p-1"}, "code": {"text": "x"}})))  # fmt: skip
        load()
        assert Resource.objects.count() == 3
        assert Account.objects.count() == 1

    def test_keeps_the_digits_of_numbers(self, load):
        raw = b'{"resourceType": "Observation", "status": "final", "code": {}, "valueQuantity": {"value": 13.20}}'
        load(one__json=raw)
        assert b'"value":13.20' in bytes(Resource.objects.get(resource_type="Observation").body)

    def test_with_awkward_texts_loads(self, load):
        code = {"coding": [{"system": "s", "code": "nul \0 inside"}, {"system": "s", "code": "long" * 5000}]}
        told = load(one__json=bundle(entry(PATIENT), entry({**CONDITION, "code": code})))
        assert "2 resources in r4" in told

    def test_of_types_that_are_not_served_says_what_was_left_out(self, load):
        told = load(one__json=bundle(entry(PATIENT), entry({"resourceType": "Claim"}), entry({"resourceType": "Task"})))
        assert "1 resources in r4, 2 left out (Claim, Task)" in told


class TestOwnerOfAResource:
    def test_is_the_patient_it_names_though_another_file_holds_them(self, load):
        load(a__json=CONDITION, b__json=PATIENT)
        assert [owner for owner, _ in stored("Condition")] == ["p-1"]
        assert Account.objects.count() == 1

    def test_is_the_only_patient_of_the_file_when_it_names_none(self, load):
        load(one__json=bundle(entry(PATIENT), entry({"resourceType": "Condition", "id": "c"})))
        assert [owner for owner, _ in stored("Condition")] == ["p-1"]

    def test_is_somebody_invented_when_there_is_nobody(self, load, get, token_of):
        told = load(one__json={"resourceType": "Condition", "id": "c", "code": {"text": "Lonely"}})
        assert "invented-unnamed  invented-unnamed-pass" in told
        token = token_of("invented-unnamed", "r4")
        patient = get(f"{R4}/Patient", token).json()["id"]
        assert get(f"{R4}/Condition?patient={patient}", token).json()["total"] == 1

    def test_is_the_practice_for_what_belongs_to_no_patient(self, load):
        load(one__json=bundle(entry(PATIENT), entry({"resourceType": "Organization", "id": "o", "name": "Clinic"})))
        assert [owner for owner, _ in stored("Organization")] == [""]

    def test_keeps_several_patients_of_one_file_apart(self, load):
        other = {**PATIENT, "id": "p-2", "name": [{"family": "Other"}]}
        load(one__json=bundle(entry(PATIENT), entry(other), entry(CONDITION)))
        assert Account.objects.count() == 2
        assert [owner for owner, _ in stored("Condition")] == ["p-1"]


class TestIdsAndReferences:
    def test_name_each_other_by_id_after_urn_uuids(self, load):
        urn = "urn:uuid:5cbc121b-cd71-4428-b8b7-31e53eba8184"
        patient = {name: value for name, value in PATIENT.items() if name != "id"}
        condition = {**CONDITION, "subject": {"reference": urn}}
        load(one__json=bundle(entry(patient, urn), entry(condition)))
        [(owner, body)] = stored("Condition")
        assert owner == "5cbc121b-cd71-4428-b8b7-31e53eba8184"
        assert body["subject"]["reference"] == f"Patient/{owner}"

    @pytest.mark.parametrize("bad", ["with_underscore", "with blank", "x" * 65])
    def test_that_are_illegal_are_replaced_wherever_they_stand(self, load, bad):
        condition = {**CONDITION, "subject": {"reference": f"Patient/{bad}"}}
        load(one__json=bundle(entry({**PATIENT, "id": bad}), entry(condition)))
        [(owner, patient)] = stored("Patient")
        [(same_owner, kept)] = stored("Condition")
        assert owner == patient["id"] == same_owner != bad
        assert kept["subject"]["reference"] == f"Patient/{owner}"

    def test_of_no_possible_patient_are_as_good_as_none(self, load):
        condition = {**CONDITION, "subject": {"reference": "Patient/" + "x" * 70}}
        load(one__json=bundle(entry(PATIENT), entry(condition)))
        assert [owner for owner, _ in stored("Condition")] == ["p-1"]

    def test_that_are_missing_are_made(self, load):
        load(one__json=bundle(entry(PATIENT), *(entry({"resourceType": "Condition"}) for _ in range(3))))
        assert len({body["id"] for _, body in stored("Condition")}) == 3

    def test_that_somebody_else_has_are_replaced(self, load):
        other = {**PATIENT, "id": "p-2", "name": [{"family": "Other"}]}
        report = {"resourceType": "DiagnosticReport", "id": "r", "subject": {"reference": "Patient/p-2"},
                  "result": [{"reference": "Condition/c-1"}]}  # fmt: skip
        load(
            a__json=bundle(entry(PATIENT), entry(CONDITION)),
            b__json=bundle(entry(other), entry({**CONDITION, "subject": {"reference": "Patient/p-2"}}), entry(report)),
        )
        first, second = stored("Condition")
        assert (first[0], second[0]) == ("p-1", "p-2")
        assert first[1]["id"] != second[1]["id"]
        assert stored("DiagnosticReport")[0][1]["result"][0]["reference"] == f"Condition/{second[1]['id']}"

    def test_that_are_conditional_stay(self, load):
        condition = {**CONDITION, "asserter": {"reference": "Practitioner?identifier=npi|1"}}
        load(one__json=bundle(entry(PATIENT), entry(condition)))
        assert stored("Condition")[0][1]["asserter"]["reference"] == "Practitioner?identifier=npi|1"

    def test_of_a_patient_on_another_server_become_local(self, load):
        condition = {**CONDITION, "subject": {"reference": "https://ehr.example/fhir/Patient/p-1"}}
        load(one__json=bundle(entry(PATIENT), entry(condition)))
        [(owner, body)] = stored("Condition")
        assert (owner, body["subject"]["reference"]) == ("p-1", "Patient/p-1")


class TestSearches:
    @pytest.mark.parametrize(
        ("kind", "category", "asked", "found"),
        [
            ("CarePlan", {}, "assess-plan", 1),
            ("CarePlan", {"category": [{"coding": [{"code": "736252007"}]}]}, "assess-plan", 1),
            ("DiagnosticReport", {"category": [{"text": "Radiology"}]}, "LAB", 1),
            ("Observation", {}, "laboratory", 1),
            ("Observation", {"category": [{"text": "Lab"}]}, "laboratory", 1),
            ("Observation", {"category": [{"coding": [{"code": "exam"}]}]}, "laboratory", 0),
            ("Observation", {"category": [{"coding": [{"code": "exam"}]}]}, "exam", 1),
        ],
    )
    def test_by_a_category_find_what_came_without_one(self, load, get, token_of, kind, category, asked, found):
        load(one__json=bundle(entry(PATIENT), entry({"resourceType": kind, "id": "x", **category})))
        page = get(f"{R4}/{kind}?patient=p-1&category={asked}", token_of("ada-sample-1980", "r4")).json()
        assert len(page.get("entry", ())) == found
        assert "category" in category or "category" not in stored(kind)[0][1]


class TestVersionOfAFile:
    @pytest.mark.parametrize(
        ("body", "version"),
        [
            ({"resourceType": "Patient", "name": [{"family": ["A"]}]}, "dstu2"),
            ({"resourceType": "Patient", "name": [{"family": "A"}]}, "r4"),
            ({"resourceType": "MedicationOrder"}, "dstu2"),
            ({"resourceType": "MedicationRequest"}, "r4"),
            ({"resourceType": "Condition", "patient": {}}, "dstu2"),
            ({"resourceType": "Condition", "subject": {}}, "r4"),
            ({"resourceType": "Observation", "category": {}}, "dstu2"),
            ({"resourceType": "Observation", "category": [{}]}, "r4"),
            ({"resourceType": "Encounter", "class": "inpatient"}, "dstu2"),
            ({"resourceType": "Encounter", "class": {"code": "IMP"}}, "r4"),
        ],
    )
    def test_is_told_by_its_content(self, body, version):
        assert versioning.version_of([body], Path("x.json")) == version

    def test_is_told_by_its_folder_when_the_content_says_nothing(self):
        body = {"resourceType": "Observation", "status": "final"}
        assert versioning.version_of([body], Path("data/DSTU-2/x.json")) == "dstu2"
        assert versioning.version_of([body], Path("data/x.json")) == "r4"


class TestExampleData:
    @pytest.mark.parametrize("folder", ["dstu2", "r4"])
    def test_is_told_apart_by_its_content(self, examples, folder):
        for path in reading.files([examples / folder]):
            bodies = [one.body for one in reading.entries(path) if isinstance(one, reading.Entry)]
            kinds = {body["resourceType"] for body in bodies}
            if kinds - {"Binary", "OperationOutcome", "Conformance", "CapabilityStatement"}:
                assert versioning.version_of(bodies, Path("x.json")) == folder, path.name

    def test_of_synthea_in_both_versions_is_one_account(self, examples, db, get, token_of):
        told = StringIO()
        paths = [examples / version / "synthea" / "pair-Dwain_McGlynn.json" for version in ("dstu2", "r4")]
        call_command("load_bundles", *map(str, paths), stdout=told)
        account = Account.objects.get(username="dwain-mcglynn-1992")
        for version in ("dstu2", "r4"):
            token = token_of("dwain-mcglynn-1992", version)
            base = f"/a/{version}/fhir/{version}"
            patient = get(f"{base}/Patient", token).json()["id"]
            assert (patient,) == account.patient_ids(version)
            assert get(f"{base}/Immunization?patient={patient}", token).json()["total"] == 9
            observations = get(f"{base}/Observation?patient={patient}&category=vital-signs", token).json()
            assert observations["total"] > 0
            for one in observations["entry"]:
                assert one["resource"]["subject"]["reference"] == f"Patient/{patient}"

    @pytest.mark.parametrize("path", ["r4/cerner", "dstu2/cerner", "dstu2/smart/hspc-bilirubin-chart.json",
                                      "dstu2/epic", "r4/us-core", "r4/ips-documents", "ugly"])  # fmt: skip
    def test_of_every_make_loads(self, examples, db, path):
        told = StringIO()
        call_command("load_bundles", str(examples / path), stdout=told)
        assert " resources in " in told.getvalue()
        owners = set(Resource.objects.exclude(patient_id="").values_list("version", "patient_id"))
        patients = set(Resource.objects.filter(resource_type="Patient").values_list("version", "logical_id"))
        assert owners == patients

    def test_of_ten_thousand_resources_loads(self, examples, db):
        told = StringIO()
        call_command("load_bundles", str(examples / "r4" / "synthea" / "very-large-merged-10000.json.gz"), stdout=told)
        assert " left out (Claim, ExplanationOfBenefit, ImagingStudy)" in told.getvalue()
        assert Resource.objects.filter(resource_type="Observation").count() == 3489
