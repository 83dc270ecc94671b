"""GET Patient and Patient/{id}: which record a token gives access to (specification 2.1, 4.1 P4 and P5)."""

import pytest

from apps.sandbox import clock, scenarios
from apps.sandbox.portal import registering

BASES = {"dstu2": "/a/dstu2/fhir/dstu2", "r4": "/a/r4/fhir/r4"}


@pytest.fixture(params=["dstu2", "r4"])
def version(request):
    return request.param


class TestPatientOfTheToken:
    @pytest.mark.conformance("X15")
    def test_comes_as_a_patient_with_its_id(self, person, token_of, get, version):
        person("ines")
        answer = get(f"{BASES[version]}/Patient", token_of("ines", version))
        assert answer.status_code == 200
        patient = answer.json()
        assert patient["resourceType"] == "Patient"
        assert patient["id"]
        assert patient["birthDate"] == "1997-04-18"

    @pytest.mark.conformance("X15")
    def test_comes_as_a_bundle_when_switched(self, person, token_of, get, version):
        person("ines")
        scenarios.choose("patient_shape", "bundle")
        bundle = get(f"{BASES[version]}/Patient", token_of("ines", version)).json()
        assert bundle["resourceType"] == "Bundle"
        assert bundle["type"] == "searchset"
        assert [entry["resource"]["birthDate"] for entry in bundle["entry"]] == ["1997-04-18"]

    def test_is_a_bundle_for_somebody_who_looks_after_a_child(self, person, token_of, get, version):
        person("hannah")
        bundle = get(f"{BASES[version]}/Patient", token_of("hannah", version)).json()
        assert {entry["resource"]["birthDate"] for entry in bundle["entry"]} == {"1990-08-02", "2020-05-14"}

    def test_is_the_same_person_under_another_id_in_the_other_version(self, person, token_of, get):
        person("ines")
        old = get("/a/dstu2/fhir/dstu2/Patient", token_of("ines", "dstu2")).json()
        new = get("/a/r4/fhir/r4/Patient", token_of("ines", "r4")).json()
        assert old["name"][0]["family"] == ["Quill"]
        assert new["name"][0]["family"] == "Quill"
        assert old["id"] != new["id"]


class TestPatientById:
    @pytest.mark.conformance("X16")
    def test_is_given_to_its_own_token(self, person, token_of, get, version):
        person("ines")
        token = token_of("ines", version)
        own = get(f"{BASES[version]}/Patient", token).json()["id"]
        answer = get(f"{BASES[version]}/Patient/{own}", token)
        assert answer.status_code == 200
        assert answer.json()["id"] == own

    @pytest.mark.conformance("X16")
    @pytest.mark.parametrize(("switch", "status"), [("404", 404), ("403", 403)])
    def test_of_somebody_else_is_refused_without_content(self, person, token_of, get, version, switch, status):
        person("ines")
        person("theo")
        scenarios.choose("foreign_patient", switch)
        stranger = get(f"{BASES[version]}/Patient", token_of("theo", version)).json()["id"]
        answer = get(f"{BASES[version]}/Patient/{stranger}", token_of("ines", version))
        assert answer.status_code == status
        assert b"Marsh" not in answer.content

    @pytest.mark.conformance("X16")
    @pytest.mark.parametrize("resource_type", ["AllergyIntolerance", "DocumentReference", "Provenance"])
    def test_opens_nothing_else_of_somebody_else(self, person, token_of, get, version, resource_type):
        person("ines")
        person("theo")
        theirs, base = token_of("theo", version), BASES[version]
        patient = get(f"{base}/Patient", theirs).json()["id"]
        searched = "AllergyIntolerance" if resource_type == "Provenance" else resource_type
        found = get(f"{base}/{searched}?patient={patient}&_revinclude=Provenance:target", theirs).json()["entry"]
        resources = [entry["resource"] for entry in found if entry["resource"]["resourceType"] == resource_type]
        address = f"{base}/{resource_type}/{resources[0]['id']}"
        assert get(address, theirs).json()["id"] == resources[0]["id"]
        answer = get(address, token_of("ines", version))
        assert answer.status_code == 404
        assert resources[0]["id"].encode() not in answer.content

    def test_of_nobody_is_not_found(self, person, token_of, get, version):
        person("ines")
        assert get(f"{BASES[version]}/Patient/nobody", token_of("ines", version)).status_code == 404

    def test_of_the_other_version_is_not_found(self, person, token_of, get):
        person("ines")
        old = get("/a/dstu2/fhir/dstu2/Patient", token_of("ines", "dstu2")).json()["id"]
        assert get(f"/a/r4/fhir/r4/Patient/{old}", token_of("ines", "r4")).status_code == 404


class TestTokenOnADataRoute:
    @pytest.mark.conformance("X14")
    @pytest.mark.parametrize(
        "path",
        [*("Patient", "Patient/1", "Observation?patient=1", "document/pdf-1", "Binary/1"),
         *("", "nothing/at/all", ".well-known/smart-configuration")],
    )  # fmt: skip
    def test_is_needed(self, get, db, version, path):
        answer = get(f"{BASES[version]}/{path}")
        assert answer.status_code == 401
        assert answer["WWW-Authenticate"] == 'Bearer realm="sandbox"'

    @pytest.mark.conformance("X14")
    def test_is_refused_when_made_up(self, get, db, version):
        answer = get(f"{BASES[version]}/Patient", "made-up")
        assert answer.status_code == 401
        assert 'error="invalid_token"' in answer["WWW-Authenticate"]

    @pytest.mark.conformance("X14")
    def test_is_refused_when_expired(self, person, token_of, get, version):
        person("ines")
        token = token_of("ines", version, seconds=60)
        assert get(f"{BASES[version]}/Patient", token).status_code == 200
        clock.move(61)
        assert get(f"{BASES[version]}/Patient", token).status_code == 401

    def test_is_refused_for_as_long_as_the_sandbox_is_told_to(self, person, token_of, get, version):
        person("ines")
        token = token_of("ines", version)
        scenarios.choose("access_tokens", "refused")
        answer = get(f"{BASES[version]}/Patient", token)
        assert (answer.status_code, "invalid_token" in answer["WWW-Authenticate"]) == (401, True)
        scenarios.choose("access_tokens", "known")
        assert get(f"{BASES[version]}/Patient", token).status_code == 200

    @pytest.mark.conformance("X3")
    @pytest.mark.parametrize("how", ["by its developer", "by the control address"])
    def test_is_refused_once_its_application_is_retired(
        self, person, token_of, get, install, application, version, how
    ):
        person("ines")
        token = token_of("ines", version)
        assert get(f"{BASES[version]}/Patient", token).status_code == 200
        if how == "by its developer":
            registering.retire(application, at=clock.now())
        else:
            install(status="retired")
        answer = get(f"{BASES[version]}/Patient", token)
        assert answer.status_code == 401
        assert 'error="invalid_token"' in answer["WWW-Authenticate"]

    @pytest.mark.conformance("X1")
    def test_is_refused_by_the_other_version(self, person, token_of, get):
        person("ines")
        assert get("/a/dstu2/fhir/dstu2/Patient", token_of("ines", "r4")).status_code == 401
        assert get("/a/r4/fhir/r4/Patient", token_of("ines", "dstu2")).status_code == 401

    @pytest.mark.conformance("X14")
    def test_is_not_needed_for_metadata(self, get, db, version):
        assert get(f"{BASES[version]}/metadata").status_code == 200

    def test_opens_nothing_in_the_query(self, person, token_of, get, version):
        person("ines")
        token = token_of("ines", version)
        assert get(f"{BASES[version]}/Patient?access_token={token}").status_code == 401


class TestDataTree:
    def test_tells_who_has_a_token_that_an_address_is_none(self, person, token_of, get, version):
        person("ines")
        assert get(f"{BASES[version]}/nothing/at/all", token_of("ines", version)).status_code == 404

    @pytest.mark.conformance("X2")
    @pytest.mark.parametrize("base", ["/a/r4/fhir/r4", "/a/r4/fhir/R4"])
    def test_of_r4_ends_in_r4_in_any_case(self, person, token_of, get, base):
        person("ines")
        assert get(f"{base}/Patient", token_of("ines", "r4")).status_code == 200

    @pytest.mark.conformance("X1")
    @pytest.mark.parametrize("path", ["/a/r4/fhir/dstu2/Patient", "/a/dstu2/fhir/r4/Patient", "/a/r4/fhir/r5/metadata"])
    def test_of_one_version_holds_nothing_of_the_other(self, get, db, path):
        assert get(path).status_code == 404

    def test_names_every_answer_and_lets_none_be_stored(self, get, db, version):
        first, second = (get(f"{BASES[version]}/Patient") for _ in range(2))
        assert first["X-Request-Id"] != second["X-Request-Id"]
        assert first["Cache-Control"] == "no-store"

    @pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
    def test_is_read_only(self, client, db, method, version):
        answer = getattr(client, method)(f"{BASES[version]}/Patient")
        assert answer.status_code == 405
        assert answer["Allow"] == "GET, HEAD"
