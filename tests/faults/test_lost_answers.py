"""Answers to refreshes never arrive, from the real sandbox, which knows which tokens are valid: connections that end
before or after the work, unreadable answers, and an outage of twenty hours."""

import io
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import F

from apps.connections import refreshing
from apps.connections.models import Connection, StoredTokenSet
from apps.wire.errors import WireError
from benchmarks import sandbox_links

pytestmark = pytest.mark.django_db(transaction=True)

KEEPS: dict[str, str] = {}
REPEATS = {"rotation": "on", "rotation_grace": "120"}
STRICT = {"rotation": "on"}
AFTER_THE_WORK = ("dropped-after", "lost", "cut", "empty", "html")


class LinkThere:
    """One link at a server that is known to rotate or not, and the clock of both sides."""

    def __init__(self, sandbox: Any, switches: dict[str, str], **columns: Any) -> None:
        self.sandbox = sandbox
        self.at = datetime.fromisoformat(sandbox.get("/control/clock")["now"])
        rotates = {"rotates_refresh_tokens": switches.get("rotation") == "on"}
        self.server = sandbox_links.patient_access(
            sandbox, version="r4", at=self.at, switches=switches, minimum_refresh_seconds=60, **rotates, **columns
        )
        (self.link,) = sandbox_links.make(self.server, 1, at=self.at)

    @property
    def connection(self) -> Connection:
        return Connection.objects.get(pk=self.link.connection_id)

    @property
    def there(self) -> dict[str, Any]:
        return self.server.grants()[self.link.grant]

    def passes(self, **time: float) -> None:
        """Time, on both sides; attempts are on the database's clock, which is taken along."""
        passed = timedelta(**time)
        self.sandbox.post("/control/clock", move_seconds=passed.total_seconds())
        self.at += passed
        StoredTokenSet.objects.update(attempt_started_at=F("attempt_started_at") - passed)

    def use(self) -> str:
        """A fingerprint of the token, or the name of what is in its way."""
        try:
            return refreshing.usable_token(self.connection, at=self.at).fingerprint()
        except (refreshing.NotYet, refreshing.NeedsReauthorization, WireError) as error:
            return type(error).__name__

    def holds(self) -> bool:
        """Whether what we hold opens something there, and we say so."""
        held = refreshing.forget(self.connection)
        assert held is not None
        return held.token.fingerprint() in self.there["live"]


@pytest.fixture
def link_at(sandbox, directory_file):
    """Makes one: `link_at(REPEATS)`. Its access token has ended."""
    call_command("import_endpoints", directory_file, stdout=io.StringIO())

    def link_at(switches: dict[str, str], **columns: Any) -> LinkThere:
        link = LinkThere(sandbox, switches, **columns)
        link.passes(hours=2)
        return link

    return link_at


class TestAnAnswerThatGotLost:
    @pytest.mark.parametrize("kind", AFTER_THE_WORK)
    def test_is_asked_for_again_where_the_last_token_may_be_repeated(self, link_at, sandbox, kind):
        link = link_at(REPEATS)
        sandbox.post("/control/faults", route="token", kind=kind)
        assert link.use() in {"Unavailable", "UnexpectedAnswer"}
        link.passes(seconds=31)
        assert len(link.use()) == 8
        assert (link.there["answered"], link.there["lost"], link.connection.status) == (2, 1, "active")
        assert link.holds()

    def test_ends_the_link_in_words_where_nothing_may_be_repeated(self, link_at, sandbox):
        link = link_at(STRICT)
        sandbox.post("/control/faults", route="token", kind="dropped-after")
        assert link.use() == "Unavailable"
        link.passes(seconds=31)
        assert link.use() == "NotYet", "a refusal is not believed while the lost answer may still come"
        assert link.connection.status == "active"
        link.passes(minutes=3)
        assert link.use() == "NeedsReauthorization"
        assert (link.connection.status, link.connection.reason) == ("needs_reauthorization", "grant_ended")
        assert not link.holds()

    @pytest.mark.conformance("C41")
    def test_waits_for_the_floor_where_nothing_is_used_up(self, link_at, sandbox):
        link = link_at(KEEPS)
        sandbox.post("/control/faults", route="token", kind="dropped-after")
        assert link.use() == "Unavailable"
        link.passes(seconds=55)
        assert link.use() == "NotYet"
        link.passes(seconds=10)
        assert len(link.use()) == 8
        assert link.there["shortest_seconds"] >= 60
        assert link.holds()


class TestAConnectionThatEndedBeforeTheWork:
    @pytest.mark.parametrize("switches", [KEEPS, REPEATS, STRICT], ids=["keeps", "repeats", "strict"])
    def test_costs_nothing(self, link_at, sandbox, switches):
        link = link_at(switches)
        sandbox.post("/control/faults", route="token", kind="dropped")
        assert link.use() == "Unavailable"
        link.passes(seconds=65)
        assert len(link.use()) == 8
        assert (link.there["calls"], link.there["answered"]) == (2, 1)
        assert link.holds()


class TestAnOutageOfTwentyHours:
    @pytest.mark.conformance("C15")
    @pytest.mark.parametrize("switches", [REPEATS, STRICT], ids=["repeats", "strict"])
    def test_is_outlived_without_a_storm(self, link_at, sandbox, switches):
        link = link_at(switches)
        link.passes(hours=22)
        sandbox.post("/control/scenarios", name="token-outage")
        for _quarter in range(4 * 20):
            assert link.use() in {"Unavailable", "NotYet"}
            link.passes(minutes=15)
        calls = link.there["calls"]
        assert calls < 40
        while link.use() == "NotYet":
            link.passes(minutes=1)
        assert (link.there["calls"], link.there["answered"], link.connection.status) == (calls + 1, 1, "active")
        assert link.holds()
