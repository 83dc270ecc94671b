"""Every callback has an outcome with a name and a page, and leaves nothing behind that should not be stored."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.connections.authorization_requests import binding
from apps.connections.models import AuthorizationRequest, Connection
from apps.directory.models import ClientRegistration
from tests.connections.conftest import BACKEND, assert_nothing_was_left, page_after
from tests.connections.provider_stand_in import CODE, tokens
from tests.wire.servers import http

pytestmark = pytest.mark.django_db


class TestCompleted:
    @pytest.mark.conformance("C6", "C7")
    def test_exchanges_the_code_with_exactly_five_parameters_in_the_query(self, traveller, place, stand_in):
        departed = traveller.leave(place)
        traveller.come_back(place, code=CODE, state=departed.state)
        (request,) = stand_in.token_requests
        assert request.method == "POST"
        assert request.headers["content-type"] == "application/x-www-form-urlencoded"
        assert request.body == b""
        assert sorted(request.query) == [
            ("client_id", "holdfast-client"),
            ("client_secret", "secret-canary-bb42"),
            ("code", "code-canary-5a1f"),
            ("grant_type", "authorization_code"),
            ("redirect_uri", dict(departed.query)["redirect_uri"]),
        ]

    @pytest.mark.conformance("C11", "C64")
    def test_asks_whose_record_it_is_and_stores_no_resource(self, traveller, place, stand_in):
        connection = traveller.link(place)
        (request,) = stand_in.patient_requests
        assert request.target == "/fhir/r4/Patient"
        assert request.headers["authorization"] == "Bearer access-canary-77c0"
        assert request.headers["accept"] == "application/json"
        assert connection.status == "awaiting_confirmation"
        assert connection.fhir_patient_id == ""
        assert connection.records.count() == 0

    @pytest.mark.conformance("C16")
    def test_needs_neither_expires_in_nor_scope_nor_token_type_nor_patient(self, traveller, place, stand_in):
        stand_in.token = http(body={"access_token": "only-this"})
        assert traveller.link(place).status == "awaiting_confirmation"

    def test_leads_to_the_question_whose_record_it_is(self, traveller, place):
        departed = traveller.leave(place)
        answer = traveller.come_back(place, code=CODE, state=departed.state)
        page = traveller.client.get(answer["Location"])
        connection = Connection.objects.get()
        assert page["Location"] == f"/connections/{connection.pk}/confirm/"

    def test_sends_the_verifier_of_the_challenge_where_pkce_is_used(self, traveller, place, stand_in):
        ClientRegistration.objects.update(uses_pkce=True)
        departed = traveller.leave(place)
        traveller.come_back(place, code=CODE, state=departed.state)
        verifier = dict(stand_in.token_requests[0].query)["code_verifier"]
        import base64
        import hashlib

        digest = hashlib.sha256(verifier.encode()).digest()
        assert dict(departed.query)["code_challenge"] == base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

    def test_works_with_codes_and_tokens_of_16_kib(self, traveller, place, stand_in):
        stand_in.token = tokens(access_token="a" * 16384, refresh_token="r" * 16384)
        departed = traveller.leave(place)
        traveller.come_back(place, code="c" * 16384, state=departed.state)
        assert dict(stand_in.token_requests[0].query)["code"] == "c" * 16384
        assert stand_in.patient_requests[0].headers["authorization"] == "Bearer " + "a" * 16384
        assert Connection.objects.get().status == "awaiting_confirmation"

    def test_is_written_down_without_a_name(self, traveller, place):
        traveller.link(place)
        events = list(AuditEvent.objects.filter(subject__startswith="connection").values_list("event", flat=True))
        assert events == ["tokens.exchanged", "connection.found"]

    @pytest.mark.conformance("C69")
    def test_answers_303_without_referrer_to_a_page_of_ours(self, traveller, place):
        departed = traveller.leave(place)
        answer = traveller.come_back(
            place, code=CODE, state=departed.state, next="https://evil.example/", redirect_uri="https://evil.example/"
        )
        assert answer.status_code == 303
        assert answer["Location"] == departed.page
        assert answer["Referrer-Policy"] == "no-referrer"
        assert "no-store" in answer["Cache-Control"]
        assert CODE not in answer.content.decode()


class TestAnAnswerThatIsNotOurs:
    @pytest.mark.parametrize(
        "query",
        [
            {},
            {"code": CODE},
            {"code": CODE, "state": ""},
            {"code": CODE, "state": "A" * 43},
            {"error": "access_denied"},
            {"code": ["a", "b"], "state": "A" * 43},
            {"code": CODE, "error": "access_denied", "state": "A" * 43},
            {"code": "\x00", "state": "\x00"},
            {"code": "é" * 10, "state": "ü"},
            {"code": "x" * 70_000, "state": "A" * 43},
        ],
    )
    @pytest.mark.conformance("C5", "C30")
    def test_is_ignored(self, traveller, place, stand_in, query):
        departed = traveller.leave(place)
        answer = traveller.client.get(place.callback, query)
        assert answer["Location"] == "/connect/answer/forged/"
        assert "We did not start this sign-in" in page_after(traveller, answer)
        assert stand_in.server.requests == []
        assert AuthorizationRequest.objects.get().claimed_at is None
        assert departed.state  # it would still be good
        assert_nothing_was_left()

    def test_is_ignored_at_an_address_nobody_registered(self, traveller, place):
        departed = traveller.leave(place)
        answer = traveller.client.get(f"/connect/return/{uuid4()}/", {"code": CODE, "state": departed.state})
        assert answer["Location"] == "/connect/answer/forged/"

    @pytest.mark.conformance("C1", "C30")
    def test_is_ignored_at_the_address_of_another_registration(self, traveller, place, make_place, stand_in):
        other = make_place("Older records", path="/older", version="dstu2")
        departed = traveller.leave(place)
        answer = traveller.come_back(other, code=CODE, state=departed.state)
        assert answer["Location"] == "/connect/answer/forged/"
        assert stand_in.token_requests == []

    @pytest.mark.conformance("C30")
    def test_is_not_taken_from_a_browser_with_a_cookie_of_its_own(self, traveller, place, stand_in):
        departed = traveller.leave(place)
        other = Client()
        other.cookies["browser"] = binding.new_browser().reveal()
        answer = other.get(place.callback, {"code": CODE, "state": departed.state})
        assert answer["Location"] == "/connect/answer/other_browser/"
        assert stand_in.token_requests == []
        other.force_login(traveller.user, backend=BACKEND)
        assert departed.url.partition("?")[0] in traveller.client.get(departed.page).content.decode()
        assert departed.url.partition("?")[0] not in other.get(departed.page).content.decode()

    @pytest.mark.conformance("C30")
    def test_is_not_taken_from_another_browser(self, traveller, make_traveller, place, stand_in):
        departed = traveller.leave(place)
        elsewhere = make_traveller(traveller.user)
        answer = elsewhere.come_back(place, code=CODE, state=departed.state)
        assert "Please finish where you started" in page_after(elsewhere, answer)
        failed = AuditEvent.objects.get(event="connection.failed")
        assert (failed.user_id, failed.actor_kind) == (traveller.user.pk, "system")  # nobody knows who brought it
        assert stand_in.server.requests == []
        assert_nothing_was_left()
        traveller.come_back(place, code=CODE, state=departed.state)  # go back there: it still works
        assert Connection.objects.count() == 1

    def test_is_not_taken_for_another_account_in_the_same_browser(self, traveller, place, stand_in, sam):
        departed = traveller.leave(place)
        traveller.client.force_login(sam, backend=BACKEND)
        answer = traveller.come_back(place, code=CODE, state=departed.state)
        assert "You are signed in as someone else" in page_after(traveller, answer)
        assert stand_in.server.requests == []
        assert_nothing_was_left()

    @pytest.mark.conformance("C30")
    def test_is_not_taken_after_ten_minutes(self, traveller, place, stand_in):
        departed = traveller.leave(place)
        row = AuthorizationRequest.objects.get()
        assert row.expires_at - row.created_at == timedelta(minutes=10)
        AuthorizationRequest.objects.update(expires_at=row.created_at)
        page = page_after(traveller, traveller.come_back(place, code=CODE, state=departed.state))
        assert "This took too long, so we stopped" in page
        assert stand_in.server.requests == []
        assert_nothing_was_left()

    def test_that_comes_too_late_stops_none_of_another_tab(self, traveller, place):
        late, other = sorted((traveller.leave(place) for _ in range(2)), key=lambda left: left.page, reverse=True)
        of_late = AuthorizationRequest.objects.filter(pk=late.page.split("/")[-2])
        assert of_late.update(expires_at=timezone.now()) == 1
        assert "This took too long" in page_after(traveller, traveller.come_back(place, code=CODE, state=late.state))
        traveller.come_back(place, code=CODE, state=other.state)
        assert traveller.client.get(other.page)["Location"].endswith("/confirm/")


class TestAnAnswerUsedTwice:
    @pytest.mark.conformance("C30", "C47")
    def test_is_exchanged_once_and_leads_to_the_first_outcome(self, traveller, place, stand_in):
        departed = traveller.leave(place)
        for _ in range(2):
            answer = traveller.come_back(place, code=CODE, state=departed.state)
        assert answer["Location"] == f"{departed.page}?again"
        assert traveller.client.get(answer["Location"])["Location"].endswith("/confirm/")
        assert len(stand_in.token_requests) == 1
        assert Connection.objects.count() == 1

    def test_says_that_it_failed_the_first_time(self, traveller, place):
        departed = traveller.leave(place)
        traveller.come_back(place, error="access_denied", state=departed.state)
        page = page_after(traveller, traveller.come_back(place, code=CODE, state=departed.state))
        assert "This step is already done" in page
        assert "was not connected" in page
        assert_nothing_was_left()


class TestASessionThatLapsed:
    def test_exchanges_at_once_and_asks_to_sign_in(self, place, stand_in, make_traveller, alice):
        traveller = make_traveller(alice)
        departed = traveller.leave(place)
        del traveller.client.cookies["sessionid"]
        answer = traveller.come_back(place, code=CODE, state=departed.state)
        assert len(stand_in.token_requests) == 1
        assert answer["Location"] == departed.page
        sign_in = traveller.client.get(departed.page)
        assert sign_in["Location"] == f"/accounts/login/?next={departed.page}"
        assert Connection.objects.get().user == alice
        traveller.client.force_login(alice, backend=BACKEND)
        assert traveller.client.get(departed.page)["Location"].endswith("/confirm/")

    def test_is_held_for_the_one_who_began_and_nobody_else(self, place, make_traveller, alice, sam):
        traveller = make_traveller(alice)
        departed = traveller.leave(place)
        del traveller.client.cookies["sessionid"]
        traveller.come_back(place, code=CODE, state=departed.state)
        traveller.client.force_login(sam, backend=BACKEND)
        assert traveller.client.get(departed.page).status_code == 404


class TestTheRedirectUri:
    @pytest.mark.parametrize("method", ["head", "post", "put", "options"])
    def test_uses_up_no_code_for_a_method_that_is_not_get(self, traveller, place, stand_in, method):
        departed = traveller.leave(place)
        address = f"{place.callback}?code={CODE}&state={departed.state}"
        assert getattr(traveller.client, method)(address).status_code == 405
        assert AuthorizationRequest.objects.get().claimed_at is None
        assert stand_in.server.requests == []

    def test_says_of_a_posted_answer_that_it_was_not_read(self, traveller, place):
        departed = traveller.leave(place)
        answer = Client(enforce_csrf_checks=True).post(place.callback, {"code": CODE, "state": departed.state})
        page = answer.content.decode()
        assert (answer.status_code, answer["Allow"]) == (405, "GET")
        assert answer["Referrer-Policy"] == "no-referrer"
        assert "The answer came in a form we cannot use" in page
        assert "nothing was copied" in page
        assert "open too long" not in page
        assert CODE not in page
        assert AuthorizationRequest.objects.get().claimed_at is None

    @pytest.mark.parametrize("header", ["HTTP_SEC_PURPOSE", "HTTP_PURPOSE"])
    def test_uses_up_no_code_for_a_browser_that_only_guesses(self, traveller, place, stand_in, header):
        departed = traveller.leave(place)
        query = {"code": CODE, "state": departed.state}
        answer = traveller.client.get(place.callback, query, **{header: "prefetch;prerender"})
        assert answer.status_code == 425
        assert AuthorizationRequest.objects.get().claimed_at is None

    def test_has_no_page_for_an_outcome_that_names_somebody(self, client, db):
        assert client.get("/connect/answer/confirmed/").status_code == 404
        assert client.get("/connect/answer/nonsense/").status_code == 404

    def test_never_asks_a_stranger_to_sign_in_before_it_answers(self, place, db):
        answer = Client().get(place.callback, {"code": CODE, "state": "A" * 43})
        assert answer["Location"] == "/connect/answer/forged/"
