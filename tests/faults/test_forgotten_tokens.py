"""A server refuses everybody for some hours, as if it had lost its token store, played by the real sandbox."""

import io
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command

from apps.connections import refreshing
from apps.connections.link_health import overview
from apps.connections.link_health.findings import What
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import running
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet
from benchmarks import sandbox_links

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)


class Links:
    """Three people's, and the clock of both sides."""

    def __init__(self, sandbox: Any) -> None:
        self.sandbox = sandbox
        self.at = datetime.fromisoformat(sandbox.get("/control/clock")["now"])
        self.server = sandbox_links.patient_access(sandbox, version="r4", at=self.at, switches={"rotation": "on"})
        self.made = list(sandbox_links.make(self.server, 3, at=self.at))
        self.passes(2 * HOUR)
        StoredTokenSet.objects.update(refresh_due_at=self.at)

    def passes(self, time: timedelta) -> None:
        self.sandbox.post("/control/clock", move_seconds=time.total_seconds())
        self.at += time

    def beat(self) -> int:
        return running.pull(clock=lambda: self.at, call_for_help=lambda: None, seconds=5)

    def statuses(self) -> set[str]:
        return set(Connection.objects.values_list("status", flat=True))


@pytest.fixture
def links(sandbox, directory_file):
    call_command("import_endpoints", directory_file, stdout=io.StringIO())
    return Links(sandbox)


def test_links_hold_through_hours_in_which_their_server_refuses_everybody(links, sandbox):
    sandbox.post("/control/scenarios", name="tokens-forgotten")
    assert links.beat() == 3
    assert links.statuses() == {"needs_reauthorization"}
    for _quarter in range(4 * 3):
        links.passes(15 * MINUTE)
        links.beat()
    (finding,) = (one for one in overview.examine(at=links.at).findings if one.what is What.REFUSING)
    assert finding.links == 3
    assert links.statuses() == {"needs_reauthorization"}
    sandbox.post("/control/switches", refresh_tokens="known")
    links.passes(3 * HOUR)
    assert links.beat() == 3
    assert links.statuses() == {"active"}
    assert all(there["live"] for there in links.server.grants().values())
    assert What.REFUSING not in {one.what for one in overview.examine(at=links.at).findings}


def test_one_refusal_among_others_tokens_that_are_taken_is_asked_about_once_more_and_left(links):
    links.passes(12 * HOUR)  # whoever signed in since would prove nothing of tokens that are older
    connection = Connection.objects.get(pk=links.made[0].connection_id)
    ended = TokenSet(Secret("access"), 3600, Secret("one that was ended there"), None, None, None, None)
    refreshing.keep(connection, ended, issued_at=links.at - HOUR)
    StoredTokenSet.objects.exclude(pk=connection.pk).update(refresh_due_at=links.at + 3 * MINUTE)
    StoredTokenSet.objects.filter(pk=connection.pk).update(refresh_due_at=links.at)
    asked = []
    for minutes in range(0, 13 * 60, 2):
        asked += [minutes] * links.beat()
        links.at += 2 * MINUTE
    assert asked == [0, 4, 4, 6]
    assert set(Connection.objects.exclude(pk=connection.pk).values_list("status", flat=True)) == {"active"}
    stored = StoredTokenSet.objects.select_related("connection").get(pk=connection.pk)
    assert (stored.connection.status, stored.connection.reason) == ("needs_reauthorization", "grant_ended")
    assert (stored.refused_at, stored.refresh_due_at) == (None, None)
