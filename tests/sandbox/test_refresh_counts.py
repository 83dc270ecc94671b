"""The calls of each grant are counted: exactly, whatever fails, and in bounded memory."""

from datetime import datetime, timedelta
from urllib.parse import urlencode

import pytest

from apps.sandbox import clock, faults, recorder, refresh_counts, scenarios
from apps.sandbox.faults import Fault
from apps.sandbox.models import Grant, SmartGrant
from tests.sandbox.conftest import SECRET

pytestmark = pytest.mark.django_db

AT = datetime.fromisoformat("2026-03-02T09:30:00Z")


@pytest.fixture
def refresh(exchange, ask_token):
    """Refreshes one grant of interface A, which was given at AT, so many seconds later."""
    clock.set_to(AT)
    token = exchange().json()["refresh_token"]

    def refresh(after_seconds):
        clock.set_to(AT + timedelta(seconds=after_seconds))
        return ask_token(grant_type="refresh_token", refresh_token=token)

    return refresh


def count():
    return refresh_counts.counted(f"a-{Grant.objects.get().pk}")


class TestCallsOfAGrant:
    @pytest.mark.conformance("X71")
    def test_are_counted_with_their_times(self, refresh):
        for after_seconds in (60, 130, 200):
            refresh(after_seconds)
        found = count()
        assert (found.calls, found.answered, found.lost, found.refused, found.most_at_once) == (3, 3, 0, 0, 1)
        assert [round((at - AT).total_seconds()) for at in found.times] == [60, 130, 200]
        assert round(found.shortest_seconds) == round(found.shortest_after_answer_seconds) == 70

    def test_have_lost_no_tokens_where_a_refusal_was_spoilt(self):
        found = refresh_counts.Count()
        found.begin(AT)
        found.end(AT, worked_as=400, is_lost=True)
        assert (found.answered, found.lost, found.refused) == (0, 0, 1)

    def test_leave_the_exchange_of_the_code_out(self, exchange):
        exchange()
        assert count().calls == 0

    def test_are_counted_beyond_what_the_recorder_holds(self, refresh, monkeypatch):
        monkeypatch.setattr(refresh_counts, "MOST_TIMES", 3)
        for _ in range(recorder.MOST_REQUESTS // 1000):
            refresh(60)
        recorder.clear()
        assert count().calls == 5

    @pytest.mark.parametrize(
        ("kind", "answered", "lost"),
        [
            ("dropped", 0, 0),
            ("unavailable", 0, 0),
            ("dropped-after", 1, 1),
            ("lost", 1, 1),
            ("cut", 1, 1),
            ("slow", 1, 0),
        ],
    )
    def test_say_which_answers_nobody_read(self, refresh, kind, answered, lost):
        faults.arm(Fault("token", kind, seconds=0))
        refresh(60)
        assert (count().calls, count().answered, count().lost) == (1, answered, lost)

    def test_say_that_nobody_reads_an_answer_that_comes_when_everybody_has_gone(self, refresh, monkeypatch):
        monkeypatch.setattr(faults, "PATIENCE_SECONDS", 0.01)
        for seconds, lost in ((0.001, 0), (0.02, 1)):
            faults.arm(Fault("token", "slow", seconds=seconds))
            refresh(60)
            assert count().lost == lost

    def test_are_apart_from_the_answer_before_and_not_from_one_that_was_lost(self, refresh):
        faults.arm(Fault("token", "dropped-after", after=1))
        for after_seconds in (60, 200, 203, 300):
            refresh(after_seconds)
        assert round(count().shortest_seconds) == 3
        assert round(count().shortest_after_answer_seconds) == 97

    def test_that_are_refused_are_told_apart(self, refresh):
        scenarios.choose("rotation", "on")
        refresh(60)
        assert refresh(70).status_code == 400
        assert (count().answered, count().refused) == (1, 1)

    def test_of_interface_b_are_counted_too(self, client, smart_refresh):
        smart_refresh()
        found = refresh_counts.counted(f"b-{SmartGrant.objects.get().pk}")
        assert (found.calls, found.answered) == (1, 1)

    @pytest.mark.parametrize(
        "query", ["", "refresh_token=", "refresh_token=unknown", "&" * 200, "refresh_token=%00%FF"]
    )
    def test_are_not_of_a_token_nobody_knows(self, client, application, query):
        given = urlencode({"client_id": "app", "client_secret": SECRET, "grant_type": "refresh_token"})
        client.generic("POST", f"/a/r4/auth/token?{given}&{query}", content_type="application/x-www-form-urlencoded")
        assert refresh_counts._counted == {}

    def test_of_the_oldest_grants_are_forgotten_first(self, refresh, exchange, ask_token, monkeypatch):
        monkeypatch.setattr(refresh_counts, "MOST_GRANTS", 1)
        refresh(60)
        token = exchange().json()["refresh_token"]
        ask_token(grant_type="refresh_token", refresh_token=token)
        first, second = Grant.objects.order_by("pk")
        assert (refresh_counts.counted(f"a-{first.pk}").calls, refresh_counts.counted(f"a-{second.pk}").calls) == (0, 1)


@pytest.fixture
def smart_refresh(client, db):
    """Refreshes a grant of interface B, made without pages."""
    from apps.sandbox import enrolment
    from apps.sandbox.models import SmartApplication, Tenant
    from apps.sandbox.smart import direct_grants
    from tests.sandbox.smart.literal import FORM, WILLOW, token_address

    Tenant.objects.create(id=WILLOW, name="Willow Creek")
    phone = SmartApplication.objects.create(
        name="Phone", client_id="phone", versions=["r4"], enabled_tenants=[WILLOW], requested_at=clock.now()
    )
    ada = enrolment.enrol("ada", "lovelace-1815", "Ada Byron", {"r4": ["in-interface-a"]})
    ada.tenant_patients = {WILLOW: {"r4": ["r-ada"]}}
    ada.save()
    ((_, answer),) = direct_grants.grant_directly(phone, ada, tenant=WILLOW, version="r4", number=1, at=clock.now())

    def smart_refresh():
        body = f"grant_type=refresh_token&refresh_token={answer['refresh_token']}"
        return client.generic("POST", token_address(), body.encode(), content_type=FORM)

    return smart_refresh
