"""Data routes fail while a record is linked or copied: each fault has a named outcome or a pause, and succeeds later.

The site speaks to the real sandbox; the fault is one of its scenarios.
"""

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from apps.connections.models import AuthorizationRequest, Connection
from apps.records import syncing, tasks
from apps.records.models import Record, SyncRun
from tests.faults import hunting
from tests.faults.leavings import assert_nothing_is_left

pytestmark = pytest.mark.django_db

NOT_ANSWERING = ("provider_down", "Harbor Family Medicine is not answering right now")
UNREADABLE = ("unreadable", "We could not read the answer")

WHILE_LINKING = {
    "data-throttled": NOT_ANSWERING,
    "data-down": NOT_ANSWERING,
    "data-dribbles": NOT_ANSWERING,
    "data-cut": UNREADABLE,
    "data-html": UNREADABLE,
    "data-empty": UNREADABLE,
}
WAITS = ("data-throttled", "data-down", "data-dribbles", "metadata-down")
LACKS = ("data-cut", "data-html", "data-empty")
HARMLESS = ("data-wrong-type", "records-as-bundles", "small-pages", "careless-bundles", "refusals-as-text")


class TestALink:
    @pytest.mark.parametrize("scenario", WHILE_LINKING)
    @pytest.mark.conformance("C9", "C48", "C59")
    def test_that_finds_nobody_for_a_fault_gives_the_tokens_back(
        self, scenario, sandbox, place, traveller, heard, staff, impatient
    ):
        sandbox.post("/control/scenarios", name=scenario)
        outcome, sentence = WHILE_LINKING[scenario]
        page = traveller.go_there(place)
        assert sentence in page.html
        assert AuthorizationRequest.objects.get().outcome == outcome
        assert_nothing_is_left()
        (revocation,) = sandbox.get("/control/requests?path=/auth/revoke")["requests"]
        assert revocation["status"] == 200
        canaries = hunting.canaries(sandbox, place)
        assert hunting.names(canaries) >= {"client_secret", "code", "code_verifier", "state", "token"}
        hunting.assert_nowhere(canaries, hunting.tracks(traveller, heard.texts, staff))
        sandbox.post("/control/scenarios", name="usual")
        traveller.found(place)


class TestACopy:
    @pytest.fixture
    def run(self, place, traveller, django_capture_on_commit_callbacks):
        """Alice has confirmed; her first run is enqueued and has yet to begin."""
        with django_capture_on_commit_callbacks(execute=True):
            assert traveller.confirm(traveller.found(place)).status == 200
        return SyncRun.objects.get()

    @pytest.mark.parametrize("scenario", WAITS)
    @pytest.mark.conformance("C9", "C59")
    def test_waits_for_a_provider_that_does_not_answer(
        self, scenario, sandbox, place, run, traveller, heard, staff, impatient
    ):
        sandbox.post("/control/scenarios", name=scenario)
        tasks.sync_next()
        run.refresh_from_db()
        assert run.finished_at is None
        assert run.pauses == 1
        assert not Record.objects.filter(resource_type="Patient").exists()
        assert "Paused; continues by itself" in traveller.get(record(run)).html
        hunting.assert_nowhere(hunting.canaries(sandbox, place), hunting.tracks(traveller, heard.texts, staff))
        sandbox.post("/control/scenarios", name="usual")
        SyncRun.objects.update(lease_until=Now())  # the pause is over
        tasks.sync_next()
        assert_complete(run, traveller)

    @pytest.mark.conformance("C59")
    def test_goes_on_with_the_type_that_failed(self, sandbox, place, traveller, django_capture_on_commit_callbacks):
        """The third data request fails: the details of the patient came, one of the first searches did not."""
        sandbox.post("/control/scenarios", name="data-flaky")
        with django_capture_on_commit_callbacks(execute=True):
            traveller.confirm(traveller.found(place))
        run = SyncRun.objects.get()
        tasks.sync_next()
        assert run.steps.get(resource_type="Patient").status == "complete"
        assert run.steps.filter(status="getting").count() == 1
        SyncRun.objects.update(lease_until=Now())
        tasks.sync_next()
        assert_complete(run, traveller)
        asked = sandbox.get("/control/requests?path=/fhir/r4/Patient/")["requests"]
        assert len(asked) == 1, "what had come was not asked for again"

    @pytest.mark.parametrize("scenario", LACKS)
    @pytest.mark.conformance("C59")
    def test_says_what_could_not_be_read(self, scenario, sandbox, place, run, traveller):
        sandbox.post("/control/scenarios", name=scenario)
        tasks.sync_next()
        run.refresh_from_db()
        assert run.outcome == "partial"
        assert run.steps.get(resource_type="Patient").gap == "unreadable"
        assert not Record.objects.filter(resource_type="Patient").exists()
        assert traveller.get(record(run)).status == 200
        again = syncing.start(Connection.objects.get(), cause=SyncRun.Cause.SCHEDULE, at=timezone.now())
        tasks.sync_next()
        assert_complete(again, traveller)

    @pytest.mark.parametrize("scenario", HARMLESS)
    @pytest.mark.conformance("C71")
    def test_is_not_disturbed_by_other_habits(self, scenario, sandbox, run, traveller):
        sandbox.post("/control/scenarios", name=scenario)
        tasks.sync_next()
        assert Record.objects.filter(resource_type="Patient").count() == 1
        assert "Ruth" in traveller.get(record(run)).html

    @pytest.mark.conformance("C9")
    def test_with_a_renewed_token_leaves_no_secret(self, sandbox, place, run, traveller, heard, staff):
        """The provider ends the access token early: one refresh, and both old and new token are searched for."""
        sandbox.post("/control/switches", rotation="on")
        sandbox.post("/control/clock", move_seconds=4000)
        run.connection.stored_token_set.__class__.objects.update(not_before_at=None)
        tasks.sync_next()
        assert_complete(run, traveller)
        canaries = hunting.canaries(sandbox, place)
        assert hunting.names(canaries) >= {"refresh_token", "access_token"}
        hunting.assert_nowhere(canaries, hunting.tracks(traveller, heard.texts, staff))
        traveller.post(f"/connections/{run.connection_id}/disconnect/", copy="keep")
        hunting.assert_nowhere(hunting.canaries(sandbox, place), hunting.tracks(traveller, heard.texts, staff))


def record(run: SyncRun) -> str:
    return f"/connections/{run.connection_id}/record/"


def assert_complete(run: SyncRun, traveller) -> None:
    """The run ended with everything, and the page shows whose record it is."""
    run.refresh_from_db()
    assert run.outcome == "complete"
    assert Record.objects.filter(resource_type="Patient").count() == 1
    assert "Ruth" in traveller.get(record(run)).html
