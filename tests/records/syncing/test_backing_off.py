"""How long a run waits if the provider is too busy."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.records.syncing.workers import backing_off
from apps.wire.errors import Throttled
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


@pytest.mark.conformance("C60")
class TestAWait:
    @pytest.mark.parametrize(("pauses", "least"), list(enumerate(backing_off.PAUSES_SECONDS)))
    @pytest.mark.parametrize("retry_after", [None, 5])
    def test_is_longer_each_time_and_never_the_same(self, pauses, least, retry_after):
        error = Throttled(status=429, retry_after_seconds=retry_after)
        waits = {backing_off.seconds(error, pauses=pauses) for _time in range(30)}
        assert len(waits) > 1
        assert least <= min(waits)
        assert max(waits) <= least * 1.25
