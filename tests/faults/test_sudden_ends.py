"""A process dies between two steps: the server cuts its database connection while it waits for a provider.

Nothing is left half done: what was stored is complete, and what was begun can be begun again.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection as database
from django.db import connections
from django.db.models.functions import Now
from django.db.utils import Error
from django.test import Client
from django.utils import timezone

from apps.connections import refreshing
from apps.connections.callback import completing
from apps.connections.models import AuthorizationRequest, Connection, StoredTokenSet
from apps.connections.refreshing import claiming
from apps.records import tasks
from apps.records.models import Record, SyncRun, SyncStep
from tests.faults import hunting

pytestmark = pytest.mark.django_db(transaction=True)

SLOW_SECONDS = 2.0


def dies_waiting(call: Callable[[], Any], *, once: Callable[[], bool]) -> BaseException | None:
    """Run the call in a thread of its own, and cut its database connection `once` something is true. What it raised."""
    raised: list[BaseException] = []
    backend: list[int] = []
    has_begun = threading.Event()

    def run() -> None:
        try:
            with database.cursor() as cursor:
                cursor.execute("SELECT pg_backend_pid()")
                backend.append(cursor.fetchone()[0])
            has_begun.set()
            call()
        except BaseException as error:  # noqa: BLE001 - whatever it is, it ends with the thread
            raised.append(error)
        finally:
            with suppress(Error):
                connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    assert has_begun.wait(10)
    while thread.is_alive() and not once():
        thread.join(0.02)
    assert thread.is_alive(), "it did not wait"
    with database.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", backend)
    thread.join(30)
    return raised[0] if raised else None


def slowly(sandbox, route: str) -> Callable[[], bool]:
    """The next answer of this route comes late. Whether it is being waited for."""
    sandbox.post("/control/faults", route=route, kind="slow", count=1, seconds=SLOW_SECONDS)
    return lambda: not sandbox.get("/control/faults")


class TestASignIn:
    @pytest.mark.parametrize("route", ["token", "data"], ids=["during the exchange", "between exchange and storing"])
    @pytest.mark.conformance("C9", "C47")
    def test_that_dies_leaves_nothing_half_done(self, route, sandbox, place, traveller, heard, staff, monkeypatch):
        # whoever is dead writes nothing again, and gives nothing back
        monkeypatch.setattr(completing, "KEEPING_SECONDS", -1.0)
        monkeypatch.setattr(completing, "_give_back", lambda *_args, **_told: None)
        callback = traveller.sent_back(place)
        is_awaited = slowly(sandbox, route)
        tab = Client(raise_request_exception=False)
        tab.cookies = traveller.client.cookies
        dies_waiting(lambda: tab.get(callback), once=is_awaited)
        assert not Connection.objects.exists()
        assert not StoredTokenSet.objects.exists()
        request = AuthorizationRequest.objects.get()
        assert (request.outcome, request.claimed_at is None) == ("", False)
        assert len(place.exchanges(sandbox)) == 1
        canaries = hunting.canaries(sandbox, place)
        hunting.assert_nowhere(canaries, hunting.tracks(traveller, heard.texts, staff))
        assert "This step is already done" in traveller.get(callback).html or "Finishing" in traveller.seen[-1].html
        assert len(place.exchanges(sandbox)) == 1, "the code is not sent twice"
        AuthorizationRequest.objects.update(claimed_at=timezone.now() - timedelta(minutes=3))
        assert "We were interrupted before we could finish" in traveller.get(traveller.waiting_page).html
        monkeypatch.undo()
        traveller.found(place)

    @pytest.mark.parametrize("route", ["token", "data"], ids=["during the exchange", "between exchange and storing"])
    @pytest.mark.conformance("C9", "C47")
    def test_whose_database_goes_away_meanwhile_is_stored_all_the_same(self, route, sandbox, place, traveller):
        callback = traveller.sent_back(place)
        is_awaited = slowly(sandbox, route)
        tab = Client()
        tab.cookies = traveller.client.cookies
        assert dies_waiting(lambda: tab.get(callback), once=is_awaited) is None
        assert StoredTokenSet.objects.get().connection == Connection.objects.get()
        assert AuthorizationRequest.objects.get().outcome == "completed"
        assert len(place.exchanges(sandbox)) == 1

    @pytest.mark.parametrize("table", ["connections_storedtokenset", "audit_auditevent"])
    @pytest.mark.conformance("C9")
    def test_whose_storing_fails_in_the_middle_is_not_stored_at_all(self, table, place, traveller):
        """The database refuses one of the rows, after others were written."""
        callback = traveller.sent_back(place)
        tab = Client(raise_request_exception=False)
        tab.cookies = traveller.client.cookies
        with refusing_rows_of(table):
            assert tab.get(callback).status_code == 500
        assert not Connection.objects.exists()
        assert not StoredTokenSet.objects.exists()
        assert AuthorizationRequest.objects.get().outcome == ""
        traveller.found(place)


@contextmanager
def refusing_rows_of(table: str) -> Iterator[None]:
    """For as long as the block lasts, the database takes no new row of this table."""
    with database.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION refuse_for_a_test() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'refused'; END $$"
        )
        cursor.execute(
            f'CREATE TRIGGER refuse_for_a_test BEFORE INSERT ON "{table}" EXECUTE FUNCTION refuse_for_a_test()'
        )
        try:
            yield
        finally:
            cursor.execute(f'DROP TRIGGER refuse_for_a_test ON "{table}"')
            cursor.execute("DROP FUNCTION refuse_for_a_test")


class TestARefresh:
    @pytest.mark.conformance("C41")
    def test_whose_worker_dies_keeps_the_token_and_is_repeated_after_its_lease(self, sandbox, place, traveller):
        traveller.confirm(traveller.found(place))
        connection = Connection.objects.get()
        at = timezone.now() + timedelta(hours=2)
        assert claiming.claim([connection.pk], at=at), "and nobody hears of it again"
        assert claiming.claim([connection.pk], at=at) == []
        StoredTokenSet.objects.update(lease_until=Now())
        assert refreshing.usable_token(connection, at=at).reveal()
        assert StoredTokenSet.objects.get().generation == 2

    def test_whose_database_goes_away_before_the_answer_keeps_it_and_writes_it_again(self, sandbox, place, traveller):
        traveller.confirm(traveller.found(place))
        at = timezone.now() + timedelta(hours=2)
        is_awaited = slowly(sandbox, "token")
        connection = Connection.objects.get()
        assert dies_waiting(lambda: refreshing.usable_token(connection, at=at), once=is_awaited) is None
        stored = StoredTokenSet.objects.get()
        assert (stored.generation, stored.lease_until) == (2, None)
        requests = sandbox.get("/control/requests?path=/auth/token")["requests"]
        assert len([one for one in requests if "grant_type=refresh_token" in one["query"]]) == 1


class TestASync:
    def test_that_dies_goes_on_where_it_was(self, sandbox, place, traveller):
        traveller.confirm(traveller.found(place))
        run = SyncRun.objects.get()
        sandbox.post("/control/faults", route="data", kind="slow", count=1, after=1, seconds=SLOW_SECONDS)
        patient = SyncStep.objects.filter(resource_type="Patient", status=SyncStep.Status.COMPLETE)
        died = dies_waiting(lambda: tasks.sync_next(), once=patient.exists)
        assert isinstance(died, Error)
        assert Record.objects.filter(resource_type="Patient").count() == 1
        run.refresh_from_db()
        assert run.finished_at is None
        SyncRun.objects.update(lease_until=Now())
        tasks.sync_next()
        run.refresh_from_db()
        assert run.outcome == "complete"
        reads = sandbox.get("/control/requests?path=/fhir/r4/Patient/")["requests"]
        assert len(reads) == 1, "what was stored is not asked for again"
