"""How long a run waits if the provider is too busy, or a token may not be renewed yet."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.connections.models import StoredTokenSet
from apps.records.syncing.workers import backoff
from apps.wire.errors import Throttled
from tests.records.linked import AT, give_tokens
from tests.records.provider import ALLERGIES
from tests.records.runs import sync
from tests.wire.servers import http

SOON = timedelta(seconds=20)


@pytest.mark.django_db
@pytest.mark.conformance("C60")
class TestAProviderThatIsTooBusy:
    @pytest.mark.parametrize("status", [429, 503])
    @pytest.mark.parametrize(
        ("written", "seconds"),
        [("600", 600), ("7200", 7200), ("Fri, 20 Nov 2026 10:10:00 GMT", 600)],
        ids=["in seconds", "in more than an hour", "as a date"],
    )
    def test_is_left_alone_for_as_long_as_it_asks(self, linked, provider, status, written, seconds):
        headers = {"Retry_After": written, "Date": "Fri, 20 Nov 2026 10:00:00 GMT"}
        provider.answers[ALLERGIES] = http(status, b"", **headers)
        before = timezone.now()
        run = sync(linked)
        wait = timedelta(seconds=seconds)
        assert run.lease_until is not None
        assert before + wait <= run.lease_until <= timezone.now() + wait + SOON
        assert len(provider.sent(ALLERGIES)) == 1


@pytest.mark.django_db
class TestATokenThatMayNotBeRenewedYet:
    @pytest.mark.parametrize(
        ("wait", "pause"),
        [(timedelta(minutes=10), timedelta(minutes=10)), (timedelta(hours=5), timedelta(hours=1))],
        ids=["for a while", "for hours"],
    )
    def test_is_asked_for_when_it_may_be_and_each_hour_until_then(self, linked, wait, pause):
        give_tokens(linked, issued_at=AT - timedelta(hours=2))
        StoredTokenSet.objects.update(not_before_at=AT + wait)
        before = timezone.now()
        run = sync(linked)
        assert run.lease_until is not None
        assert before + pause - SOON <= run.lease_until <= timezone.now() + pause + SOON


@pytest.mark.conformance("C60")
class TestAWait:
    @pytest.mark.parametrize(("pauses", "least"), list(enumerate(backoff.PAUSES_SECONDS)))
    @pytest.mark.parametrize("retry_after", [None, 5])
    def test_is_longer_each_time_and_never_the_same(self, pauses, least, retry_after):
        error = Throttled(status=429, retry_after_seconds=retry_after)
        waits = {backoff.seconds(error, pauses=pauses) for _time in range(30)}
        assert len(waits) > 1
        assert least <= min(waits)
        assert max(waits) <= least * 1.25
