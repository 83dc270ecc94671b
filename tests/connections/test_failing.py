"""Ways back that failed: each has a name and a page, and leaves nothing behind."""

import pytest

from apps.audit.models import AuditEvent
from apps.connections.models import AuthorizationRequest
from apps.connections.outcomes import Outcome
from apps.directory.models import AuthorizationServer, ClientRegistration, Wish
from tests.connections.conftest import assert_nothing_was_left, page_after
from tests.connections.provider_stand_in import CODE, bundle, tokens
from tests.wire.servers import http

pytestmark = pytest.mark.django_db


def refused(error: str, status: int = 400, **fields: str) -> bytes:
    return http(status, {"error": error, **fields})


class TestAFailure:
    @pytest.mark.parametrize(
        ("query", "outcome", "sentence"),
        [
            ({"error": "access_denied"}, Outcome.CANCELLED, "Not connected"),
            ({"error": "unauthorized_client"}, Outcome.NOT_ENABLED, "has not turned on this app yet"),
            ({"error": "invalid_scope"}, Outcome.REQUEST_REFUSED, "Something in our request was not accepted"),
            ({"error": "invalid_request"}, Outcome.REQUEST_REFUSED, "Something in our request was not accepted"),
            ({"error": "unsupported_response_type"}, Outcome.REQUEST_REFUSED, "Trying again will not help"),
            ({"error": "server_error"}, Outcome.PROVIDER_DOWN, "is not answering right now"),
            ({"error": "temporarily_unavailable"}, Outcome.PROVIDER_DOWN, "is not answering right now"),
            ({"error": "login_required"}, Outcome.CODE_REFUSED, "The sign-in could not be finished"),
            ({"error": "something_of_their_own"}, Outcome.CODE_REFUSED, "The sign-in could not be finished"),
        ],
    )
    @pytest.mark.conformance("C48")
    def test_of_the_sign_in_has_a_page_and_sends_no_code_anywhere(
        self, traveller, place, stand_in, query, outcome, sentence
    ):
        departed = traveller.leave(place)
        page = page_after(traveller, traveller.come_back(place, state=departed.state, **query))
        assert sentence in page
        assert AuthorizationRequest.objects.get().outcome == outcome
        assert stand_in.server.requests == []
        assert_nothing_was_left()

    @pytest.mark.parametrize(
        ("error", "is_offered", "needs_sign_in"),
        [
            ("server_error", True, False),
            ("invalid_scope", True, True),
            ("access_denied", False, False),
            ("login_required", False, False),
        ],
    )
    def test_that_waiting_may_mend_offers_word_of_it(self, traveller, place, sam, error, is_offered, needs_sign_in):
        departed = traveller.leave(place)
        page = page_after(traveller, traveller.come_back(place, state=departed.state, error=error))
        assert ("Tell me when it works" in page) is is_offered
        assert ('name="needs_sign_in"' in page) is needs_sign_in
        if is_offered:
            assert f'value="{place.provider.pk}"' in page
            form = {"provider": place.provider.pk, **({"needs_sign_in": "yes"} if needs_sign_in else {})}
            assert traveller.client.post("/providers/wishes/", form)["Location"] == "/providers/#wishes"
            (wish,) = Wish.objects.all()
            assert (wish.user, wish.needs_sign_in) == (traveller.user, needs_sign_in)

    def test_of_the_sign_in_that_the_provider_decided_says_so(self, traveller, place):
        departed = traveller.leave(place)
        host = place.registration.authorization_server.authorize_url.partition("/auth/")[0]
        page = page_after(
            traveller,
            traveller.come_back(
                place,
                state=departed.state,
                error="access_denied",
                error_uri=f"{host}/errors/urn%3Aoauth2%3Agrant%3Adenied-by-server/instances/1",
            ),
        )
        assert "did not allow the connection" in page
        assert 'rel="noopener noreferrer"' in page

    def test_shows_no_help_page_of_another_host(self, traveller, place):
        departed = traveller.leave(place)
        page = page_after(
            traveller,
            traveller.come_back(
                place, state=departed.state, error="access_denied", error_uri="https://evil.example/denied"
            ),
        )
        assert "evil.example" not in page

    @pytest.mark.parametrize(
        ("answer", "outcome", "sentence"),
        [
            (refused("invalid_grant"), Outcome.CODE_REFUSED, "The sign-in could not be finished"),
            (refused("invalid_client", 401), Outcome.REGISTRATION_BROKEN, "this is our problem, not yours"),
            (refused("unsupported_grant_type"), Outcome.REGISTRATION_BROKEN, "this is our problem, not yours"),
            (refused("invalid_target"), Outcome.REGISTRATION_BROKEN, "this is our problem, not yours"),
            (refused("unauthorized_client"), Outcome.NOT_ENABLED, "has not turned on this app yet"),
            (refused("invalid_request"), Outcome.REQUEST_REFUSED, "this is ours to fix"),
            (refused("invalid_scope"), Outcome.REQUEST_REFUSED, "this is ours to fix"),
            (http(429, Retry_After="3"), Outcome.PROVIDER_DOWN, "is not answering right now"),
            (http(500, "oops"), Outcome.PROVIDER_DOWN, "is not answering right now"),
            (http(503), Outcome.PROVIDER_DOWN, "is not answering right now"),
            (http(302, Location="https://evil.example/"), Outcome.REGISTRATION_BROKEN, "this is our problem"),
            (http(200, "<html>", content_type="text/html"), Outcome.UNREADABLE, "We could not read the answer"),
            (http(200, '{"access_token": '), Outcome.UNREADABLE, "We could not read the answer"),
            (http(200, {"token": "x"}), Outcome.UNREADABLE, "We could not read the answer"),
            (http(200, {"error": "invalid_grant"}), Outcome.CODE_REFUSED, "The sign-in could not be finished"),
        ],
    )
    @pytest.mark.conformance("C48")
    def test_of_the_exchange_has_a_page_and_leaves_nothing(self, traveller, place, stand_in, answer, outcome, sentence):
        stand_in.token = answer
        departed = traveller.leave(place)
        page = page_after(traveller, traveller.come_back(place, code=CODE, state=departed.state))
        assert sentence in page
        assert AuthorizationRequest.objects.get().outcome == outcome
        assert stand_in.patient_requests == []
        assert_nothing_was_left()

    @pytest.mark.parametrize(
        ("answer", "outcome", "sentence"),
        [
            (bundle(), Outcome.NO_PERSON, "did not say whose record this is"),
            (http(404), Outcome.NO_PERSON, "did not say whose record this is"),
            (http(403), Outcome.NO_PERSON, "did not say whose record this is"),
            (http(401), Outcome.CODE_REFUSED, "The sign-in could not be finished"),
            (http(500), Outcome.PROVIDER_DOWN, "is not answering right now"),
            (http(200, "<html>"), Outcome.UNREADABLE, "We could not read the answer"),
            (http(200, {"resourceType": "Practitioner", "id": "x"}), Outcome.UNREADABLE, "We could not read"),
        ],
    )
    def test_to_find_a_person_gives_the_tokens_back(self, traveller, place, stand_in, answer, outcome, sentence):
        stand_in.patient = answer
        departed = traveller.leave(place)
        page = page_after(traveller, traveller.come_back(place, code=CODE, state=departed.state))
        assert sentence in page
        assert AuthorizationRequest.objects.get().outcome == outcome
        assert dict(stand_in.revocations[0].form)["token"] == "refresh-canary-e391"
        assert_nothing_was_left()

    def test_of_our_registration_is_marked_for_staff_and_stops_others(self, traveller, place, stand_in):
        stand_in.token = refused("invalid_client", 401)
        departed = traveller.leave(place)
        traveller.come_back(place, code=CODE, state=departed.state)
        assert ClientRegistration.objects.get().trouble == "invalid_client"
        assert AuditEvent.objects.filter(event="registration.changed").exists()
        assert traveller.client.get(place.before_you_go).status_code == 409

    @pytest.mark.parametrize(
        "answer",
        [
            refused("unauthorized_client"),
            refused("invalid_request"),
            http(302, Location="https://evil.example/"),
        ],
        ids=["not enabled", "our request", "a redirect"],
    )
    def test_that_is_not_a_refusal_of_our_client_is_logged_and_does_not_stop_others(
        self, traveller, place, stand_in, caplog, answer
    ):
        stand_in.token = answer
        departed = traveller.leave(place)
        traveller.come_back(place, code=CODE, state=departed.state)
        assert ClientRegistration.objects.get().trouble == ""
        assert f"Staff must look into client registration {place.registration.pk}" in caplog.text

    def test_that_a_browser_brings_is_logged_and_never_stops_others(self, traveller, place, caplog):
        departed = traveller.leave(place)
        traveller.come_back(place, error="invalid_client", state=departed.state)
        assert ClientRegistration.objects.get().trouble == ""
        assert "Staff must look into" in caplog.text

    @pytest.mark.parametrize("error", ["access_denied", "server_error"])
    def test_that_is_not_ours_to_mend_alerts_nobody(self, traveller, place, caplog, error):
        departed = traveller.leave(place)
        traveller.come_back(place, error=error, state=departed.state)
        assert "Staff must look into" not in caplog.text

    def test_the_second_time_names_another_way(self, traveller, place, stand_in):
        stand_in.token = http(503)
        pages = []
        for _ in range(2):
            departed = traveller.leave(place)
            pages.append(page_after(traveller, traveller.come_back(place, code=CODE, state=departed.state)))
        assert "is still not answering" in pages[1]

    def test_is_no_second_time_after_a_success(self, traveller, place, stand_in):
        for answer in (http(503), tokens(), http(503)):
            stand_in.token = answer
            departed = traveller.leave(place)
            back = traveller.come_back(place, code=CODE, state=departed.state)
        assert "is not answering right now" in page_after(traveller, back)

    def test_is_written_down_with_its_outcome_and_code(self, traveller, place, stand_in):
        stand_in.token = refused("invalid_grant")
        departed = traveller.leave(place)
        traveller.come_back(place, code=CODE, state=departed.state)
        facts = AuditEvent.objects.get(event="connection.failed").facts
        assert facts["outcome"] == "code_refused"
        assert facts["code"] == "invalid_grant"

    def test_because_staff_switched_it_off_meanwhile_sends_no_code(self, traveller, place, stand_in):
        departed = traveller.leave(place)
        ClientRegistration.objects.update(is_switched_on=False)
        page = page_after(traveller, traveller.come_back(place, code=CODE, state=departed.state))
        assert "We turned off access to Harbor Family Practice for now, while you were signing in there." in page
        assert AuthorizationRequest.objects.get().outcome == Outcome.SWITCHED_OFF
        assert stand_in.server.requests == []

    def test_by_another_issuer_than_the_one_we_know_sends_no_code(self, traveller, place, stand_in):
        AuthorizationServer.objects.update(issuer="https://issuer.example")
        departed = traveller.leave(place)
        answer = traveller.come_back(place, code=CODE, state=departed.state, iss="https://other.example")
        assert "We could not confirm who answered" in page_after(traveller, answer)
        assert stand_in.server.requests == []
