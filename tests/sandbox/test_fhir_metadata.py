"""GET metadata says what is served, and nothing else (specification 2.2 and P6, interface facts 1.5)."""

import pytest

EXPECTED = {
    "dstu2": ("Conformance", "1.0.2", "application/json+fhir"),
    "r4": ("CapabilityStatement", "4.0.1", "application/fhir+json"),
}


@pytest.fixture(params=["dstu2", "r4"])
def version(request):
    return request.param


@pytest.fixture
def statement(get, db, version):
    return get(f"/a/{version}/fhir/{version}/metadata").json()


class TestStatement:
    @pytest.mark.conformance("X18")
    def test_says_which_version_it_is(self, get, db, version):
        resource_type, fhir_version, content_type = EXPECTED[version]
        answer = get(f"/a/{version}/fhir/{version}/metadata")
        assert answer["Content-Type"] == content_type
        assert answer.json()["resourceType"] == resource_type
        assert answer.json()["fhirVersion"] == fhir_version
        assert answer.json()["rest"][0]["mode"] == "server"

    @pytest.mark.conformance("X18")
    def test_has_the_elements_its_version_demands(self, statement, version):
        common = {"date", "kind", "format", "rest"}
        assert common | ({"acceptUnknown"} if version == "dstu2" else {"status"}) <= set(statement)
        profiles = [resource["profile"] for resource in statement["rest"][0]["resource"]]
        assert all(isinstance(profile, dict if version == "dstu2" else str) for profile in profiles)

    @pytest.mark.conformance("X18")
    def test_lists_types_that_answer_and_only_those(self, person, token_of, get, statement, version):
        person("theo")
        token = token_of("theo", version)
        base = f"/a/{version}/fhir/{version}"
        patient = get(f"{base}/Patient", token).json()["id"]
        listed = {one["type"]: one for one in statement["rest"][0]["resource"]}
        for resource_type, one in listed.items():
            codes = {interaction["code"] for interaction in one["interaction"]}
            named = {parameter["name"] for parameter in one.get("searchParam", [])}
            search = f"{base}/{resource_type}" + (f"?patient={patient}" if "patient" in named else "?_id=x")
            search += "&category=assess-plan" if "category" in named else ""
            assert get(search, token).status_code == (200 if "search-type" in codes else 400), resource_type
            assert get(f"{base}/{resource_type}/no-such", token, "application/fhir+json").status_code == 404
        for absent in ("Appointment", "Account", "Consent", "MedicationAdministration"):
            assert absent not in listed
            assert get(f"{base}/{absent}?patient={patient}", token).status_code == 403

    @pytest.mark.conformance("X18")
    def test_lists_parameters_that_narrow(self, person, token_of, get, statement, version):
        """Every listed parameter with a value that nothing has finds nothing."""
        person("theo")
        token = token_of("theo", version)
        base = f"/a/{version}/fhir/{version}"
        patient = get(f"{base}/Patient", token).json()["id"]
        for one in statement["rest"][0]["resource"]:
            named = {parameter["name"]: parameter["type"] for parameter in one.get("searchParam", [])}
            first = f"patient={patient}&" if "patient" in named else ""
            for name, kind in named.items():
                value = "1850-01-01" if kind == "date" else "no-such-value"
                if name == "patient":
                    continue
                search = f"{base}/{one['type']}?{first}{name}={value}"
                if one["type"] in ("CarePlan", "Observation") and name not in ("category", "code"):
                    search += "&category=assess-plan,vital-signs"
                assert get(search, token).json()["total"] == 0, search

    def test_lists_every_type_of_the_interface(self, statement, version):
        listed = {one["type"] for one in statement["rest"][0]["resource"]}
        prescription = "MedicationOrder" if version == "dstu2" else "MedicationRequest"
        assert {"Patient", "AllergyIntolerance", "CarePlan", "Condition", "Device", "DiagnosticReport",
                "DocumentReference", "Encounter", "Goal", "Immunization", "MedicationStatement", "Observation",
                "Procedure", "Practitioner", "Organization", "Location", "Binary", prescription} <= listed  # fmt: skip
        only_r4 = {"CareTeam", "Coverage", "Endpoint", "MedicationDispense", "PractitionerRole", "Questionnaire",
                   "QuestionnaireResponse", "RelatedPerson", "ServiceRequest", "Specimen"}  # fmt: skip
        assert only_r4 <= listed if version == "r4" else not only_r4 & listed
