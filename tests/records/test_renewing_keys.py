"""A data key is renewed while copies run and pages are read: nothing is mistaken for changed at the provider."""

import json
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection as database
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from apps.connections import refreshing
from apps.connections.models import StoredTokenSet
from apps.records import bodies, shelving
from apps.records.attachments import open_file, storing
from apps.records.models import Attachment, QuarantinedRow, Record, RecordVersion
from apps.records.resealing import DigestedColumn
from apps.records.syncing.received_rows import quarantining
from apps.vault import sealed_columns, sealing
from apps.vault.holders import Holder
from apps.vault.models import DataKey
from apps.wire.fhir import Resource
from tests.records.attachments.filing import FILE, PDF, clock, free, hold, linked_to
from tests.records.linked import AT, make_connection
from tests.records.people import allergy, bundle
from tests.records.provider import ALLERGIES, TOKEN
from tests.records.runs import step, sync, sync_now
from tests.records.syncing.test_storing import keep
from tests.vault import retiring
from tests.vault.test_renewing import elsewhere
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

LATER = AT + timedelta(minutes=20)
LETTER = linked_to("document/pdf-1")


@pytest.fixture
def holder(alice):
    return Holder.user(alice.pk)


@pytest.fixture
def copied(linked):
    """A whole record, as it came yesterday."""
    sync(linked)
    return linked


def digests_of(connection):
    """As they are under the key that seals, of the bodies as they open."""
    with sealing.key_ring(Holder.user(connection.user_id)) as ring:
        rows = Record.objects.filter(connection=connection)
        return {row.logical_id: ring.keyed_digest(bodies.of(row, ring)) for row in rows}


def reseal_some(holder, count):
    """Of the records alone, as a run does that is killed there."""
    key = DataKey.objects.get(holder_id=holder.id, is_retired=True)
    column = next(one for one in sealed_columns.everything() if one.table.model is Record)
    pks = [pk for pk, _size in column.left(holder, key.pk.bytes[:4])][:count]
    with transaction.atomic(), sealing.key_ring(holder) as ring:
        column.reseal(column.rows_of(holder).filter(pk__in=pks), ring, waits=False)


class TestACopy:
    @pytest.mark.parametrize("resealed", [0, 2, 99])
    def test_finds_unchanged_what_did_not_change_however_far_a_renewal_is(self, copied, holder, resealed):
        before = dict(Record.objects.values_list("logical_id", "received_at"))
        retiring.retire(holder)
        reseal_some(holder, resealed)
        run = sync(copied, at=LATER)
        assert (step(run).rows_changed, step(run).rows_kept) == (0, 2)
        assert dict(Record.objects.values_list("logical_id", "received_at")) == before
        assert not RecordVersion.objects.exists()
        digests = {row.logical_id: bytes(row.digest) for row in Record.objects.all()}
        assert digests == digests_of(copied)  # by the key that seals

    def test_finds_what_did_change_and_keeps_how_it_was(self, copied, provider, holder):
        retiring.retire(holder)
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), allergy("a2", note=[{"text": "new"}]), total=2))
        run = sync(copied, at=LATER)
        assert step(run).rows_changed == 1
        (version,) = RecordVersion.objects.all()
        assert version.record.logical_id == "a2"
        assert sealing.key_named_by(bytes(version.sealed_body)) == retiring.name_of(holder)

    def test_of_another_touches_nothing_of_this_one(self, copied, sam, holder):
        retiring.retire(holder)
        before = list(Record.objects.order_by("pk").values_list("sealed_body", "digest"))
        theirs = make_connection(sam, copied.endpoint)
        keep(theirs, *(Resource("AllergyIntolerance", name, b"{}") for name in ("a1", "a2")))
        assert (
            list(Record.objects.filter(user=copied.user).order_by("pk").values_list("sealed_body", "digest")) == before
        )

    def test_that_comes_after_all_is_done_finds_all_unchanged(self, copied, holder):
        retiring.begin(holder)
        retiring.end(holder)
        run = sync(copied, at=LATER)
        assert (step(run).rows_changed, step(run).rows_kept, RecordVersion.objects.count()) == (0, 2, 0)


class TestARowThatCameTwice:
    def test_is_there_once_when_the_renewal_is_over(self, copied, holder):
        """The same evidence came before the key was retired, and afterwards."""
        run = copied.sync_runs.get()
        strange = Resource("Goal", "g1", b'{"id":"g1"}')
        for _ in range(2):
            with transaction.atomic(), sealing.key_ring(holder) as ring:
                quarantining.keep(run, [strange], ring=ring, at=AT)
            retiring.retire(holder)
        assert QuarantinedRow.objects.count() == 2
        retiring.begin(holder)
        (row,) = QuarantinedRow.objects.all()
        assert bytes(row.digest) == sealing.keyed_digest(strange.body, holder=holder)

    def test_of_a_file_is_there_once_when_the_renewal_is_over(self, copied, holder):
        record = hold(copied, LETTER)
        storing.keep(record, LETTER, b"first", at=AT)
        first, number = Attachment.objects.get(), Attachment.objects.get().pk
        first.delete()
        retiring.retire(holder)
        storing.keep(record, LETTER, b"again", at=AT)
        first.pk = number
        Attachment.objects.bulk_create([first])  # as it was stored in the moment before
        retiring.begin(holder)
        assert (Attachment.objects.count(), storing.find(record, LETTER)) == (1, b"again")


class TestAKeptFile:
    def test_is_found_without_asking_all_the_while(self, copied, provider, holder):
        provider.answers[FILE] = http(body=PDF, content_type="application/pdf")
        record = hold(copied, LETTER)

        def content():
            return open_file(Record.objects.get(pk=record.pk), 0, clock=clock, seat=free).content

        assert content() == PDF
        for go_on in (retiring.retire, retiring.begin, retiring.end):
            go_on(holder)
            assert content() == PDF
        assert len(provider.sent(FILE)) == 1
        assert Attachment.objects.count() == 1

    def test_of_which_its_record_says_nothing_more_stays_for_whoever_copies_all(self, copied, holder):
        record = hold(copied, LETTER)
        storing.keep(record, LETTER, b"a letter", at=AT)
        hold(copied, linked_to("document/other"))
        retiring.begin(holder)
        retiring.end(holder)
        assert storing.find(record, LETTER) is None
        with sealing.key_ring(holder) as ring:
            assert [kept.content for kept in storing.all_of(copied.pk, copied.user_id, ring)] == [b"a letter"]


class TestWhatDoesNotOpen:
    def test_keeps_the_key_that_may_have_sealed_it_and_all_else_is_done(self, copied, holder, caplog):
        victim = Record.objects.get(logical_id="a1")
        spoilt = bytes(victim.sealed_body)[:-1] + b"\0"
        Record.objects.filter(pk=victim.pk).update(sealed_body=spoilt)
        assert retiring.begin(holder).emptied == 0
        assert f"Record.sealed_body of row {victim.pk}" in caplog.text
        left = {
            str(column): column.left(holder, spoilt[1:5])
            for column in sealed_columns.of(holder.kind)
            if column.left(holder, spoilt[1:5])
        }
        assert list(left) == ["Record.sealed_body"]
        assert retiring.end(holder).destroyed == 0
        assert DataKey.objects.filter(holder_id=holder.id, is_retired=True).count() == 1


class TestWhatIsWrittenBack:
    def test_by_somebody_who_read_it_before_is_found_before_the_key_goes(self, copied, holder):
        person = bytes(copied.sealed_person)
        retiring.begin(holder)
        copied.save()  # as it was loaded
        old = sealing.key_named_by(person)
        done = retiring.end(holder)
        assert (done.destroyed, done.emptied) == (0, 1)
        copied.refresh_from_db()
        assert sealing.key_named_by(bytes(copied.sealed_person)) == retiring.name_of(holder) != old
        assert retiring.end(holder).destroyed == 1


class TestLots:
    def test_are_small_and_all_is_done(self, copied, holder, monkeypatch):
        monkeypatch.setattr(sealed_columns, "_MOST_ROWS", 3)
        monkeypatch.setattr(sealed_columns, "_MOST_BYTES", 900)
        keep(copied, *(Resource("Goal", f"g{n}", json.dumps({"id": n}).encode()) for n in range(20)))
        assert retiring.begin(holder).emptied == 1
        assert {bytes(row.sealed_body)[1:5] for row in Record.objects.all()} == {retiring.name_of(holder)}

    def test_hold_no_more_than_they_may(self):
        left = [(n, size) for n, size in enumerate([5_000_000, 5_000_000, 20_000_000, *[10] * 450])]
        lots = list(sealed_columns._lots(left))
        assert [len(lot) for lot in lots] == [1, 1, 1, 200, 200, 50]
        assert [pk for lot in lots for pk in lot] == list(range(453))


class TestAPersonWhoseKeyIsRenewed:
    def test_reads_everything_and_stays_linked(self, hers, linked, soon, provider, holder):
        sync_now(linked)
        record = Record.objects.get(logical_id="a1")
        entry = reverse("entry", args=["allergies", record.pk])
        pages = [reverse("home"), reverse("whole_record"), reverse("subject", args=["allergies"]), entry]

        def read(told):
            answers = [hers.get(page) for page in pages]
            assert [answer.status_code for answer in answers] == [200] * len(pages)
            assert ["Pteridine" in answer.content.decode() for answer in answers] == told

        told = [False, True, True, True]
        read(told)
        steps: list[Callable[[Holder], object]] = [retiring.retire, retiring.begin, retiring.end]
        for hours, take in enumerate(steps, start=1):
            take(holder)
            read(told)
            tokens = {"access_token": f"access-{hours}", "refresh_token": f"refresh-{hours}", "expires_in": 3600}
            provider.answers[TOKEN] = http(body=tokens)
            token = refreshing.usable_token(linked, at=timezone.now() + timedelta(hours=hours))
            assert token.reveal() == f"access-{hours}"
        sent = [parse_qs(urlsplit(request.target).query)["refresh_token"] for request in provider.sent(TOKEN)]
        assert sent == [["refresh-canary"], ["refresh-1"], ["refresh-2"]]


@pytest.mark.django_db(transaction=True)
class TestCopiesThatComeMeanwhile:
    def test_lose_nothing_and_take_nothing_for_changed(self, linked, provider, holder, monkeypatch):
        """One after the other, while the key is renewed row by row: of two entries one changes each time."""
        monkeypatch.setattr(sealed_columns, "_MOST_ROWS", 1)
        sync(linked)
        has_ended = threading.Event()

        def copy(rounds):
            try:
                for number in range(rounds):
                    changed = allergy("a2", note=[{"text": f"time {number}"}])
                    provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), changed, total=2))
                    assert sync(linked, at=AT + timedelta(minutes=number + 1)).outcome == "complete"
            finally:
                has_ended.set()
                database.close()

        copying = threading.Thread(target=copy, args=[12])
        copying.start()
        begun = retiring.begin(holder)
        while not has_ended.wait(0.05):
            retiring.go_on(holder)
        copying.join()
        retiring.go_on(holder)
        assert begun.retired == 1
        versions = RecordVersion.objects.values_list("record__logical_id", flat=True)
        assert sorted(versions) == ["a2"] * 12
        assert {row.logical_id: bytes(row.digest) for row in Record.objects.all()} == digests_of(linked)
        assert retiring.end(holder).destroyed == 1
        assert shelving.unreadable(linked) == set()


@pytest.mark.django_db(transaction=True)
class TestARenewalWhileAProviderIsAsked:
    """All of it, between a question of ours and its answer."""

    @staticmethod
    def renewing(holder, answer):
        def renewed(_request):
            try:
                retiring.begin(holder)
            finally:
                database.close()
            return answer

        return renewed

    def test_leaves_a_refresh_its_tokens(self, linked, provider, holder):
        """They are sealed by the ring that opened the old ones, before the transaction that stores them."""
        old = retiring.name_of(holder)
        tokens = {"access_token": "second", "refresh_token": "third", "expires_in": 3600}
        provider.answers[TOKEN] = self.renewing(holder, http(body=tokens))
        at = AT + timedelta(hours=2)
        assert refreshing.usable_token(linked, at=at).reveal() == "second"
        stored = StoredTokenSet.objects.get()
        assert sealing.key_named_by(bytes(stored.sealed_refresh_token or b"")) == old
        assert refreshing.usable_token(linked, at=at).reveal() == "second"
        assert retiring.end(holder).destroyed == 0  # a look finds them
        assert retiring.end(holder).destroyed == 1
        assert refreshing.usable_token(linked, at=at).reveal() == "second"

    def test_leaves_a_copy_its_place_and_its_rows(self, linked, provider, holder):
        sync(linked)
        page = http(body=bundle(allergy("a1"), allergy("a2"), total=2))
        provider.answers[ALLERGIES] = self.renewing(holder, page)
        run = sync(linked, at=LATER)
        assert (run.outcome, step(run).rows_kept, step(run).rows_changed) == ("complete", 2, 0)
        assert not RecordVersion.objects.exists()
        assert retiring.end(holder).destroyed == 1
        assert {row.logical_id: bytes(row.digest) for row in Record.objects.all()} == digests_of(linked)


@pytest.mark.django_db(transaction=True)
class TestRowsThatComeTwiceMeanwhile:
    def test_stop_no_renewal_that_waits_for_them_while_they_wait_for_it(self, linked, holder, monkeypatch):
        """The same strange rows come again in the other order: one of both has to give way, and begins anew."""
        run = sync(linked)
        strange = [Resource("Goal", name, name.encode()) for name in ("g1", "g2")]
        half_way, may_go_on = threading.Event(), threading.Event()

        def keep_strange(*rows):
            with sealing.key_ring(holder) as ring:
                quarantining.keep(run, rows, ring=ring, at=AT)

        def pauses(column, changed):
            store(column, changed)
            if column.table.model is QuarantinedRow and not half_way.is_set():
                half_way.set()
                may_go_on.wait(10)

        def come_again():
            half_way.wait(10)
            with transaction.atomic():
                keep_strange(strange[1])
                may_go_on.set()
                time.sleep(0.3)  # the renewal waits for that row
                keep_strange(strange[0])

        keep_strange(*strange)
        store = DigestedColumn.store
        monkeypatch.setattr(DigestedColumn, "store", pauses)
        with elsewhere() as begin:
            other = begin(come_again)
            done = retiring.begin(holder)
            other.result()
        assert (done.retired, done.emptied + retiring.go_on(holder).emptied) == (1, 1)
        assert QuarantinedRow.objects.count() == 2
