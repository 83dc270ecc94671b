"""Staff try a registration, step by step as a patient would link, and nothing of it is stored."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from apps.accounts.models import Consent
from apps.audit.models import AuditEvent
from apps.connections.models import AuthorizationRequest, PendingRevocation, Trial
from apps.directory.models import LinkDay
from tests.connections.conftest import BACKEND, Place
from tests.connections.provider_stand_in import ACCESS, CHILD, CODE, PERSON, REFRESH, SECRET, StandIn, bundle, tokens
from tests.connections.trials.conftest import Trier, assert_nothing_is_kept, codes
from tests.wire.servers import http

pytestmark = pytest.mark.django_db(transaction=True)


class TestATrial:
    def test_tells_each_step_and_keeps_nothing(self, trier: Trier, stand_in: StandIn) -> None:
        trial, page = trier.link()
        assert codes(trial) == {
            "discovery": "configured",
            "metadata": "in_order",
            "addresses": "no_certificate",
            "sign_in": "in_order",
            "exchange": "in_order",
            "identity": "none_asked",
            "scopes": "none_asked",
            "person": "in_order",
            "refresh": "in_order",
            "data": "in_order",
            "revocation": "in_order",
        }
        assert "The whole link works" in page
        assert "1 person was found." in page
        assert_nothing_is_kept()
        assert not PendingRevocation.objects.exists()
        assert len(stand_in.revocations) == 1

    def test_gives_back_the_tokens_it_has_last(self, trier: Trier, stand_in: StandIn) -> None:
        """Those of the exchange are dead by then, where a provider gives others at a refresh."""

        def answer(_request: Any) -> Iterator[bytes]:
            yield tokens(refresh_token=f"refresh-{len(stand_in.token_requests)}")

        stand_in.token = answer
        trier.link()
        (revocation,) = stand_in.revocations
        assert len(stand_in.token_requests) == 2
        assert b"refresh-2" in revocation.body
        assert b"refresh-1" not in revocation.body

    def test_shows_and_keeps_no_person_and_no_token(self, trier: Trier, caplog: Any) -> None:
        _trial, page = trier.link()
        events = repr(list(AuditEvent.objects.values()))
        kept = repr(Trial.objects.values().get())
        for canary in (CODE, ACCESS, REFRESH, SECRET, "p-7301", "Quillfeather", "1984-03-09"):
            assert canary not in page
            assert canary not in kept
            assert canary not in events
            assert canary not in caplog.text

    def test_counts_several_people(self, trier: Trier, stand_in: StandIn) -> None:
        stand_in.patient = bundle(PERSON, CHILD)
        _trial, page = trier.link()
        assert "2 people were found." in page

    @pytest.mark.parametrize(
        "columns",
        [
            {"is_switched_on": False},
            {"status": "provisional"},
            {"trouble": "invalid_client"},
        ],
        ids=["switched off", "not approved", "trouble"],
    )
    def test_is_allowed_where_patients_are_kept_away(
        self, trier: Trier, traveller: Any, place: Place, columns: dict[str, Any]
    ) -> None:
        if "trouble" in columns:
            columns = {**columns, "trouble_at": timezone.now(), "trouble_seen_at": timezone.now()}
        type(place.registration).objects.filter(pk=place.registration.pk).update(**columns)
        trial = trier.begin()
        departed = trier.leave(trial)
        assert traveller.client.post(place.before_you_go).status_code == 409
        trial, page = trier.read(trial, trier.come_back(state=departed.state, code=CODE))
        assert "The whole link works" in page
        place.registration.refresh_from_db()
        for column in {"is_switched_on", "status"} & columns.keys():
            assert getattr(place.registration, column) == columns[column]

    def test_that_works_ends_trouble_and_switches_nothing_on(self, trier: Trier, place: Place) -> None:
        now = timezone.now()
        columns = {"trouble": "invalid_client", "trouble_at": now, "trouble_seen_at": now, "is_switched_on": False}
        type(place.registration).objects.filter(pk=place.registration.pk).update(**columns)
        trier.link()
        place.registration.refresh_from_db()
        assert place.registration.trouble == ""
        assert not place.registration.is_switched_on

    def test_needs_no_consent_to_the_notice_for_patients(self, trier: Trier) -> None:
        assert not Consent.objects.filter(user=trier.user).exists()
        trial, _page = trier.link()
        assert trial.ended_at is not None

    def test_is_refused_where_credentials_are_missing(self, trier: Trier, place: Place) -> None:
        type(place.registration).objects.filter(pk=place.registration.pk).update(client_id="")
        trial = trier.begin()
        answer = trier.client.post(f"/desk/trials/{trial.pk}/sign-in/")
        page = trier.client.get(answer["Location"]).content.decode()
        assert "has no client id or no secret" in page
        assert "Sign in as a test patient" not in page

    @pytest.mark.parametrize("has_left", [False, True])
    def test_sends_nothing_to_a_host_that_nobody_looked_at(
        self, trier: Trier, place: Place, stand_in: StandIn, has_left: bool
    ) -> None:
        trial = trier.begin()
        state = trier.leave(trial).state if has_left else "none"
        type(place.endpoint).objects.update(is_switched_on=False, is_stranger=True)
        if has_left:
            _trial, page = trier.read(trial, trier.come_back(state=state, code=CODE))
        else:
            answer = trier.client.post(f"/desk/trials/{trial.pk}/sign-in/")
            page = trier.client.get(answer["Location"]).content.decode()
        assert "look at its host, then switch it on" in page
        assert stand_in.token_requests == []

    def test_says_in_the_log_who_tried_what(self, trier: Trier, place: Place) -> None:
        trier.link()
        events = AuditEvent.objects.filter(event="registration.tried").order_by("pk")
        assert [event.facts["action"] for event in events] == ["trial begun", "trial left", "trial passed"]
        assert {(event.actor_kind, event.actor_id) for event in events} == {("staff", trier.user.pk)}
        assert {event.subject_id for event in events} == {str(place.registration.pk)}
        assert not AuditEvent.objects.filter(user_id=trier.user.pk, event__startswith="connection.").exists()


class TestAFailure:
    @pytest.mark.parametrize(
        ("change", "step", "words", "turn"),
        [
            (
                {"token": http(401, body={"error": "invalid_client"})},
                "exchange",
                "does not know our client id",
                "Your turn",
            ),
            (
                {"token": http(400, body={"error": "unauthorized_client"})},
                "exchange",
                "has not turned this application on",
                "Their turn",
            ),
            (
                {"token": http(200, {"Content-Type": "text/html"}, b"<html>Sign in</html>")},
                "exchange",
                "something that we could not read",
                "Their turn",
            ),
            ({"token": http(503)}, "exchange", "did not answer, or says it cannot right now", "Wait"),
            ({"patient": bundle()}, "person", "no person was found", "Their turn"),
            ({"patient": http(500)}, "person", "did not answer, or says it cannot right now", "Wait"),
        ],
        ids=["invalid_client", "not enabled", "html", "down", "nobody", "data down"],
    )
    def test_is_named_with_whose_turn_it_is(
        self, trier: Trier, stand_in: StandIn, change: dict[str, Any], step: str, words: str, turn: str
    ) -> None:
        for name, answer in change.items():
            setattr(stand_in, name, answer)
        trial, page = trier.link()
        assert trial.results[step]["verdict"] == "failed"
        assert words in page
        assert turn in page
        assert "Something does not work" in page
        assert_nothing_is_kept()

    def test_of_a_trial_keeps_no_patient_away(self, trier: Trier, stand_in: StandIn, place: Place) -> None:
        stand_in.token = http(401, body={"error": "invalid_client"})
        trier.link()
        place.registration.refresh_from_db()
        assert place.registration.trouble == ""

    def test_of_the_sign_in_is_told_where_it_was_denied(self, trier: Trier) -> None:
        trial, page = trier.link(error="access_denied")
        assert trial.results["sign_in"]["code"] == "access_denied"
        assert "said no" in page
        assert "Not tried" in page

    def test_gives_back_what_came_before_it(self, trier: Trier, stand_in: StandIn) -> None:
        stand_in.patient = http(500)
        trial, _page = trier.link()
        assert len(stand_in.revocations) == 1
        assert trial.results["revocation"]["code"] == "in_order"

    def test_to_give_back_is_tried_again_later(self, trier: Trier, stand_in: StandIn) -> None:
        stand_in.revoke = http(500)
        trial, page = trier.link()
        assert trial.results["revocation"]["code"] == "told_later"
        assert PendingRevocation.objects.count() == 1
        assert "keep telling them" in page

    def test_to_give_back_needs_no_database(self, trier: Trier, stand_in: StandIn) -> None:
        """The code is used up: where the database goes away with the answer, nobody else knows of the tokens."""
        is_away = False

        def execute(run: Any, sql: str, *rest: Any) -> Any:
            if is_away:
                raise OperationalError
            return run(sql, *rest)

        def answer(_request: Any) -> Iterator[bytes]:
            nonlocal is_away
            is_away = True
            yield tokens()

        departed = trier.leave(trier.begin())
        stand_in.token = answer
        trier.client.raise_request_exception = False
        with connection.execute_wrapper(execute):
            assert trier.come_back(state=departed.state, code=CODE).status_code == 503
        (revocation,) = stand_in.revocations
        assert dict(revocation.form)["token"] == REFRESH


class TestTheWayBackOfATrial:
    def test_is_for_its_own_browser_alone(self, trier: Trier, stella: Any, place: Place, stand_in: StandIn) -> None:
        trial = trier.begin()
        departed = trier.leave(trial)
        other = Trier(stella, place)
        answer = other.come_back(state=departed.state, code=CODE)
        assert answer["Location"] == "/connect/answer/other_browser/"
        assert stand_in.token_requests == []
        trial.refresh_from_db()
        assert trial.ended_at is None

    def test_is_for_its_own_account_alone(self, trier: Trier, sam: Any, stand_in: StandIn) -> None:
        trial = trier.begin()
        departed = trier.leave(trial)
        trier.client.force_login(sam, backend=BACKEND)
        answer = trier.come_back(state=departed.state, code=CODE)
        assert answer["Location"] == "/connect/answer/other_account/"
        assert stand_in.token_requests == []

    def test_ends_for_somebody_who_works_here_no_more(self, trier: Trier, stella: Any, stand_in: StandIn) -> None:
        trial = trier.begin()
        departed = trier.leave(trial)
        type(stella).objects.filter(pk=stella.pk).update(is_staff=False)
        trier.come_back(state=departed.state, code=CODE)
        assert stand_in.token_requests == []
        trial.refresh_from_db()
        assert codes(trial)["sign_in"] == "not_staff"

    def test_is_used_once(self, trier: Trier, stand_in: StandIn) -> None:
        trial = trier.begin()
        departed = trier.leave(trial)
        trier.come_back(state=departed.state, code=CODE)
        _trial, page = trier.read(trial, trier.come_back(state=departed.state, code=CODE))
        assert len(stand_in.token_requests) == 2  # the exchange and the refresh, once each
        assert "The whole link works" in page

    def test_may_come_too_late_and_be_begun_again(self, trier: Trier, stand_in: StandIn) -> None:
        trial = trier.begin()
        departed = trier.leave(trial)
        AuthorizationRequest.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        _trial, page = trier.read(trial, trier.come_back(state=departed.state, code=CODE))
        assert stand_in.token_requests == []
        assert "Nobody came back in time" in page
        assert not AuditEvent.objects.filter(event="connection.failed").exists()
        assert not LinkDay.objects.exists()
        departed = trier.leave(trial)
        _trial, page = trier.read(trial, trier.come_back(state=departed.state, code=CODE))
        assert "The whole link works" in page

    def test_of_an_earlier_sign_in_no_longer_counts(self, trier: Trier, stand_in: StandIn) -> None:
        trial = trier.begin()
        first = trier.leave(trial)
        trier.leave(trial)
        trier.come_back(state=first.state, code=CODE)
        assert stand_in.token_requests == []

    def test_leaves_no_page_of_a_patient(self, trier: Trier) -> None:
        trial = trier.begin()
        departed = trier.leave(trial)
        again = trier.client.get(departed.page)
        assert again["Location"] == f"/desk/trials/{trial.pk}/"
        page = trier.client.get(again["Location"]).content.decode()
        assert "Waiting for the test patient to come back" in page


class TestAnAbandonedTrial:
    def test_runs_out(self, trier: Trier) -> None:
        trial = trier.begin()
        Trial.objects.update(began_at=timezone.now() - timedelta(hours=1, seconds=1))
        page = trier.client.get(f"/desk/trials/{trial.pk}/").content.decode()
        assert "Not finished" in page
        answer = trier.client.post(f"/desk/trials/{trial.pk}/sign-in/")
        assert answer["Location"] == f"/desk/trials/{trial.pk}/"
        assert not AuthorizationRequest.objects.exists()

    def test_keeps_its_results_when_the_account_is_closed(self, trier: Trier, stella: Any) -> None:
        trial = trier.begin()
        trier.leave(trial)
        stella.delete()
        trial.refresh_from_db()
        assert trial.ended_at is None
        assert not AuthorizationRequest.objects.exists()

    def test_is_somebody_else_s_to_finish(self, trier: Trier, make_user: Callable[..., Any], place: Place) -> None:
        trial = trier.begin()
        other = Trier(make_user("stan@example.org", is_staff=True, is_superuser=True), place)
        page = other.client.get(f"/desk/trials/{trial.pk}/").content.decode()
        assert "Someone else began this trial" in page
        answer = other.client.post(f"/desk/trials/{trial.pk}/sign-in/")
        assert answer["Location"] == f"/desk/trials/{trial.pk}/"
        assert not AuthorizationRequest.objects.exists()


class TestPressingTwice:
    def test_begins_one_trial(self, trier: Trier, metadata: None) -> None:
        first = trier.begin()
        assert trier.begin() == first
        assert Trial.objects.count() == 1
        Trial.objects.update(began_at=timezone.now() - timedelta(seconds=11))
        assert trier.begin() != first
        assert Trial.objects.count() == 2
