"""A sign-in fails at the provider: it has a named outcome and a page, leaves nothing behind, and a retry works."""

import pytest

from apps.connections import tasks
from apps.connections.models import AuthorizationRequest, PendingRevocation
from tests.faults import hunting
from tests.faults.leavings import assert_nothing_is_left

pytestmark = pytest.mark.django_db

NOT_ANSWERING = ("provider_down", "Harbor Family Medicine is not answering right now")
FORGED = ("", "We did not start this sign-in")
REFUSED = ("code_refused", "The sign-in could not be finished")

SCENARIOS = {
    "state-lost": FORGED,
    "state-altered": FORGED,
    "sign-in-fails": NOT_ANSWERING,
    "sign-in-later": NOT_ANSWERING,
    "authorize-down": ("", "Still waiting for Harbor Family Medicine"),
}
WELL = ("bare-answers", "huge-tokens", "no-refresh", "rotating", "short-lived")
REFUSALS = ("rfc", "detailed", "html", "text", "empty")


class TestASignIn:
    @pytest.mark.parametrize("scenario", SCENARIOS)
    @pytest.mark.conformance("C9", "C48")
    def test_that_fails_has_an_end_with_a_page(self, scenario, sandbox, place, traveller, heard, staff):
        sandbox.post("/control/scenarios", name=scenario)
        outcome, sentence = SCENARIOS[scenario]
        page = traveller.go_there(place)
        assert sentence in page.html
        assert AuthorizationRequest.objects.get().outcome == outcome
        assert_it_cost_nothing(sandbox, place, traveller, heard, staff)

    @pytest.mark.conformance("C9", "C48")
    def test_that_the_patient_cancels_is_not_an_error(self, sandbox, place, traveller, heard, staff):
        page = traveller.go_there(place, press="Cancel")
        assert "Not connected" in page.html
        assert AuthorizationRequest.objects.get().outcome == "cancelled"
        assert_it_cost_nothing(sandbox, place, traveller, heard, staff)

    @pytest.mark.conformance("C48")
    def test_that_fails_in_words_nobody_knows_can_be_repeated(self, sandbox, place, traveller, heard, staff):
        sandbox.post("/control/switches", authorize_error="something_new")
        assert REFUSED[1] in traveller.go_there(place).html
        assert AuthorizationRequest.objects.get().outcome == REFUSED[0]
        assert_it_cost_nothing(sandbox, place, traveller, heard, staff)

    @pytest.mark.parametrize("scenario", WELL)
    @pytest.mark.conformance("C9")
    def test_that_goes_well_leaves_no_secret(self, scenario, sandbox, place, traveller, heard, staff):
        """Whatever shape the tokens have; they are written down by the sandbox when we read, and when we let go."""
        sandbox.post("/control/scenarios", name=scenario)
        connection = traveller.found(place)
        held = hunting.canaries(sandbox, place) | hunting.session_keys(traveller.client, staff)
        assert hunting.names(held) >= {"client_secret", "code", "code_verifier", "state", "access_token"}
        hunting.assert_nowhere(held, hunting.tracks(traveller, heard.texts, staff))
        traveller.post(f"/connections/{connection.pk}/confirm/", answer="no")
        hunting.assert_nowhere(held, hunting.tracks(traveller, heard.texts, staff))  # while the provider is to be told
        tasks.tell_providers()
        assert "token" in hunting.names(hunting.canaries(sandbox, place))
        hunting.assert_nowhere(hunting.canaries(sandbox, place), hunting.tracks(traveller, heard.texts, staff))
        assert_nothing_is_left()
        assert not PendingRevocation.objects.exists()


class TestACode:
    @pytest.mark.parametrize("form", REFUSALS)
    @pytest.mark.conformance("C9", "C59")
    def test_that_is_refused_in_any_form_has_an_end_with_a_page(self, form, sandbox, place, traveller, heard, staff):
        """A secret that was changed at the provider: a refusal with and without words."""
        sandbox.post("/control/switches", token_error_form=form)
        place.register_there(sandbox, secret="another-secret-than-ours")
        page = traveller.go_there(place)
        assert "We cannot connect to Harbor Family Medicine right now" in page.html
        assert AuthorizationRequest.objects.get().outcome == "registration_broken"
        assert_nothing_is_left()
        hunting.assert_nowhere(hunting.canaries(sandbox, place), hunting.tracks(traveller, heard.texts, staff))


def assert_it_cost_nothing(sandbox, place, traveller, heard, staff) -> None:
    """No code was sent, nothing is left, no secret anywhere; and once the fault is over the same patient links."""
    assert sandbox.get("/control/requests?path=/auth/token")["requests"] == []
    assert_nothing_is_left(is_open=not AuthorizationRequest.objects.get().outcome)
    canaries = hunting.canaries(sandbox, place)
    assert "state" in hunting.names(canaries)
    hunting.assert_nowhere(canaries, hunting.tracks(traveller, heard.texts, staff))
    sandbox.post("/control/scenarios", name="usual")
    traveller.found(place)
