"""Servers differ in lawful ways, which the sandbox plays by name: a patient can link a record at each of them.

Two lawful differences are no scenarios of the sandbox: an approved port, which every sandbox has because it never
listens on 443, and `prompt=consent`, which staff choose.
"""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.utils import timezone

from apps.connections import refreshing
from apps.connections.models import AuthorizationRequest, Connection, StoredTokenSet
from apps.connections.outcomes import Outcome

pytestmark = pytest.mark.django_db

DEEP = "interop/api/fhir/"  # what the sandbox's deep roots have below the tenant


def link(patient, place) -> Connection:
    """Through to the confirmed record."""
    connection: Connection = patient.found(place)
    page = patient.get(f"/connections/{connection.pk}/confirm/")
    assert "Ruth Ann Alder" in page.html
    patient.confirm(connection)
    connection.refresh_from_db()
    assert connection.status == Connection.Status.ACTIVE
    return connection


def left_with(patient) -> dict[str, list[str]]:
    return parse_qs(urlsplit(patient.left_by).query)


class TestALawfulServer:
    @pytest.mark.conformance("C22", "C23", "C37")
    @pytest.mark.parametrize("version", ["r4", "dstu2"])
    @pytest.mark.parametrize(
        "scenario",
        [
            "always-rotating",
            "pkce-needed",
            "long-state",
            "bearer-in-lower-case",
            "empty-refusals",
            "plain-text-refusals",
            "bare-refusals",
            "issuer-in-answers",
            "slashes-matter",
            "plain-json",
            "patient-kept-back",
            "metadata-alone",
            "strict-searches",
            "launch-without-visit",
            "deep-roots",
            "several-audiences",
            "older-token-address",
            "relative-addresses",
        ],
    )
    def test_is_linked_to(self, deploy, patient, scenario, version):
        link(patient, deploy(scenario=scenario, version=version, path=DEEP if scenario == "deep-roots" else ""))

    @pytest.mark.parametrize("is_prompted", [True, False])
    def test_may_give_a_lasting_permission_only_when_asked_for_the_consent_page(self, deploy, patient, is_prompted):
        place = deploy(scenario="offline-needs-prompt", prompts_for_consent=is_prompted)
        connection = link(patient, place)
        assert left_with(patient).get("prompt") == (["consent"] if is_prompted else None)
        stored = StoredTokenSet.objects.get(connection=connection)
        assert (stored.sealed_refresh_token is not None) is is_prompted

    @pytest.mark.conformance("C17", "C39")
    def test_may_hand_out_a_new_refresh_token_each_time(self, deploy, patient):
        """S4, word for word, as it arrived; and twice, with the second token after the first."""
        place = deploy(scenario="always-rotating", minimum_refresh_seconds=0)
        connection = link(patient, place)
        sent = []
        for _turn in range(2):
            StoredTokenSet.objects.update(access_expires_at=timezone.now())
            refreshing.usable_token(Connection.objects.get(pk=connection.pk), at=timezone.now())
            request = place.sent(to="/token")[-1]
            form = parse_qs(request["body"])
            sent.append(form.pop("refresh_token")[0])
            assert form == {"grant_type": ["refresh_token"]}
            assert request["query"] == ""
        assert len(set(sent)) == 2

    @pytest.mark.conformance("C31")
    def test_that_names_itself_is_believed_by_its_name_alone(self, deploy, patient):
        place = deploy(scenario="issuer-in-answers")
        assert place.endpoint.authorization_server.names_issuer
        sent_to = patient.sent_back(place)
        without = "&".join(part for part in sent_to.split("&") if not part.startswith("iss="))
        assert without != sent_to
        patient.get(without)
        assert AuthorizationRequest.objects.get().outcome == Outcome.WRONG_ISSUER
        assert place.sent(to="/token") == []

    @pytest.mark.conformance("C37")
    def test_that_keeps_the_patient_back_is_told_by_who_signed_in(self, deploy, patient):
        place = deploy(scenario="patient-kept-back")
        connection = link(patient, place)
        (read,) = place.sent(to="/Patient", method="GET")
        assert read["path"].endswith(f"/Patient/{connection.fhir_patient_id}")

    @pytest.mark.conformance("C37")
    def test_that_says_nothing_at_all_of_the_patient_is_asked(self, deploy, patient):
        place = deploy(scenario="patient-kept-back", switches={"smart_patient_search": "bundle"}, asks_identity=False)
        link(patient, place)
        (search,) = place.sent(to="/Patient", method="GET")
        assert search["path"].endswith("/Patient")

    @pytest.mark.conformance("C37")
    def test_that_will_not_say_whose_record_it_is_ends_the_way(self, deploy, patient):
        place = deploy(scenario="patient-kept-back", asks_identity=False)
        page = patient.go_there(place)
        assert "did not say whose record this is" in page.html
        assert not Connection.objects.exists()
        assert [request["status"] for request in place.sent(to="/revoke")] == [200]

    def test_with_a_root_in_the_depth_of_its_address_is_asked_for_just_that(self, deploy, patient):
        place = deploy(scenario="deep-roots", path=DEEP)
        link(patient, place)
        assert left_with(patient)["aud"] == [place.endpoint.fhir_base_url]
