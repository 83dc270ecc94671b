"""Two of everything at the same moment, on a real Postgres, with the recorder of the real sandbox as the witness.

The provider takes half a second for each answer, so that the second request comes before the first is answered.
"""

import time
from copy import copy
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.connections import refreshing, revoking
from apps.connections.models import AuthorizationRequest, Connection, StoredTokenSet
from apps.connections.refreshing import NotYet
from apps.records import tasks
from apps.records.models import Record, SyncRun
from tests.faults.at_once import results, together

pytestmark = pytest.mark.django_db(transaction=True)

IN_NO_HURRY = {"kind": "slow", "count": None, "seconds": 0.5}


def same_browser(traveller) -> Client:
    """Another tab."""
    tab = Client()
    tab.cookies = copy(traveller.client.cookies)
    return tab


def asked(sandbox, path: str) -> Any:
    return sandbox.get(f"/control/requests?path={path}")["requests"]


class TestTwoArrivals:
    @pytest.mark.conformance("C30", "C47")
    def test_with_one_state_exchange_the_code_once(self, sandbox, place, traveller):
        callback = traveller.sent_back(place)
        sandbox.post("/control/faults", route="token", **IN_NO_HURRY)
        tabs = [same_browser(traveller) for _tab in range(3)]
        answers = results(together(*(lambda tab=tab: tab.get(callback) for tab in tabs)))
        assert [answer.status_code for answer in answers] == [303] * 3
        assert len(place.exchanges(sandbox)) == 1
        assert Connection.objects.count() == StoredTokenSet.objects.count() == 1
        assert AuthorizationRequest.objects.get().outcome == "completed"
        for answer in answers:
            assert "Is this the right person?" in traveller.get(answer["Location"]).html


class TestTwoWorkers:
    def test_on_one_run_ask_and_store_once(self, sandbox, place, traveller):
        traveller.confirm(traveller.found(place))
        run = SyncRun.objects.get()
        sandbox.post("/control/faults", route="data", **IN_NO_HURRY)
        results(together(*(lambda wait=wait: self.work(run, wait) for wait in (0, 0, 0.3, 0.8))))
        sandbox.delete("/control/faults")
        tasks.sync_next()  # a whole record in no hurry takes longer than one turn
        run.refresh_from_db()
        assert run.outcome == "complete"
        assert len(asked(sandbox, "/fhir/r4/Patient/")) == 1
        assert len(asked(sandbox, "/AllergyIntolerance")) == 1
        kept = list(Record.objects.values_list("resource_type", "logical_id"))
        assert len(kept) == len(set(kept)) == sum(run.steps.values_list("rows_kept", flat=True))

    def work(self, run: SyncRun, wait_seconds: float) -> None:
        """One comes at the same moment, others while the first waits for the Patient and for the allergies."""
        time.sleep(wait_seconds)
        tasks.sync_next()

    @pytest.mark.conformance("C41")
    def test_with_an_expired_token_refresh_it_once(self, sandbox, place, traveller):
        traveller.confirm(traveller.found(place))
        connection = Connection.objects.get()
        sandbox.post("/control/faults", route="token", **IN_NO_HURRY)
        at = timezone.now() + timedelta(hours=2)

        def use() -> str:
            try:
                return refreshing.usable_token(Connection.objects.get(), at=at).fingerprint()
            except NotYet:
                return "later"

        handed_out = results(together(*(use,) * 4))
        refreshes = [one for one in asked(sandbox, "/auth/token") if "grant_type=refresh_token" in one["query"]]
        assert len(refreshes) == 1
        assert len(set(handed_out) - {"later"}) == 1
        stored = StoredTokenSet.objects.get()
        assert (stored.generation, stored.lease_until) == (2, None)
        assert refreshing.usable_token(connection, at=at).fingerprint() in handed_out


class TestTwoBeats:
    @pytest.mark.conformance("C65")
    def test_tell_the_provider_once(self, sandbox, place, traveller):
        traveller.post(f"/connections/{traveller.found(place).pk}/confirm/", answer="no")
        sandbox.post("/control/faults", route="revoke", **IN_NO_HURRY)
        confirmed = results(together(*(lambda: revoking.tell_providers(at=timezone.now()),) * 3))
        assert sorted(confirmed) == [0, 0, 1]
        assert len(asked(sandbox, "/auth/revoke")) == 1


class TestTwoPresses:
    @pytest.mark.conformance("C47", "C64")
    def test_of_yes_start_one_copy(self, place, traveller):
        connection = traveller.found(place)
        page = f"/connections/{connection.pk}/confirm/"
        tabs = [same_browser(traveller) for _tab in range(4)]
        yes = {"answer": "yes", "candidate": "0"}
        answers = results(together(*(lambda tab=tab: tab.post(page, yes) for tab in tabs)))
        assert {answer.status_code for answer in answers} == {302}
        assert {answer["Location"] for answer in answers} == {f"/connections/{connection.pk}/record/"}
        assert SyncRun.objects.count() == 1
        assert AuditEvent.objects.filter(event="connection.confirmed").count() == 1

    @pytest.mark.parametrize("waits", [(0, 0), (0, 0.05), (0.05, 0)], ids=["at once", "yes first", "no first"])
    @pytest.mark.conformance("C64")
    def test_of_yes_and_no_have_one_end(self, waits, sandbox, place, traveller):
        connection = traveller.found(place)
        page = f"/connections/{connection.pk}/confirm/"

        def press(wait_seconds: float, **fields: str) -> int:
            tab = same_browser(traveller)
            time.sleep(wait_seconds)
            return tab.post(page, fields).status_code

        yes, no = waits
        codes = results(together(lambda: press(yes, answer="yes", candidate="0"), lambda: press(no, answer="no")))
        assert set(codes) <= {200, 302}
        is_confirmed = Connection.objects.filter(status="active").exists()
        assert Connection.objects.count() == StoredTokenSet.objects.count() == SyncRun.objects.count() == is_confirmed
        revoking.tell_providers(at=timezone.now())
        assert len(asked(sandbox, "/auth/revoke")) == (not is_confirmed)
        end = "confirmed" if is_confirmed else "declined"
        assert AuthorizationRequest.objects.get().outcome == end
        ends = ("connection.confirmed", "connection.declined")
        assert [row.event for row in AuditEvent.objects.filter(event__in=ends)] == [f"connection.{end}"]
