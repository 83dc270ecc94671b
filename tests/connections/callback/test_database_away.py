"""The database fails after a code was exchanged, when the new tokens are in memory and nowhere else."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from html import unescape

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.connections.callback import completing, confirming
from apps.connections.models import AuthorizationRequest, Connection, PendingRevocation, StoredTokenSet
from tests.connections.conftest import assert_nothing_was_left, page_after
from tests.connections.provider_stand_in import CODE, REFRESH, tokens
from tests.wire.servers import http

pytestmark = pytest.mark.django_db(transaction=True)
FOR_EVER = 10**6


@dataclass
class Away:
    """So many statements fail from now on, as with a database that restarts."""

    statements: int = 0

    def __call__(self, execute, sql, params, many, context):
        if self.statements > 0:
            self.statements -= 1
            raise OperationalError
        return execute(sql, params, many, context)


@pytest.fixture
def away() -> Iterator[Away]:
    fails = Away()
    with connection.execute_wrapper(fails):
        yield fails


@pytest.fixture(autouse=True)
def _nobody_waits_long(monkeypatch):
    monkeypatch.setattr(completing, "KEEPING_SECONDS", 0.3)


@pytest.fixture
def loses_the_answer(monkeypatch):
    """While it lasts, the commit that makes a link is done, and fails here; `before` that something else happens."""

    @contextmanager
    def lasting(before=lambda: None):
        commit, seen = connection._commit, []  # type: ignore[attr-defined]

        def look(execute, sql, params, many, context):
            if sql.startswith('INSERT INTO "connections_connection"'):
                seen.append("inserted")
            return execute(sql, params, many, context)

        def commit_and_lose_the_answer():
            commit()
            if seen == ["inserted"]:
                seen.append("lost")
                with ThreadPoolExecutor(1) as elsewhere:
                    elsewhere.submit(before).result()
                raise OperationalError

        monkeypatch.setattr(connection, "_commit", commit_and_lose_the_answer)
        with connection.execute_wrapper(look):
            yield
        assert seen == ["inserted", "lost"]

    return lasting


def decline():
    try:
        found = Connection.objects.get()
        assert confirming.decline(found, at=found.created_at)
    finally:
        connection.close()


def goes_away_with(answer, away, statements):
    """The provider's answer, and with it our database."""

    def answering(_request):
        away.statements = statements
        yield answer

    return answering


def come_back(traveller, place):
    departed = traveller.leave(place)
    traveller.client.raise_request_exception = False
    return traveller.come_back(place, code=CODE, state=departed.state)


def token_given_back(stand_in):
    (request,) = stand_in.revocations
    return dict(request.form)["token"]


class TestADatabaseThatBlinksAfterTheExchange:
    @pytest.mark.parametrize("asked", ["token", "patient"])
    def test_costs_no_sign_in(self, traveller, place, stand_in, away, asked):
        setattr(stand_in, asked, goes_away_with(getattr(stand_in, asked), away, statements=2))
        assert come_back(traveller, place).status_code == 303
        assert away.statements == 0
        assert Connection.objects.get().status == "awaiting_confirmation"
        assert StoredTokenSet.objects.count() == 1
        assert (len(stand_in.token_requests), stand_in.revocations) == (1, [])

    def test_makes_one_link_where_the_answer_to_a_commit_got_lost(self, traveller, place, stand_in, loses_the_answer):
        with loses_the_answer():
            assert come_back(traveller, place).status_code == 303
        kept = Connection.objects.get()
        assert AuthorizationRequest.objects.get().connection == kept
        events = AuditEvent.objects.filter(subject__startswith="connection").values_list("event", flat=True)
        assert list(events) == ["tokens.exchanged", "connection.found"]
        assert stand_in.revocations == []

    def test_makes_none_anew_that_was_dropped_before_we_knew_of_it(self, traveller, place, stand_in, loses_the_answer):
        with loses_the_answer(before=decline):
            assert come_back(traveller, place).status_code == 303
        assert_nothing_was_left()
        assert AuthorizationRequest.objects.get().outcome == "declined"
        assert token_given_back(stand_in) == REFRESH

    def test_costs_no_renewal(self, traveller, place, stand_in, away):
        kept = traveller.link(place)
        confirming.confirm(kept, candidate=0, at=kept.created_at)
        departed = traveller.leave(place, url=f"/connections/{kept.pk}/sign-in/")
        stand_in.token = goes_away_with(tokens(refresh_token="second-refresh"), away, statements=2)
        assert "We renewed the connection" in page_after(
            traveller, traveller.come_back(place, code=CODE, state=departed.state)
        )
        assert StoredTokenSet.objects.get().generation == 2

    def test_loses_no_tokens_that_have_to_be_given_back_later(self, traveller, place, stand_in, away):
        stand_in.patient = http(500)

        def refused(_request):
            away.statements = 2 if len(stand_in.revocations) == 1 else 0
            yield http(503)

        stand_in.revoke = refused
        assert come_back(traveller, place).status_code == 303
        assert away.statements == 0
        assert PendingRevocation.objects.count() == 1
        assert AuthorizationRequest.objects.get().outcome


class TestADatabaseThatStaysAwayAfterTheExchange:
    @pytest.mark.parametrize("asked", ["token", "patient"])
    def test_has_the_tokens_given_back_at_once(self, traveller, place, stand_in, away, asked):
        setattr(stand_in, asked, goes_away_with(getattr(stand_in, asked), away, statements=FOR_EVER))
        assert come_back(traveller, place).status_code == 503
        away.statements = 0
        assert token_given_back(stand_in) == REFRESH
        assert_nothing_was_left()
        assert not PendingRevocation.objects.exists()

    def test_and_a_provider_that_is_away_as_well_are_told_to_whoever_reads_the_log(
        self, traveller, place, stand_in, away, caplog
    ):
        stand_in.token = goes_away_with(tokens(), away, statements=FOR_EVER)
        stand_in.revoke = http(503)
        assert come_back(traveller, place).status_code == 503
        away.statements = 0
        assert "Tokens were dropped unrevoked: authorization request" in caplog.text
        assert REFRESH not in caplog.text

    def test_is_not_blamed_on_the_provider(self, traveller, place, stand_in, away):
        stand_in.token = goes_away_with(tokens(), away, statements=FOR_EVER)
        departed = traveller.leave(place)
        traveller.client.raise_request_exception = False
        traveller.come_back(place, code=CODE, state=departed.state)
        away.statements = 0
        AuthorizationRequest.objects.update(claimed_at=timezone.now() - timedelta(minutes=2))
        page = page_after(traveller, traveller.come_back(place, code=CODE, state=departed.state))
        said = " ".join(unescape(re.sub(r"<[^>]+>", " ", page.split("<main")[1])).split())
        assert "The sign-in could not be finished" in said
        assert "We were interrupted before we could finish. Nothing was copied. Please sign in once more." in said
        assert "closed it" not in said
        assert "Sign in again" in said
