"""What is served is right for its version: elements, cardinalities, codes, references (X20, interface facts 1.6)."""

import json
import re

import pytest

from apps.sandbox.fhir.realm import Realm
from apps.sandbox.models import Resource, StoredFile
from apps.sandbox.people import inventing, populating, rendering, stories
from apps.sandbox.people.cast import CAST, Member
from tests.sandbox.fhir_elements import ALLOWED, COMMON, LISTS, REQUIRED

VERSIONS = ("dstu2", "r4")
_ID = re.compile(r"[A-Za-z0-9.\-]{1,64}")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_DATE_TIME = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?)?)?")


@pytest.fixture(scope="module")
def everything():
    """Every resource of the named people and of two invented ones, as JSON, by version."""
    from apps.sandbox.fhir import store

    people = [story for member in CAST for story in member.stories]
    people += [inventing.story(3, number, size) for number, size in ((1, 50), (2, 400))]
    made = {}
    for version in VERSIONS:
        bodies = [body for story in people for body in rendering.resources(story, version)]
        bodies += rendering.practice_resources(version)
        if version == "dstu2":
            bodies += [body for story in people for body in rendering.formulary(story)]
        made[version] = [
            json.loads(bytes(store.row(Realm(version), "", body, at=stories.at(2026, 10, 30)).body)) for body in bodies
        ]
    return made


@pytest.mark.parametrize("version", VERSIONS)
class TestResource:
    @pytest.mark.conformance("X20")
    def test_has_the_elements_of_its_version_and_no_others(self, everything, version):
        for body in everything[version]:
            unknown = set(body) - COMMON - ALLOWED[version][body["resourceType"]]
            assert not unknown, (body["resourceType"], unknown)

    @pytest.mark.conformance("X20")
    def test_has_what_its_version_makes_compulsory(self, everything, version):
        for body in everything[version]:
            for element in REQUIRED[version].get(body["resourceType"], ()):
                stem = element.removesuffix("[x]")
                present = element in body or (element != stem and any(name.startswith(stem) for name in body))
                assert present, (body["resourceType"], element)

    @pytest.mark.conformance("X20")
    def test_repeats_what_repeats_and_nothing_else(self, everything, version):
        for body in everything[version]:
            lists = {name for name, value in body.items() if isinstance(value, list)}
            expected = LISTS[version].get(body["resourceType"], set())
            kind = body["resourceType"]
            assert lists & (ALLOWED[version][kind] - expected) <= _also_lists(kind), (kind, lists - expected)
            assert expected & set(body) <= lists, (kind, expected & set(body) - lists)

    @pytest.mark.conformance("X20")
    def test_names_code_systems_as_its_version_does(self, everything, version):
        foreign = {
            "dstu2": ("terminology.hl7.org", "us-core"),
            "r4": ("hl7.org/fhir/v2/", "hl7.org/fhir/v3/", "hl7.org/fhir/observation-category", "argonaut"),
        }
        for body in everything[version]:
            told = json.dumps(body)
            assert not [name for name in foreign[version] if name in told], body["resourceType"]

    def test_has_an_id_and_a_version_of_its_own(self, everything, version):
        seen = set()
        for body in everything[version]:
            name = f"{body['resourceType']}/{body['id']}"
            assert _ID.fullmatch(body["id"])
            assert body["meta"]["versionId"] == "1"
            assert _INSTANT.fullmatch(body["meta"]["lastUpdated"])
            if body["resourceType"] != "Medication":
                assert name not in seen
            seen.add(name)

    def test_has_nothing_empty(self, everything, version):
        def check(value):
            if isinstance(value, dict):
                assert value
                for member in value.values():
                    check(member)
            elif isinstance(value, list):
                assert value
                for member in value:
                    check(member)
            else:
                assert value not in (None, "")

        for body in everything[version]:
            check(body)

    def test_refers_to_what_is_there(self, everything, version):
        known = {f"{body['resourceType']}/{body['id']}" for body in everything[version]}

        def check(value, owner):
            if isinstance(value, dict):
                reference = value.get("reference")
                if isinstance(reference, str):
                    assert reference in known, (owner, reference)
                for member in value.values():
                    check(member, owner)
            elif isinstance(value, list):
                for member in value:
                    check(member, owner)

        for body in everything[version]:
            check(body, f"{body['resourceType']}/{body['id']}")

    def test_writes_dates_as_fhir_does(self, everything, version):
        for body in everything[version]:
            for name, value in body.items():
                if isinstance(value, str) and (name.endswith(("DateTime", "Date", "On", "issued", "recorded"))):
                    assert _DATE_TIME.fullmatch(value), (body["resourceType"], name, value)


def _also_lists(kind):
    """Lists that stand only now and then, in both versions."""
    return {
        "Patient": {"extension"},
        "Organization": {"telecom", "address"},
        "Location": {"telecom"},
        "Questionnaire": {"subjectType", "item"},
        "PractitionerRole": {"telecom", "endpoint"},
        "CarePlan": {"author"},
        "Observation": {"extension"},
        "MedicationStatement": {"dosage"},
        "DocumentReference": {"author"},
        "Immunization": {"note"},
        "Procedure": {"performer", "reasonNotPerformed"},
    }.get(kind, set())


class TestTypesOfTheCast:
    @pytest.mark.conformance("X20")
    @pytest.mark.parametrize("version", VERSIONS)
    def test_are_all_types_that_are_served(self, everything, version):
        assert {body["resourceType"] for body in everything[version]} == set(ALLOWED[version])

    @pytest.mark.conformance("X20")
    def test_cover_every_kind_of_value(self, everything):
        kinds = {
            version: {
                name
                for body in everything[version]
                if body["resourceType"] == "Observation"
                for part in (body, *body.get("component", []))
                for name in part
                if name.startswith("value") or name in ("dataAbsentReason", "component")
            }
            for version in VERSIONS
        }
        both = {"valueQuantity", "valueCodeableConcept", "valueString", "valueRange", "valueRatio", "valueTime",
                "valueDateTime", "valuePeriod", "valueSampledData", "dataAbsentReason", "component"}  # fmt: skip
        assert kinds["dstu2"] == both
        assert kinds["r4"] == both | {"valueBoolean", "valueInteger"}

    @pytest.mark.parametrize("version", VERSIONS)
    def test_measure_something_or_say_why_not(self, everything, version):
        for body in everything[version]:
            if body["resourceType"] == "Observation":
                told = [name for name in body if name.startswith("value") or name in ("dataAbsentReason", "component")]
                assert len(told) == 1, body["id"]

    @pytest.mark.parametrize("version", VERSIONS)
    def test_include_rows_entered_in_error(self, everything, version):
        words = json.dumps([body for body in everything[version] if "entered-in-error" in json.dumps(body)])
        for kind in ("AllergyIntolerance", "Condition", "Immunization", "Observation", "Procedure"):
            assert f'"resourceType": "{kind}"' in words


class TestSamePersonInBothVersions:
    """The bridges of interface facts 1.6, seen from the outside."""

    def test_has_the_same_results(self, everything):
        def results(version):
            return sorted(
                (body["code"]["coding"][0]["code"], body["effectiveDateTime"], body["valueQuantity"]["value"])
                for body in everything[version]
                if body["resourceType"] == "Observation"
                and "valueQuantity" in body
                and body["valueQuantity"].get("code") != "{score}"
            )

        assert results("dstu2") == results("r4")
        assert len(results("r4")) > 1000

    def test_has_the_same_allergies(self, everything):
        old = {
            (body["substance"]["text"], body["criticality"])
            for body in everything["dstu2"]
            if body["resourceType"] == "AllergyIntolerance"
        }
        new = {
            (body["code"]["text"], {"high": "CRITH", "low": "CRITL"}.get(body["criticality"], "CRITU"))
            for body in everything["r4"]
            if body["resourceType"] == "AllergyIntolerance"
        }
        assert old == new
        assert ("Penicillin", "CRITH") in old

    def test_has_a_care_team_that_dstu2_calls_a_care_plan(self, everything):
        old = [
            body
            for body in everything["dstu2"]
            if body["resourceType"] == "CarePlan" and body["category"][0]["coding"][0]["code"] == "careteam"
        ]
        new = [body for body in everything["r4"] if body["resourceType"] == "CareTeam"]
        assert len(old) == len(new) == 3
        assert len(old[0]["participant"]) == len(new[0]["participant"])

    @pytest.mark.conformance("X20")
    @pytest.mark.parametrize(
        ("code", "old", "new"),
        [
            ("52552-5", ("valueCodeableConcept", "Y"), ("valueBoolean", True)),
            ("72514-3", ("valueQuantity", 3), ("valueInteger", 3)),
        ],
    )
    def test_answers_what_dstu2_has_no_type_for(self, everything, code, old, new):
        def answer(version):
            [body] = [
                body
                for body in everything[version]
                if body["resourceType"] == "Observation" and body["code"]["coding"][0]["code"] == code
            ]
            [name] = [name for name in body if name.startswith("value")]
            value = body[name]
            if name == "valueCodeableConcept":
                return name, value["coding"][0]["code"]
            return name, value["value"] if name == "valueQuantity" else value

        assert answer("dstu2") == old
        assert answer("r4") == new

    def test_did_not_take_what_was_not_taken(self, everything):
        old = [body for body in everything["dstu2"] if body.get("wasNotTaken") is True]
        new = [
            body
            for body in everything["r4"]
            if body["resourceType"] == "MedicationStatement" and body["status"] == "not-taken"
        ]
        assert len(old) == len(new) == 2


class TestFilesOfDocuments:
    @pytest.mark.parametrize("version", VERSIONS)
    def test_are_all_stored(self, db, version):
        populating.enrol(next(member for member in CAST if member.username == "george"))
        bodies = [
            json.loads(bytes(row.body))
            for row in Resource.objects.filter(version=version, resource_type="DocumentReference")
        ]
        urls = [body["content"][0]["attachment"].get("url") for body in bodies]
        names = {url.rpartition("/")[2] for url in urls if url}
        assert names == set(StoredFile.objects.filter(version=version).values_list("name", flat=True))
        assert len(names) == 4


class TestMember:
    def test_is_replaced_and_not_doubled(self, db):
        member = Member("x", "y", (inventing.story(1, 1, 60),), "")
        first = populating.enrol(member).resources
        assert populating.enrol(member).resources == first
        assert Resource.objects.filter(version="r4").exclude(patient_id="").count() == first["r4"]
