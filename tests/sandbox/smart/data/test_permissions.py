"""Scopes at the data routes of interface B (specification 5.2.2; X53, X54)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sandbox import scenarios
from apps.sandbox.smart.addresses import Place
from apps.sandbox.smart.data.permissions import permissions
from tests.sandbox.smart.literal import RIVERSIDE, WILLOW

ROOT = f"/b/myrecord/r4/{WILLOW}"


def lacking(scope, host="myrecord"):
    return f'Bearer realm="{host}", error="insufficient_scope", scope="{scope}"'


class TestReadScope:
    @pytest.mark.conformance("X54")
    def test_permits_read_and_search_of_its_type(self, token, get):
        opened = token("launch/patient patient/Observation.read")
        assert get(f"{ROOT}/Observation/o-1", opened).status_code == 200
        assert get(f"{ROOT}/Observation?patient=r-ada&category=laboratory", opened).json()["total"] == 1

    @pytest.mark.conformance("X51", "X54")
    def test_permits_no_other_type(self, token, get):
        opened = token("launch/patient patient/Observation.read")
        for path in ("Patient/r-ada", "Patient?_id=r-ada", "Patient/nobody", "Patient"):
            answer = get(f"{ROOT}/{path}", opened)
            assert answer.status_code == 403
            assert answer["WWW-Authenticate"] == lacking("patient/Patient.read")
        answer = get(f"{ROOT}/Organization/home", opened)
        assert (answer.status_code, answer["WWW-Authenticate"]) == (403, lacking("user/Organization.read"))

    @pytest.mark.conformance("X54")
    def test_of_a_patient_stays_inside_the_patient(self, token, get):
        """Ada sees two people at Riverside and allowed one of them."""
        root = f"/b/myrecord/r4/{RIVERSIDE}"
        opened = token(
            "launch/patient patient/Patient.read patient/Observation.read", RIVERSIDE, answer={"patient": "r-son"}
        )
        assert get(f"{root}/Patient/r-son", opened).status_code == 200
        assert get(f"{root}/Patient/r-ada", opened).status_code == 404
        assert get(f"{root}/Observation/o-1", opened).status_code == 404
        assert get(f"{root}/Observation?patient=r-ada&category=laboratory", opened).status_code == 403
        assert get(f"{root}/Patient?_id=r-ada,r-son", opened).json()["total"] == 1

    @pytest.mark.conformance("X54")
    def test_of_a_user_reaches_as_far_as_the_account(self, token, get):
        root = f"/b/myrecord/r4/{RIVERSIDE}"
        opened = token("user/Patient.read user/Observation.read user/Organization.read", RIVERSIDE)
        assert get(f"{root}/Patient/r-son", opened).status_code == 200
        assert get(f"{root}/Patient/r-ada", opened).status_code == 200
        assert get(f"{root}/Observation?patient=r-ada&category=laboratory", opened).json()["total"] == 1
        assert get(f"{root}/Organization/home", opened).status_code == 200
        at_willow = token("user/Patient.read user/Observation.read")
        assert get(f"{ROOT}/Patient/r-grace", at_willow).status_code == 404
        assert get(f"{ROOT}/Observation?patient=r-grace&category=laboratory", at_willow).status_code == 403

    @pytest.mark.conformance("X54")
    def test_of_a_clinician_reaches_everybody_they_see(self, ward_token, get):
        root = f"/b/ehr/r4/{WILLOW}"
        opened = ward_token("user/Patient.read")
        assert get(f"{root}/Patient/r-grace", opened).status_code == 200
        assert get(f"{root}/Patient?name=hopper", opened).json()["total"] == 1
        refused = get(f"{root}/Observation/o-2", opened)
        assert refused["WWW-Authenticate"] == lacking("patient/Observation.read", "ehr")

    @pytest.mark.conformance("X54")
    def test_of_binary_needs_that_of_the_document_too(self, token, get):
        path = f"{ROOT}/Binary/pdf-r-ada"
        both = token("launch/patient patient/Binary.read patient/DocumentReference.read")
        assert get(path, both, "application/pdf").content.startswith(b"%PDF")
        assert get(path, both, "application/fhir+json").json()["resourceType"] == "Binary"
        assert get(path, both, "application/json").status_code == 406  # interface facts 1.7
        for scope, missing in (
            ("patient/Binary.read", "patient/DocumentReference.read"),
            ("patient/DocumentReference.read", "patient/Binary.read"),
        ):
            refused = get(path, token(f"launch/patient {scope}"), "application/pdf")
            assert (refused.status_code, refused["WWW-Authenticate"]) == (403, lacking(missing))

    @pytest.mark.conformance("X54")
    def test_of_two_contexts_reaches_no_further_than_the_narrower(self, token, get):
        """What comes along with a resource, or stands behind it, needs its own scope about the same patient."""
        root = f"/b/myrecord/r4/{RIVERSIDE}"
        opened = token(
            "launch/patient user/Observation.read user/DocumentReference.read"
            " patient/Provenance.read patient/Binary.read",
            RIVERSIDE,
            answer={"patient": "r-son"},
        )
        assert get(f"{root}/document/pdf-r-ada", opened, "application/pdf").status_code == 200
        assert get(f"{root}/Binary/pdf-r-ada", opened, "application/pdf").status_code == 404
        assert get(f"{root}/Binary/pdf-r-son", opened, "application/pdf").status_code == 200
        reverse = token(
            "launch/patient patient/DocumentReference.read user/Binary.read", RIVERSIDE, answer={"patient": "r-son"}
        )
        assert get(f"{root}/Binary/pdf-r-ada", reverse, "application/pdf").status_code == 404
        assert get(f"{root}/Binary/pdf-r-son", reverse, "application/pdf").status_code == 200
        search = f"{root}/Observation?patient=r-ada&category=laboratory&_revinclude=Provenance:target"
        assert [entry["resource"]["id"] for entry in get(search, opened).json()["entry"]] == ["o-1"]
        whole = token("user/Observation.read user/Provenance.read", RIVERSIDE)
        assert [entry["resource"]["id"] for entry in get(search, whole).json()["entry"]] == ["o-1", "v-1"]


class TestScopeOfVersionTwo:
    @pytest.fixture
    def tablet(self, smart, token):
        """A token of an application that was registered for SMART v2."""
        smart("tablet", smart_version="v2")
        return lambda scope: token(scope, client_id="tablet", changes={"client_id": "tablet"})

    @pytest.mark.conformance("X53", "X54")
    def test_permits_reading_and_searching_apart(self, tablet, get):
        reads, searches = tablet("launch/patient patient/Observation.r"), tablet("launch/patient patient/Observation.s")
        search = f"{ROOT}/Observation?patient=r-ada&category=laboratory"
        assert get(f"{ROOT}/Observation/o-1", reads).status_code == 200
        assert get(search, reads).status_code == 403
        assert get(search, searches).json()["total"] == 1
        refused = get(f"{ROOT}/Observation/o-1", searches)
        assert (refused.status_code, refused["WWW-Authenticate"]) == (403, lacking("patient/Observation.rs"))

    @pytest.mark.conformance("X53")
    def test_permits_both_together(self, tablet, get):
        opened = tablet("launch/patient patient/Observation.rs")
        assert get(f"{ROOT}/Observation/o-1", opened).status_code == 200
        assert get(f"{ROOT}/Observation?patient=r-ada&category=laboratory", opened).status_code == 200


class TestPermissions:
    """As functions of the granted scopes."""

    @staticmethod
    def of(*granted, patient_id="p"):
        return permissions(Place("myrecord", "r4", "t"), granted, patient_id=patient_id, account_patient_ids=("q", "p"))

    @pytest.mark.conformance("X53")
    @pytest.mark.parametrize(
        "scope",
        [
            *("patient/observation.read", "Patient/Observation.read", "patient/Observation.Read", "patient/*.read"),
            *("patient/Observation.*", "patient/*.*", "*/*.read", "patient/Observation", "patient/Observation.write"),
            *(
                "patient/Observation.cud",
                "patient/Observation.sr",
                "system/Observation.read",
                "patient.Observation.read",
            ),
            *(
                "patient/Observations.read",
                "xpatient/Observation.read",
                "patient/Observation.read ",
                "openid",
                "launch",
            ),
            *("patient/Observation.read\n", "patient/Observation.", "patient/Observation.rr", ""),
        ],
    )
    def test_come_of_nothing_but_the_grammar(self, scope):
        opened = self.of(scope)
        assert opened.patients("Observation", "read") == ()
        assert opened.patients("Observation", "search") == ()
        assert opened.refusal("Observation", "read").status == 403

    @pytest.mark.conformance("X53")
    @pytest.mark.parametrize(
        "scope", ["patient/Observation.read", "patient/Observation.rs", "patient/Observation.cruds",
                  "http://smarthealthit.org/fhir/scopes/patient/Observation.read"],
    )  # fmt: skip
    def test_come_of_every_form_of_reading(self, scope):
        assert self.of(scope).refusal("Observation", "read") is None
        assert self.of(scope).patients("Observation", "search") == ("p",)

    def test_are_about_nobody_without_a_patient(self):
        assert self.of("patient/Observation.read", patient_id="").patients("Observation", "read") == ()

    def test_put_the_patient_of_the_context_first(self):
        assert self.of("patient/Patient.read", "user/Patient.read").patients("Patient", "read") == ("p", "q")

    @pytest.mark.conformance("X54")
    def test_of_a_patient_are_not_about_what_a_practice_owns(self):
        assert self.of("patient/Organization.read").refusal("Organization", "read").status == 403
        assert self.of("user/Organization.read").refusal("Organization", "read") is None

    @pytest.mark.conformance("X54")
    @given(st.sets(st.sampled_from(["Patient", "Observation", "Condition", "Goal", "Encounter"])))
    def test_are_for_the_named_types_and_no_others(self, types):
        opened = self.of(*(f"patient/{name}.read" for name in types))
        for name in ("Patient", "Observation", "Condition", "Goal", "Encounter"):
            assert (opened.refusal(name, "search") is None) == (name in types)
            assert opened.patients(name, "read") == (("p",) if name in types else ())

    @pytest.mark.conformance("X54")
    @pytest.mark.parametrize("context", ["patient", "user"])
    def test_of_reading_are_not_for_searching(self, context):
        opened = self.of(f"{context}/Observation.r")
        assert opened.refusal("Observation", "read") is None
        assert opened.refusal("Observation", "search").challenge == lacking("patient/Observation.rs")
        assert opened.patients("Observation", "search") == ()

    def test_do_not_help_where_a_type_is_withheld(self):
        scenarios.choose("withheld_type", "Coverage")
        refusal = self.of("patient/Coverage.read").refusal("Coverage", "read")
        assert (refusal.status, refusal.challenge) == (403, "")
