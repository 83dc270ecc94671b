"""Two people's copies of the same rows from one provider, such as a child's whose mother has it as well: whatever
happens to one copy, the other is not affected."""

from datetime import timedelta

import pytest

from apps.connections.models import Connection, StoredTokenSet
from apps.records.models import Leaf, PendingRead, QuarantinedRow, Record, RecordVersion, Shelf, SyncRun, SyncStep
from apps.records.syncing import watermarks
from apps.wire import resource_types
from apps.wire.dialects import FhirVersion
from tests.records.linked import AT, give_tokens, make_connection, sign_in_again
from tests.records.people import PATIENT_ID, allergy, bundle
from tests.records.provider import ALLERGIES, METADATA, statement
from tests.records.runs import resume, step, sync
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
DOCTOR = "GET /fhir/r4/Practitioner/"
_OF_A_STEP = ("resource_type", "status", "gap", "rows_kept", "rows_changed", "rows_removed", "rows_missing",
              "rows_refused", "needs_shelf")  # fmt: skip


def row(name, doctor="d1", **elements):
    return allergy(name, recorder={"reference": f"Practitioner/{doctor}"}, **elements)


def doctor(name, status=200):
    body = {"resourceType": "Practitioner", "id": name} if status == 200 else b""
    return {f"{DOCTOR}{name}": http(status, body)}


def rows(*found):
    return {ALLERGIES: http(body=bundle(*found))}


STORY: tuple[tuple[int, dict[str, bytes]], ...] = (
    (0, {**rows(row("a1"), row("a2", "d2"), row("a3")), **doctor("d1"), **doctor("d2", 503)}),
    (1, rows(row("a1", criticality="high"), row("a2", "d2"), row("a3"), allergy("a4", patient_id="p-1"))),
    (2, doctor("d2")),
    (8, rows(row("a1"), row("a2", "d2"), row("a5", "d3"))),
    (9, {**doctor("d1", 410), **doctor("d3", 503)}),
    (16, rows()),
    (17, {}),
    (18, rows(row("a1"))),
)  # fmt: skip


def day(connection, provider, days, answers):
    """A run to its end, and all that came of it: what was asked, what is told and what is here."""
    provider.answers |= answers
    provider.server.requests.clear()
    at = AT + timedelta(days=days)
    give_tokens(connection, issued_at=at)
    run = sync(connection, at=at)
    while not run.outcome:
        resume(run, at=at)
    held = Record.objects.filter(connection=connection).order_by("resource_type", "logical_id")
    return (
        sorted(set(provider.asked) - {METADATA}),
        (run.is_full, run.outcome, run.pauses),
        list(run.steps.order_by("resource_type").values_list(*_OF_A_STEP)),
        [(one.resource_type, one.logical_id, one.removed_at is None, one.unseen_at is None, one.versions.count(),
          (one.confirmed_at - AT).days) for one in held],
        sorted(PendingRead.objects.filter(run__connection=connection).values_list("logical_id", "is_owed")),
        sorted(Shelf.objects.filter(connection=connection).values_list("subject", flat=True)),
        QuarantinedRow.objects.filter(connection=connection).count(),
    )  # fmt: skip


def everything(connection):
    """Every row of a connection, as it is stored."""
    mine = {"connection": connection}
    return [
        list(found.order_by("pk").values())
        for found in (
            Connection.objects.filter(pk=connection.pk),
            StoredTokenSet.objects.filter(**mine),
            SyncRun.objects.filter(**mine),
            SyncStep.objects.filter(run__connection=connection),
            PendingRead.objects.filter(run__connection=connection),
            Record.objects.filter(**mine),
            RecordVersion.objects.filter(record__connection=connection),
            QuarantinedRow.objects.filter(**mine),
            Shelf.objects.filter(**mine),
            Leaf.objects.filter(shelf__connection=connection),
        )
    ]


@pytest.fixture
def theirs(linked, sam):
    """Sam's link to the same record."""
    return make_connection(sam, linked.endpoint)


class TestACopy:
    @pytest.fixture(autouse=True)
    def offers(self, provider):
        provider.answers[METADATA] = http(body=statement("Patient", "AllergyIntolerance", "Practitioner"))

    @pytest.mark.parametrize("stop", [1, 3, 6, len(STORY)])
    def test_goes_as_if_there_were_no_other(self, linked, theirs, provider, stop):
        """Of which the other one stopped after any day, and its person signed in again."""
        before = dict(provider.answers)
        alone = [day(linked, provider, *one) for one in STORY[:stop]]
        sign_in_again(linked, at=AT + timedelta(days=STORY[stop - 1][0], hours=1))
        provider.answers = before
        untouched = everything(linked)
        beside = [day(theirs, provider, *one) for one in STORY]
        assert beside[:stop] == alone
        assert everything(linked) == untouched

    def test_goes_on_where_its_own_checks_ended(self, linked, theirs):
        run, day_after_next = sync(linked), AT + timedelta(days=2)
        before = watermarks.known(run, at=day_after_next)
        give_tokens(theirs, issued_at=AT + timedelta(days=1))
        sync(theirs, at=AT + timedelta(days=1))
        assert "AllergyIntolerance" in before
        assert watermarks.known(run, at=day_after_next) == before

    def test_is_in_doubt_where_its_own_proof_was_not_believed_alone(self, linked, theirs, provider):
        give_tokens(theirs)
        mine, other = sync(linked), sync(theirs)
        sign_in_again(theirs, at=AT + HOUR)  # so that everything is asked for
        for connection, found, gap in ((theirs, rows(), "unseen"), (linked, rows(allergy("a1"), allergy("a2")), "")):
            provider.answers |= found
            give_tokens(connection, issued_at=AT + HOUR)
            assert step(sync(connection, at=AT + HOUR)).gap == gap
            assert "AllergyIntolerance" in watermarks.known(mine, at=AT + 2 * HOUR)
        assert "AllergyIntolerance" not in watermarks.known(other, at=AT + 2 * HOUR)

    def test_takes_for_gone_what_its_own_searches_brought_before_alone(self, linked, theirs, provider):
        """One search by patient brought what no category has; that another's copy came by categories says nothing."""
        provider.answers[METADATA] = http(body=statement("Patient", "Condition"))
        search = f"GET /fhir/r4/Condition?patient={PATIENT_ID}"
        in_category = {"resourceType": "Condition", "id": "c1"}
        provider.answers[search] = http(body=bundle(in_category, {"resourceType": "Condition", "id": "c2"}))
        sync(linked)
        provider.answers[search] = http(400)
        for (pair,) in resource_types.RESOURCE_TYPES[FhirVersion.R4]["Condition"].narrow_searches:
            provider.answers[f"{search}&category={pair[1]}"] = http(body=bundle(in_category))
        at = AT + watermarks.FULL_PROOF_EVERY
        for connection in (theirs, linked):
            give_tokens(connection, issued_at=at)
            run = sync(connection, at=at)
        assert (step(run, "Condition").gap, step(run, "Condition").rows_removed) == ("", 0)
        assert linked.records.filter(resource_type="Condition", removed_at=None).count() == 2
