"""Who signed in at the provider: what proves it, what does not, and what is stored (interface facts 3.7)."""

import pytest

from apps.connections.authorization_responses import identifying
from apps.connections.grants import launch_context
from apps.connections.models import AuthorizationRequest, Connection, StoredTokenSet
from apps.connections.outcomes import Outcome
from apps.directory import reaching
from apps.directory.models import AuthorizationServer
from apps.wire.identity import KeyFinder
from tests.connections.deployments import WILLOW_CREEK

pytestmark = pytest.mark.django_db

# One of each fault; the wire's own tests have all of them, and combinations.
WRONG = [
    ({"id_token_form": "alg-none"}, "algorithm"),
    ({"id_token_form": "hs256-with-public-key"}, "algorithm"),
    ({"id_token_form": "signature-altered"}, "signature"),
    ({"id_token_form": "key-foreign"}, "signature"),
    ({"id_token_form": "kid-unknown"}, "unknown_key"),
    ({"id_token_form": "critical-header"}, "critical_header"),
    ({"id_token_form": "not-a-jwt"}, "malformed"),
    ({"id_token_claims": "issuer-foreign"}, "issuer"),
    ({"id_token_claims": "issuer-of-another-tenant"}, "issuer"),
    ({"id_token_claims": "audience-foreign"}, "audience"),
    ({"id_token_claims": "party-foreign"}, "authorized_party"),
    ({"id_token_claims": "expired"}, "expired"),
    ({"id_token_claims": "issued-in-future"}, "issued_at"),
    ({"id_token_claims": "not-yet"}, "not_yet"),
    ({"id_token_claims": "nonce-wrong"}, "nonce"),
    ({"id_token_claims": "nonce-missing"}, "nonce"),
    ({"id_token_claims": "subject-missing"}, "subject"),
]


@pytest.fixture
def _no_key_is_known_yet(monkeypatch):
    """As in a process that just started."""
    monkeypatch.setattr(identifying, "_KEYS", KeyFinder(reaching.address_policy))


class TestAProofThatDoesNotHold:
    @pytest.mark.conformance("C38")
    def test_ends_the_sign_in_and_is_named_to_staff(self, deploy, patient, sandbox, caplog):
        """One deployment, and one sign-in for each fault."""
        place = deploy()
        for switches, fault in WRONG:
            sandbox.post("/control/reset")
            sandbox.post("/control/switches", **switches)
            sandbox.delete("/control/requests")
            caplog.clear()
            page = patient.go_there(place)
            assert "We could not confirm the sign-in" in page.html, switches
            assert f"{WILLOW_CREEK} sent a proof we could not check." in page.html
            told = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
            assert len(told) == 1, switches
            assert told[0].endswith(f"({fault})"), (switches, told)
            # nothing was asked with the tokens beside it, and they were given back
            assert place.sent(to="/Patient", method="GET") == [], switches
            assert [request["status"] for request in place.sent(to="/revoke")] == [200]
        assert set(AuthorizationRequest.objects.values_list("outcome", flat=True)) == {Outcome.IDENTITY_REFUSED}
        assert not Connection.objects.exists()
        assert not StoredTokenSet.objects.exists()

    def test_is_one_of_an_issuer_nobody_allowed(self, deploy, patient, caplog):
        """The name itself is not told: it is the server's text."""
        place = deploy()
        server = place.endpoint.authorization_server
        AuthorizationServer.objects.filter(pk=server.pk).update(id_token_issuers=[])
        page = patient.go_there(place)
        assert "We could not confirm the sign-in" in page.html
        assert "idsps" not in caplog.text.replace(place.endpoint.fhir_base_url, "")

    @pytest.mark.usefixtures("_no_key_is_known_yet")
    def test_is_one_whose_keys_are_nowhere(self, deploy, patient):
        page = patient.go_there(deploy(switches={"openid_configuration": "absent"}))
        assert "We could not confirm the sign-in" in page.html

    @pytest.mark.usefixtures("_no_key_is_known_yet")
    def test_is_waited_for_while_the_keys_are_down(self, deploy, patient):
        page = patient.go_there(deploy(switches={"jwks": "down"}))
        assert f"{WILLOW_CREEK} is not answering right now" in page.html


class TestAProofThatHolds:
    @pytest.mark.conformance("C37")
    @pytest.mark.parametrize("form", ["absolute", "relative", "profile-claim"])
    def test_is_kept_sealed_with_the_connection(self, deploy, patient, form):
        connection = patient.found(deploy(switches={"fhir_user": form}))
        patient.confirm(connection)
        connection.refresh_from_db()
        assert launch_context.find(connection).fhir_user == f"Patient/{connection.fhir_patient_id}"
        assert connection.fhir_patient_id.encode() not in bytes(connection.sealed_context)

    @pytest.mark.parametrize(
        ("form", "words"),
        [
            ("RelatedPerson", "A relative, or another person who is allowed to see this record."),
            ("Person", "A relative, or another person who is allowed to see this record."),
            ("Practitioner", "Someone who works there."),
        ],
    )
    def test_of_somebody_else_leaves_the_record_the_patient_s(self, deploy, patient, form, words):
        connection = patient.found(deploy(switches={"fhir_user": form}))
        page = patient.get(f"/connections/{connection.pk}/confirm/")
        assert "Ruth Ann Alder" in page.html
        assert words in page.html

    @pytest.mark.parametrize("form", ["absent", "foreign-root"])
    def test_may_name_nobody_here(self, deploy, patient, form):
        connection = patient.found(deploy(switches={"fhir_user": form}))
        assert launch_context.find(connection).fhir_user == ""
        assert "Who signed in there" not in patient.get(f"/connections/{connection.pk}/confirm/").html

    def test_of_a_parent_says_nothing_of_the_child(self, deploy, patient):
        """The token answer keeps the child back that was chosen: the one who signed in is not taken instead."""
        place = deploy(scenario="patient-kept-back")
        page = patient.go_there(place, username="hannah", chosen={"Milo": True})
        assert "did not say whose record this is" in page.html
        assert not Connection.objects.exists()

    def test_of_a_parent_leaves_it_to_the_server_whose_record_it_is(self, deploy, patient):
        place = deploy(scenario="patient-kept-back", switches={"smart_patient_search": "bundle"})
        connection = patient.found(place, username="hannah", chosen={"Milo": True})
        assert "Milo" in patient.get(f"/connections/{connection.pk}/confirm/").html

    def test_is_not_needed_where_none_was_asked_for(self, deploy, patient):
        place = deploy(asks_identity=False)
        patient.found(place)
        assert "nonce" not in patient.left_by
        assert "openid" not in patient.left_by
