"""Old trials are deleted, except those that show that a registration was tried."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.connections.authorization_responses import outcome_counts
from apps.connections.ending import purging
from apps.connections.models import AuthorizationRequest, Trial
from apps.connections.trials import trial_page
from apps.directory.models import LinkDay
from tests.connections.conftest import Place

pytestmark = pytest.mark.django_db


@pytest.fixture
def make_trial(place: Place, stella: Any) -> Callable[..., Trial]:
    def make(began_at: datetime, *, ended: bool = True) -> Trial:
        return Trial.objects.create(
            staff_id=stella.pk,
            registration=place.registration,
            endpoint=place.endpoint,
            provider=place.provider,
            began_at=began_at,
            ended_at=began_at if ended else None,
        )

    return make


class TestAnOldTrial:
    def test_is_deleted_after_three_months(self, make_trial: Callable[..., Trial]) -> None:
        now = timezone.now()
        old, last = make_trial(now - timedelta(days=91)), make_trial(now - timedelta(days=1))
        assert purging.drop_old_trials(at=now) == 1
        assert list(Trial.objects.all()) == [last]
        assert old.pk != last.pk

    def test_stays_where_nobody_tried_since(self, make_trial: Callable[..., Trial]) -> None:
        now = timezone.now()
        make_trial(now - timedelta(days=400))
        kept = make_trial(now - timedelta(days=300))
        make_trial(now - timedelta(days=200), ended=False)
        assert purging.drop_old_trials(at=now) == 2
        assert list(Trial.objects.all()) == [kept]

    @pytest.mark.parametrize("other", ["registration", "endpoint"])
    def test_stays_though_something_else_was_tried_since(
        self, make_trial: Callable[..., Trial], make_place: Callable[..., Place], other: str
    ) -> None:
        now = timezone.now()
        kept, since = make_trial(now - timedelta(days=300)), make_trial(now - timedelta(days=1))
        elsewhere = make_place("Other Practice", path="/other")
        Trial.objects.filter(pk=since.pk).update(**{other: getattr(elsewhere, other)})
        assert purging.drop_old_trials(at=now) == 0
        assert set(Trial.objects.all()) == {kept, since}

    def test_that_is_young_stays(self, make_trial: Callable[..., Trial]) -> None:
        now = timezone.now()
        make_trial(now - timedelta(days=89))
        make_trial(now - timedelta(days=2))
        assert purging.drop_old_trials(at=now) == 0


class TestATrialNobodyCameBackFrom:
    def test_is_no_patient_who_gave_up(self, make_trial: Callable[..., Trial], place: Place, stella: Any) -> None:
        now = timezone.now()
        trial = make_trial(now, ended=False)
        AuthorizationRequest.objects.create(
            user=stella,
            endpoint=place.endpoint,
            provider=place.provider,
            registration=place.registration,
            trial=trial,
            state_hash=b"s" * 32,
            browser_hash=b"b" * 32,
            created_at=now - timedelta(minutes=20),
            expires_at=now - timedelta(minutes=10),
            left_at=now - timedelta(minutes=20),
        )
        assert outcome_counts.count_abandoned(at=now) == 0
        assert not LinkDay.objects.exists()
        trial.left_at = now
        assert trial_page.stage_of(trial, at=now) is trial_page.Stage.LATE
