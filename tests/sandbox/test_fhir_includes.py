"""Resources included with matches: Provenance, and the medication of a DSTU2 order (interface facts 1.2 and 1.4)."""

import pytest


class TestProvenance:
    @pytest.mark.conformance("X26")
    @pytest.mark.parametrize("version", ["dstu2", "r4"])
    def test_comes_along_as_included(self, person, token_of, get, version):
        person("theo")
        token = token_of("theo", version)
        base = f"/a/{version}/fhir/{version}"
        patient = get(f"{base}/Patient", token).json()["id"]
        bundle = get(f"{base}/AllergyIntolerance?patient={patient}&_revinclude=Provenance:target", token).json()
        matches = [entry for entry in bundle["entry"] if entry["search"]["mode"] == "match"]
        included = [entry["resource"] for entry in bundle["entry"] if entry["search"]["mode"] == "include"]
        assert bundle["total"] == len(matches) == 3
        assert {resource["resourceType"] for resource in included} == {"Provenance"}
        targets = {target["reference"] for resource in included for target in resource["target"]}
        assert {f"AllergyIntolerance/{entry['resource']['id']}" for entry in matches} <= targets

    @pytest.mark.conformance("X26")
    def test_stays_away_unless_asked_for(self, person, token_of, get):
        person("theo")
        token = token_of("theo", "r4")
        patient = get("/a/r4/fhir/r4/Patient", token).json()["id"]
        bundle = get(f"/a/r4/fhir/r4/AllergyIntolerance?patient={patient}", token).json()
        assert {entry["search"]["mode"] for entry in bundle["entry"]} == {"match"}

    def test_can_be_read_by_its_id(self, person, token_of, get):
        person("ines")
        token = token_of("ines", "r4")
        patient = get("/a/r4/fhir/r4/Patient", token).json()["id"]
        bundle = get(f"/a/r4/fhir/r4/Encounter?patient={patient}&_revinclude=Provenance:target", token).json()
        logical_id = bundle["entry"][-1]["resource"]["id"]
        assert get(f"/a/r4/fhir/r4/Provenance/{logical_id}", token).json()["agent"][0]["who"]


class TestDrugOfAnOrder:
    def test_comes_along_in_dstu2_and_can_be_read(self, person, token_of, get):
        person("theo")
        token = token_of("theo", "dstu2")
        base = "/a/dstu2/fhir/dstu2"
        patient = get(f"{base}/Patient", token).json()["id"]
        search = f"{base}/MedicationOrder?patient={patient}&status=stopped"
        bundle = get(f"{search}&_include=MedicationOrder:medication", token).json()
        order, drug = (entry["resource"] for entry in bundle["entry"])
        assert order["medicationReference"]["reference"] == f"Medication/{drug['id']}"
        assert drug["code"]["text"] == "amoxicillin 250 MG Oral Capsule"
        assert get(f"{base}/Medication/{drug['id']}", token).json()["code"] == drug["code"]
