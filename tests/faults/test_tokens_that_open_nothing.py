"""A server refreshes tokens but opens no record with them for an hour, played by the real sandbox."""

import io
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command

from apps.connections import refreshing
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import running
from apps.directory import reaching
from apps.records import syncing
from apps.records.models import Record, SyncRun
from apps.wire import fhir
from benchmarks import sandbox_links
from tests.records.runs import resume

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE = timedelta(minutes=1)


class Link:
    """One patient's, with what was copied, and the clock of both sides."""

    def __init__(self, sandbox: Any) -> None:
        self.sandbox = sandbox
        self.at = datetime.fromisoformat(sandbox.get("/control/clock")["now"])
        server = sandbox_links.patient_access(
            sandbox, version="r4", at=self.at, switches={"rotation": "on"}, requests_per_minute=100_000
        )
        (made,) = sandbox_links.make(server, 1, at=self.at)
        self.connection = Connection.objects.get(pk=made.connection_id)
        self.connection.fhir_patient_id = self.patient_id()
        self.connection.save()
        assert self.check().outcome == "complete"

    def patient_id(self) -> str:
        where = reaching.fhir_server(self.connection.endpoint, self.connection.registration)
        token = refreshing.usable_token(self.connection, at=self.at)
        return fhir.find_patients(where, access_token=token)[0].logical_id

    def passes(self, time: timedelta) -> None:
        self.sandbox.post("/control/clock", move_seconds=time.total_seconds())
        self.at += time

    def check(self) -> SyncRun:
        run = syncing.start(self.connection, cause=SyncRun.Cause.SCHEDULE, at=self.at)
        while run.finished_at is None:
            resume(run, at=self.at)
        self.connection.refresh_from_db()
        return run

    def beat(self) -> int:
        looked = running.pull(clock=lambda: self.at, call_for_help=lambda: None, seconds=5)
        self.connection.refresh_from_db()
        return looked


@pytest.fixture
def link(sandbox, directory_file):
    call_command("import_endpoints", directory_file, stdout=io.StringIO())
    return Link(sandbox)


def test_a_link_holds_through_an_hour_in_which_its_server_opens_nothing(link, sandbox):
    kept = Record.objects.filter(removed_at=None).count()
    link.passes(90 * MINUTE)
    sandbox.post("/control/scenarios", name="tokens-disagreed")
    run = link.check()
    assert (run.outcome, link.connection.status, link.connection.reason) == (
        "failed",
        "needs_reauthorization",
        "data_refused",
    )
    link.passes(6 * MINUTE)
    assert (link.beat(), link.connection.status) == (1, "needs_reauthorization")
    sandbox.post("/control/switches", access_tokens="known")
    link.passes(26 * MINUTE)
    assert (link.beat(), link.connection.status) == (1, "active")
    assert StoredTokenSet.objects.get().refused_at is None
    assert link.check().outcome == "complete"
    assert Record.objects.filter(removed_at=None).count() == kept > 0
