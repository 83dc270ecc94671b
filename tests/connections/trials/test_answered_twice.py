"""If several answers to a trial come at once, the first that is finished is its result."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.connections.authorization_requests import binding
from apps.connections.models import AuthorizationRequest, Trial
from apps.connections.trials import signing_in
from tests.connections.provider_stand_in import CODE, StandIn, tokens
from tests.connections.trials.conftest import Trier, assert_nothing_is_kept

pytestmark = pytest.mark.django_db(transaction=True)


class TestATrialThatIsBeingAnswered:
    """An answer is looked at for up to a minute or so, in which its page may be open in another tab."""

    def test_is_left_by_nobody(self, trier: Trier, stand_in: StandIn) -> None:
        trial = trier.begin()
        departed = trier.leave(trial)
        refused = []

        def leave_meanwhile(_request: Any) -> Iterator[bytes]:
            try:
                signing_in.begin(trial, user=trier.user, browser=binding.new_browser(), at=timezone.now())
            except signing_in.NotOpen:
                refused.append(True)
            finally:
                connections.close_all()
            yield tokens()

        stand_in.token = leave_meanwhile
        trier.come_back(state=departed.state, code=CODE)
        assert refused == [True, True]  # at the exchange and at the refresh
        assert AuthorizationRequest.objects.count() == 1

    @pytest.mark.parametrize(("seconds", "is_open"), [(119, False), (121, True)])
    def test_may_be_left_again_when_the_answer_was_dropped(self, trier: Trier, seconds: int, is_open: bool) -> None:
        trial = trier.begin()
        departed = trier.leave(trial)
        AuthorizationRequest.objects.update(claimed_at=timezone.now() - timedelta(seconds=seconds))
        answer = trier.client.post(f"/desk/trials/{trial.pk}/sign-in/")
        assert (answer.status_code == 303) is is_open
        assert departed.page != answer["Location"]

    def test_is_told_by_the_answer_that_ends_first(self, trier: Trier, stand_in: StandIn) -> None:
        """The other was dropped, it seemed, and comes to its end after all: what it holds is given back."""
        trial = trier.begin()
        first = trier.leave(trial)

        def end_meanwhile(_request: Any) -> Iterator[bytes]:
            try:
                Trial.objects.update(ended_at=ended_at, results={})
            finally:
                connections.close_all()
            yield tokens(refresh_token="refresh-of-the-second")

        ended_at = timezone.now()
        stand_in.token = end_meanwhile
        trier.come_back(state=first.state, code=CODE)
        trial.refresh_from_db()
        assert (trial.ended_at, trial.results) == (ended_at, {})
        assert not AuditEvent.objects.filter(facts__action__in=["trial passed", "trial failed"]).exists()
        (revocation,) = stand_in.revocations
        assert b"refresh-of-the-second" in revocation.body
        assert_nothing_is_kept()
