"""After an attempt without success: when the next one may begin, who must act, and what the row stores."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import attempting, backoff, claiming, protocol
from apps.connections.refreshing.claiming import Claim
from apps.connections.refreshing.results import Outcome
from apps.directory.models import ClientRegistration
from apps.vault.errors import CannotOpen, VaultError
from apps.wire.errors import (
    ClientRejected,
    Code,
    EndpointMisconfigured,
    OrganizationNotEnabled,
    RequestRefused,
    Throttled,
    Unavailable,
    UnexpectedAnswer,
    WireError,
)

pytestmark = pytest.mark.django_db

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)


@pytest.fixture
def at(connection, issued_at: datetime) -> datetime:
    """Some time in a window that never ends, of a server that uses a refresh token up."""
    ClientRegistration.objects.update(rotates_refresh_tokens=True)
    StoredTokenSet.objects.update(refresh_due_at=issued_at, refresh_deadline_at=None)
    return issued_at + HOUR


@pytest.fixture
def keeps(at: datetime) -> datetime:
    """The same of one that does not: nothing gets lost with an answer."""
    StoredTokenSet.objects.update(is_rotated=False)
    return at


def claimed(at: datetime) -> Claim:
    StoredTokenSet.objects.update(lease_until=None)
    ClientRegistration.objects.update(trouble="", trouble_at=None)
    (claim,) = claiming.claim([StoredTokenSet.objects.get().pk], at=at)
    return claim


def waits(error: WireError | VaultError, *, at: datetime, times: int) -> list[timedelta]:
    """How long nobody asks, each time that this comes in place of tokens."""
    found = []
    for _time in range(times):
        until = backoff.back_off(claimed(at), error, at=at).until
        assert until is not None
        row = StoredTokenSet.objects.get()
        assert row.not_before_at == row.refresh_due_at == until
        assert (row.attempt_id, row.lease_until) == (None, None)
        found.append(until - at)
        at = until
    return found


class TestALinkThatIsPutOff:
    def test_waits_twice_as_long_each_time(self, keeps):
        assert waits(Unavailable(status=503), at=keeps, times=4) == [MINUTE, 2 * MINUTE, 4 * MINUTE, 8 * MINUTE]
        assert StoredTokenSet.objects.get().tries == 4

    def test_waits_no_longer_each_time_where_the_registration_is_refused(self, keeps):
        """One of all its links finds out whether that is over: none pays for how often it was asked."""
        assert waits(ClientRejected(code=Code.INVALID_CLIENT), at=keeps, times=4) == [MINUTE] * 4
        assert StoredTokenSet.objects.get().tries == 0

    @pytest.mark.parametrize("error", [OrganizationNotEnabled(), EndpointMisconfigured(), CannotOpen()])
    def test_waits_a_quarter_of_an_hour_for_staff(self, keeps, error):
        assert waits(error, at=keeps, times=3) == [15 * MINUTE] * 3

    @pytest.mark.parametrize(
        ("error", "outcome"),
        [
            (Unavailable(), Outcome.WAITING),
            (Throttled(), Outcome.WAITING),
            (ClientRejected(), Outcome.OPERATOR),
            (OrganizationNotEnabled(), Outcome.OPERATOR),
            (EndpointMisconfigured(), Outcome.OPERATOR),
            (CannotOpen(), Outcome.OPERATOR),
            (RequestRefused(), Outcome.OURS),
            (UnexpectedAnswer(), Outcome.OURS),
        ],
    )
    def test_says_whose_turn_it_is(self, keeps, error, outcome):
        result = backoff.back_off(claimed(keeps), error, at=keeps)
        assert (result.outcome, result.error) == (outcome, error)
        assert Connection.objects.get().status == "active"

    def test_that_the_schedule_leaves_alone_is_left_alone_by_it_still(self, keeps):
        StoredTokenSet.objects.update(refresh_due_at=None)
        backoff.back_off(claimed(keeps), Unavailable(), at=keeps)
        assert StoredTokenSet.objects.get().refresh_due_at is None

    def test_waits_no_more_than_a_quarter_of_what_is_left(self, keeps):
        StoredTokenSet.objects.update(refresh_deadline_at=keeps + 2 * MINUTE)
        assert waits(Unavailable(), at=keeps, times=1) == [MINUTE / 2]

    def test_is_left_to_whoever_has_it_by_now(self, keeps):
        late = claimed(keeps)
        claimed(keeps)
        before = StoredTokenSet.objects.values().get()
        backoff.back_off(late, Unavailable(), at=keeps)
        assert StoredTokenSet.objects.values().get() == before


class TestAnAnswerThatMayHoldNewTokens:
    LOST = (
        Unavailable(code=Code.TIMED_OUT),
        Unavailable(code=Code.UNREACHABLE),
        *(Unavailable(status=status) for status in (408, 500, 502, 504)),
        UnexpectedAnswer(),
    )

    @pytest.mark.parametrize("error", LOST, ids=repr)
    def test_is_asked_for_again_within_seconds(self, at, error):
        claim = claimed(at)
        result = backoff.back_off(claim, error, at=at)
        assert result.until is not None
        assert at < result.until <= at + protocol.LATEST_RESEND
        assert StoredTokenSet.objects.get().attempt_started_at == claim.started_at

    def test_is_asked_for_by_the_schedule_though_it_would_leave_the_link_alone(self, at):
        StoredTokenSet.objects.update(refresh_due_at=None)
        until = backoff.back_off(claimed(at), UnexpectedAnswer(), at=at).until
        assert StoredTokenSet.objects.get().refresh_due_at == until

    @pytest.mark.parametrize("error", LOST, ids=repr)
    def test_is_none_where_tokens_are_not_used_up(self, keeps, error):
        assert backoff.back_off(claimed(keeps), error, at=keeps).until == keeps + MINUTE
        assert StoredTokenSet.objects.get().attempt_started_at is None

    @pytest.mark.parametrize(
        "error",
        [
            Unavailable(status=503),
            Throttled(status=429),
            Unavailable(code=Code.UNREACHABLE, was_sent=False),
            Unavailable(code=Code.TIMED_OUT, was_sent=False),
            RequestRefused(status=400),
        ],
        ids=repr,
    )
    def test_is_none_where_nothing_was_done_there(self, at, error):
        assert backoff.back_off(claimed(at), error, at=at).until == at + MINUTE
        assert StoredTokenSet.objects.get().attempt_started_at is None

    @pytest.mark.parametrize("error", [Unavailable(status=502), UnexpectedAnswer()], ids=repr)
    def test_is_believed_in_four_times_of_a_gateway(self, at, error):
        """It may answer for a server in trouble all day."""
        assert [wait < MINUTE for wait in waits(error, at=at, times=6)] == [True] * 4 + [False] * 2

    @pytest.mark.parametrize(
        "bring_nothing",
        [
            lambda claim, *, at: backoff.back_off(claim, Unavailable(code=Code.TIMED_OUT), at=at),
            backoff.break_off,
        ],
        ids=["put off", "broken off"],
    )
    def test_is_missing_since_it_was_first_asked_for_and_asked_for_less_and_less(
        self, at, bring_nothing: Callable[..., attempting.Result]
    ):
        claim = claimed(at)
        began_at = claim.started_at - 40 * SECOND
        again = replace(claim, sent=replace(claim.sent, earlier_started_at=began_at))
        until = bring_nothing(again, at=at).until
        assert until is not None
        assert at + 20 * SECOND <= until <= at + protocol.LATEST_RESEND
        row = StoredTokenSet.objects.get()
        assert (row.attempt_started_at, row.refresh_due_at) == (began_at, until)


class TestAClaimThatIsGivenBack:
    def test_leaves_the_row_as_it_was(self, at):
        StoredTokenSet.objects.update(not_before_at=at - HOUR)
        before = StoredTokenSet.objects.values().get()
        claim = claimed(at)
        assert backoff.release(claim, at=at).until == at - HOUR
        assert StoredTokenSet.objects.values().get() == before

    def test_is_for_the_next_at_once_where_an_answer_is_missing(self, at):
        earlier = claimed(at)
        claim = claimed(at + MINUTE)
        assert claim.sent.earlier_started_at == earlier.started_at
        assert backoff.release(claim, at=at + MINUTE).until == at + MINUTE
        row = StoredTokenSet.objects.get()
        assert (row.attempt_id, row.lease_until, row.attempt_started_at) == (None, None, earlier.started_at)
        assert row.not_before_at == row.refresh_due_at == at + MINUTE
