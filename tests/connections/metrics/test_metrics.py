"""What monitors read at `/metrics`, and that nobody else can read it."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection as database
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from apps.audit import recording
from apps.audit.recording import Actor, EventType
from apps.connections import checks, tallying
from apps.connections.link_health.findings import What
from apps.connections.models import RefreshPace, SiteCertificate
from apps.portal.views import metrics
from config import env
from tests.connections.conftest import BACKEND
from tests.connections.link_rows import HOUR

pytestmark = pytest.mark.django_db

TOKEN = "a token for monitors alone, and long enough"
CANARIES = ("canary", "alice@example.org", "Alice", "Harbor Practice")


@pytest.fixture(autouse=True)
def _nothing_was_read_yet(settings: Any) -> None:
    settings.METRICS_TOKEN = TOKEN
    metrics.readings.forget()


def ask(token: str = f"Bearer {TOKEN}", client: Client | None = None) -> Any:
    return (client or Client()).get("/metrics", headers={"Authorization": token} if token else {})


def key(metric: str, *labels: str) -> tuple[str, frozenset[str]]:
    """A sample, by its name and the values of its labels."""
    return metric, frozenset(labels)


def read() -> dict[tuple[str, frozenset[str]], float]:
    """Every sample. The registration's id is left out: its name is there."""
    answer = ask()
    assert answer.status_code == 200
    return {
        key(sample.name, *(value for label, value in sample.labels.items() if label != "registration")): sample.value
        for family in text_string_to_metric_families(answer.content.decode())
        for sample in family.samples
    }


class TestTheAddress:
    def test_is_not_there_where_no_token_is_set(self, settings):
        settings.METRICS_TOKEN = ""
        assert ask().status_code == 404
        assert ask("Bearer ").status_code == 404

    @pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
    def test_is_only_read(self, method):
        """Whoever writes to it is told so, rather than that a form lacks its token."""
        answer = getattr(Client(enforce_csrf_checks=True), method)("/metrics")
        assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD")

    @pytest.mark.parametrize(
        "given", ["", "Bearer", "Bearer ", "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x", "Bearer tök€n"]
    )
    def test_tells_a_stranger_nothing(self, given, make_link):
        make_link()
        answer = ask(given)
        assert (answer.status_code, answer.content) == (401, b"Unauthorized\n")
        assert answer["WWW-Authenticate"] == "Bearer"

    def test_tells_nobody_who_is_merely_signed_in(self, client, alice, sam, stella):
        for user in (alice, sam, stella):
            client.force_login(user, backend=BACKEND)
            assert ask("", client=client).status_code == 401

    def test_tells_a_monitor_and_keeps_nothing_of_it(self, make_link):
        make_link()
        answer = ask(f"bearer {TOKEN}")
        assert answer.status_code == 200
        assert answer["Content-Type"].startswith("text/plain; version=")
        assert "no-store" in answer["Cache-Control"]
        assert not answer.cookies
        assert "default-src 'none'" in answer["Content-Security-Policy"]

    def test_takes_no_post(self):
        assert Client().post("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 405

    def test_asks_the_database_once_for_many_who_ask(self, make_link, django_assert_num_queries):
        make_link()
        first = ask().content
        with django_assert_num_queries(0):
            assert ask().content == first


class TestAToken:
    @pytest.mark.parametrize(("token", "is_refused"), [("", False), ("x" * 32, False), ("x" * 31, True)])
    def test_is_long_or_empty(self, token, is_refused, settings):
        settings.METRICS_TOKEN = token
        assert [error.id for error in checks.metrics_token_is_long()] == (["holdfast.E030"] if is_refused else [])


class TestMetrics:
    def test_are_explained_to_operators(self, make_link):
        make_link()
        page = (env.ROOT / "docs" / "operating" / "metrics.md").read_text(encoding="utf-8")
        explained = set(re.findall(r"`(holdfast_\w+?)(?:_total)?`", page.partition("\n## Alarms\n")[0]))
        found = {family.name for family in text_string_to_metric_families(ask().content.decode())}
        assert "holdfast_refreshes_due" in found
        assert found <= explained

    def test_count_links_by_status_and_reason(self, make_link):
        make_link()
        make_link(status="disconnected")
        for reason in ("window_over", "window_over", "grant_ended", ""):
            make_link(status="needs_reauthorization", reason=reason)
        found = {labels: value for labels, value in read().items() if labels[0] == "holdfast_links"}
        of = ("holdfast_links", "Harbor gateway")
        assert found == {
            key(*of, "active", ""): 1,
            key(*of, "disconnected", ""): 1,
            key(*of, "needs_reauthorization", "window_over"): 2,
            key(*of, "needs_reauthorization", "grant_ended"): 1,
            key(*of, "needs_reauthorization", ""): 1,
        }

    def test_tell_what_is_due_and_how_late_it_is(self, make_link):
        now = timezone.now()
        make_link(refresh_due_at=now - HOUR)
        make_link(refresh_due_at=now - timedelta(minutes=1))
        make_link(refresh_due_at=now + HOUR / 2, tries=1)
        found = read()
        assert found[key("holdfast_refreshes_due", "Harbor gateway")] == 2
        assert found[key("holdfast_refreshes_overdue", "Harbor gateway")] == 1
        assert found[key("holdfast_refreshes_waiting", "Harbor gateway")] == 1
        assert 3600 <= found[key("holdfast_refresh_lag_seconds", "Harbor gateway")] < 3660
        assert found[key("holdfast_link_health")] == 2
        assert found[key("holdfast_findings", What.OVERDUE.value, "act")] == 1
        assert found[key("holdfast_findings", What.OVERDUE.value, "attention")] == 0

    def test_tell_how_much_time_links_have_left(self, make_link):
        now = timezone.now()
        for hours in (-2, 2, 4, 30):
            make_link(refresh_due_at=now, refresh_deadline_at=now + hours * HOUR)
        make_link(refresh_deadline_at=now + HOUR)
        found = read()
        name = "holdfast_time_to_deadline_seconds"
        within = {
            hours: found[key(f"{name}_bucket", "Harbor gateway", str(hours * 3600.0))] for hours in (0, 1, 3, 6, 24, 36)
        }
        assert within == {0: 1, 1: 1, 3: 2, 6: 3, 24: 3, 36: 4}
        assert (
            found[key(f"{name}_bucket", "Harbor gateway", "+Inf")]
            == found[key(f"{name}_gcount", "Harbor gateway")]
            == 4
        )
        assert found[key(f"{name}_gsum", "Harbor gateway")] == pytest.approx(34 * 3600, abs=60)

    def test_tell_what_ends_and_who_prolongs_it(self, make_link):
        now = timezone.now()
        make_link(lapses_at=now + 5 * HOUR)
        make_link(refresh_due_at=now, refresh_deadline_at=now + 20 * HOUR)
        found = read()
        of = ("holdfast_links_ending", "Harbor gateway")
        assert (found[key(*of, "12h", "no")], found[key(*of, "24h", "no")]) == (1, 1)
        assert (found[key(*of, "12h", "yes")], found[key(*of, "24h", "yes")]) == (0, 1)

    def test_tell_the_pace_of_a_registration_and_what_holds_it(self, make_link, make_registration):
        now = timezone.now()
        slow, held = make_registration("Slow"), make_registration("Held", trouble="invalid_client")
        RefreshPace.objects.create(
            registration=slow, next_at=now + HOUR, silences=6, slowed_per_second=0.5, slowed_at=now
        )
        make_link(slow)
        make_link(held)
        found = read()
        assert found[key("holdfast_refresh_silences", "Slow")] == 6
        assert found[key("holdfast_refresh_slowed_per_second", "Slow")] == 0.5
        assert key("holdfast_refresh_slowed_per_second", "Held") not in found
        assert found[key("holdfast_refresh_budget_taken_seconds", "Slow")] == pytest.approx(3600, abs=60)
        assert (found[key("holdfast_registration_held", "Slow")], found[key("holdfast_registration_held", "Held")]) == (
            0,
            1,
        )

    def test_tell_when_our_own_certificate_ends(self, settings):
        settings.SITE_ORIGIN = "https://holdfast.example"
        ends_at = timezone.now() + timedelta(days=20)
        SiteCertificate.objects.create(
            origin=settings.SITE_ORIGIN, tried_at=timezone.now(), seen_at=timezone.now(), ends_at=ends_at
        )
        found = read()
        assert found[key("holdfast_site_certificate_end_seconds")] == pytest.approx(ends_at.timestamp(), abs=1)
        assert found[key("holdfast_site_certificate_alarm")] == 1

    def test_tell_for_how_long_a_deletion_waits_for_the_ledger(self, alice):
        assert read()[key("holdfast_oldest_deletion_seconds")] == 0
        metrics.readings.forget()
        actor, before = Actor.system("test"), timezone.now() - 2 * HOUR
        recording.record(EventType.ACCOUNT_CLOSED, actor=actor, at=before, user_id=alice.pk)
        assert read()[key("holdfast_oldest_deletion_seconds")] == pytest.approx(7200, abs=60)

    def test_say_nothing_of_anybody(self, make_link):
        make_link(status="needs_reauthorization", reason="window_over")
        make_link()
        text = ask().content.decode()
        assert "window_over" in text
        assert [canary for canary in CANARIES if canary in text] == []

    def test_do_not_grow_with_the_number_of_links(self, make_link):
        def lines() -> int:
            metrics.readings.forget()
            return len(ask().content.splitlines())

        make_link(refresh_due_at=timezone.now(), refresh_deadline_at=timezone.now())
        few = lines()
        for _ in range(20):
            make_link(refresh_due_at=timezone.now(), refresh_deadline_at=timezone.now())
        assert lines() == few


class TestACount:
    def test_only_grows_and_is_summed_over_all_who_count(self, registration, make_link):
        make_link()
        for _refresh in range(5):
            tallying.count(registration.pk, tallying.Outcome.SUCCEEDED, at=timezone.now())
        with database.cursor() as cursor:  # as another session would
            cursor.execute("UPDATE connections_refreshtally SET shard = (shard + 1) % 16")
        tallying.count(registration.pk, tallying.Outcome.SUCCEEDED, at=timezone.now())
        tallying.count(registration.pk, tallying.Outcome.REFUSED, at=timezone.now())
        found = read()
        of = ("holdfast_refreshes_total", "Harbor gateway")
        assert found[key(*of, "succeeded")] == 6
        assert found[key(*of, "refused")] == 1
        assert [found[key(*of, outcome)] for outcome in ("waited", "operator", "ours")] == [0, 0, 0]

    def test_count_on_where_the_last_link_is_gone(self, make_link, registration):
        """Erased with its account; a counter that ended would look like a restart."""
        link = make_link()
        tallying.count(registration.pk, tallying.Outcome.SUCCEEDED, at=timezone.now())
        before = read()
        link.delete()
        metrics.readings.forget()
        of = key("holdfast_refreshes_total", "Harbor gateway", "succeeded")
        assert (before[of], read()[of]) == (1, 1)
