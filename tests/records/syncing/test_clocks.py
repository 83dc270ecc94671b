"""Clocks that disagree, the provider's with ours or ours with itself: no row is missed because of that."""

from datetime import timedelta
from email.utils import format_datetime

import pytest

from apps.connections.models import Connection
from apps.directory.models import ClientRegistration
from apps.records.exporting import gaps as exporting_gaps
from apps.records.models import SyncRun
from apps.records.syncing import checking_again, due, watermarks
from apps.records.viewing.opening import overview
from tests.records.linked import AT, give_tokens, sign_in_again
from tests.records.people import allergy, bundle
from tests.records.provider import ALLERGIES, METADATA, statement
from tests.records.runs import step, sync
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

NEXT_DAY = AT + timedelta(days=1)
MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def tells_changes(linked, provider):
    """It takes _lastUpdated, and answers with everything whatever it is asked."""
    ClientRegistration.objects.update(requests_per_minute=1000)
    offered = statement("Patient", "AllergyIntolerance")
    offered["rest"][0]["resource"][1]["searchParam"] = [{"name": "_lastUpdated"}]
    provider.answers[METADATA] = http(body=offered)
    usual = provider.server.answer
    provider.server.answer = lambda request: (
        [provider.answers[ALLERGIES]] if "_lastUpdated" in request.target else usual(request)
    )


def again(linked, *, at=NEXT_DAY):
    give_tokens(linked, issued_at=at)
    return sync(linked, at=at)


def answered_at(provider, at):
    """The provider's clock stands there when it answers."""
    written = at if isinstance(at, str) else format_datetime(at, usegmt=True)
    provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), allergy("a2"), total=2), Date=written)


class TestAProviderWhoseClock:
    def test_is_behind_is_asked_by_its_own(self, linked, provider):
        answered_at(provider, AT - 90 * MINUTE)
        sync(linked)
        since_at = step(again(linked)).since_at
        assert since_at == AT - 90 * MINUTE
        asked = since_at - watermarks.OVERLAP
        assert [sent for sent in provider.asked if f"_lastUpdated=ge{asked:%Y-%m-%dT%H%%3A%M%%3A%SZ}" in sent]

    @pytest.mark.parametrize("date", [AT + 90 * MINUTE, "yesterday", ""], ids=["ahead", "odd", "none"])
    def test_is_ahead_or_not_told_is_asked_by_ours(self, linked, provider, date):
        answered_at(provider, date)
        first = sync(linked)
        assert step(again(linked)).since_at == step(first).started_at

    def test_is_beyond_belief_is_asked_for_everything(self, linked, provider):
        answered_at(provider, AT - timedelta(days=400))
        sync(linked)
        run = again(linked)
        assert (run.is_full, step(run).since_at, len(provider.sent(ALLERGIES))) == (False, None, 2)

    def test_stood_elsewhere_for_each_page_is_that_of_the_first(self, linked, provider):
        """What was stored while later pages were made is found by the next check."""
        page = bundle(allergy("a1"), next_url=provider.next_url(2))
        provider.answers[ALLERGIES] = http(body=page, Date=format_datetime(AT - 5 * MINUTE, usegmt=True))
        second = http(body=bundle(allergy("a2")), Date=format_datetime(AT - MINUTE, usegmt=True))
        provider.answers["GET /fhir/r4/AllergyIntolerance?page=2"] = second
        assert step(sync(linked)).watermark_at == AT - 5 * MINUTE


class TestAClockOfOursThatWasAhead:
    """By ten years, for the time of one run; then it was set right."""

    AHEAD = AT + timedelta(days=3650)

    @pytest.fixture(autouse=True)
    def synced_in_the_future(self, linked):
        give_tokens(linked, issued_at=self.AHEAD)
        sync(linked, at=self.AHEAD)
        linked.refresh_from_db()

    def test_hides_no_change(self, linked):
        run = again(linked, at=AT)
        assert (run.is_full, step(run).since_at, run.outcome) == (True, None, "complete")

    def test_keeps_no_check_from_being_due(self, linked):
        assert due.due_for_sync(AT).get() == linked

    def test_keeps_no_check_from_being_due_before_an_end(self, linked):
        Connection.objects.update(lapses_at=AT + timedelta(hours=3))
        assert due.due_before_an_end(AT).get() == linked

    def test_keeps_no_check_from_being_due_after_a_sign_in(self, linked):
        sign_in_again(linked, at=AT - MINUTE)
        assert due.reauthorized(AT).get() == linked

    def test_hides_no_later_check_from_a_page_or_a_copy(self, linked, provider):
        provider.answers[ALLERGIES] = http(403)
        again(linked, at=AT)
        assert "Not shared" in {line.word for line in overview.of(linked, at=AT + MINUTE).lines}
        missing = exporting_gaps.of_each([linked], at=AT + MINUTE)[linked.pk].sentences()
        assert [sentence for sentence in missing if "did not allow this kind of entry" in sentence]

    def test_keeps_nobody_from_asking(self, linked):
        assert isinstance(checking_again.check_again(linked, at=AT), SyncRun)

    def test_is_no_reason_to_check_a_moment_after_a_check(self, linked):
        again(linked, at=AT)
        assert not due.due_for_sync(AT + MINUTE).exists()
        with pytest.raises(checking_again.TooSoon):
            checking_again.check_again(linked, at=AT + MINUTE)

    def test_by_days_alone_hides_no_change_either(self, linked):
        again(linked, at=AT)
        again(linked, at=AT + timedelta(days=3))
        since_at = step(again(linked, at=NEXT_DAY)).since_at
        assert since_at is not None
        assert since_at < AT + MINUTE
