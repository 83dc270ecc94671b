"""What a SMART deployment answers instead of a code or a token, and what the patient then reads (interface facts 5.1,
5.2)."""

import re

import pytest

from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.outcomes import Outcome
from tests.connections.deployments import WILLOW_CREEK

pytestmark = pytest.mark.django_db

_MORE = re.compile(r'<a class="as-link"\s+href="([^"]+)"([^>]*)>\s*<span>\s*More from')


def more_from(page) -> tuple[str, str] | None:
    """The provider's own page about an error: its address, and the rest of the link."""
    found = _MORE.search(page.html.replace("\n", " "))
    return (found[1], found[2]) if found else None


class TestAnAnswerWithoutACode:
    @pytest.mark.conformance("C48")
    @pytest.mark.parametrize(
        ("error", "words"),
        [
            ("server_error", f"{WILLOW_CREEK} is not answering right now"),
            ("temporarily_unavailable", f"{WILLOW_CREEK} is not answering right now"),
        ],
    )
    def test_of_a_server_that_is_ill_is_named(self, deploy, patient, error, words):
        place = deploy(switches={"authorize_error": error})
        assert words in patient.go_there(place).html
        assert place.sent(to="/token") == []

    @pytest.mark.conformance("C48")
    def test_of_somebody_who_cancels_is_neutral(self, deploy, patient):
        place = deploy()
        page = patient.go_there(place, press="Cancel")
        assert "Not connected" in page.html
        assert f"Permission was not given at {WILLOW_CREEK}. Nothing was copied." in page.html
        assert AuthorizationRequest.objects.get().outcome == Outcome.CANCELLED
        assert not Connection.objects.exists()

    def test_of_scopes_that_are_not_its_own_is_ours_to_fix(self, deploy, patient):
        """An application of SMART 1 that asks in the writing of SMART 2: facts 3.8."""
        place = deploy(application={"smart_version": "v1"})
        assert "Something in our request was not accepted" in patient.go_there(place).html

    @pytest.mark.parametrize("version", ["v1", "v2"])
    def test_does_not_come_where_scopes_are_written_as_registered(self, deploy, patient, version):
        place = deploy(smart_version=version)
        patient.found(place)
        written = "patient%2FGoal.read" if version == "v1" else "patient%2FGoal.rs"
        assert written in patient.left_by


class TestThePageAboutAnError:
    @pytest.mark.conformance("C49")
    def test_is_a_link_that_tells_nothing_and_is_never_fetched(self, deploy, patient, sandbox):
        place = deploy()
        link = more_from(patient.go_there(place, press="Cancel"))
        assert link is not None
        address, rest = link
        assert address.startswith(f"{sandbox.origin}/b/authorization/errors/")
        assert 'target="_blank"' in rest
        assert 'rel="noopener noreferrer"' in rest
        assert not [one for one in sandbox.get("/control/requests")["requests"] if "/errors/" in one["path"]]

    @pytest.mark.conformance("C49")
    @pytest.mark.parametrize("switch", ["foreign-host", "off"])
    def test_is_not_shown_where_it_is_not_on_the_authorization_host(self, deploy, patient, switch):
        place = deploy(switches={"error_uri": switch})
        page = patient.go_there(place, press="Cancel")
        assert "Not connected" in page.html
        assert more_from(page) is None

    @pytest.mark.conformance("C49")
    @pytest.mark.parametrize(("switch", "is_shown"), [("on", True), ("foreign-host", False)])
    def test_follows_a_token_answer_by_the_same_rule(self, deploy, patient, sandbox, switch, is_shown):
        place = deploy(switches={"error_uri": switch})
        back = patient.sent_back(place)
        sandbox.post("/control/grants/end")
        page = patient.get(back)
        assert "The sign-in could not be finished" in page.html
        assert (more_from(page) is not None) is is_shown


class TestAWindow:
    @pytest.mark.conformance("C47")
    def test_that_was_closed_leaves_a_page_that_waits(self, deploy, patient):
        place = deploy()
        patient.leave(place)
        page = patient.get(patient.waiting_page)
        assert f"Still waiting for {WILLOW_CREEK}" in page.html
        assert "Start again" in page.html

    @pytest.mark.conformance("C47")
    def test_that_was_left_by_the_back_button_does_not_send_away_again(self, deploy, patient):
        patient.leave(deploy())
        first, second = (seen for seen in [*patient.seen, patient.get(patient.waiting_page)][-2:])
        assert 'http-equiv="refresh"' in first.html
        assert 'http-equiv="refresh"' not in second.html

    @pytest.mark.conformance("C47")
    def test_that_was_pressed_twice_begins_two_requests_and_one_connection(self, deploy, patient):
        place = deploy()
        patient.leave(place)
        patient.found(place)
        assert AuthorizationRequest.objects.count() == 2
        assert Connection.objects.count() == 1
