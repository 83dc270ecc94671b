"""A renewal of data keys freezes in the middle, at any statement, and continues days later."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

import pytest
from django.db import connection as database
from django.utils import timezone

from apps.portal import closing
from apps.vault import idle_timeout, renewing, sealed_columns, sealing
from apps.vault.holders import Holder, Place
from apps.vault.models import DataKey
from tests.portal import leavers, sealed_everywhere
from tests.vault import retiring

pytestmark = pytest.mark.django_db(transaction=True)

PLACE = Place("test", "field", ("1",))
STEPS = {
    "retire": ("FOR UPDATE", 'UPDATE "vault_datakey"', 'INSERT INTO "vault_datakey"'),
    "empty": ("FOR KEY SHARE", "FOR NO KEY UPDATE", 'UPDATE "records_record"', "unused_since"),
    "destroy": ("FOR UPDATE", "LENGTH(", 'DELETE FROM "vault_datakey"'),
}
PLACES = [(step, statement, is_after) for step, some in STEPS.items() for statement in some for is_after in (0, 1)]


class Frozen:
    """A renewal that stands still before or after the first such statement until it is thawed."""

    def __init__(self, statement: str, *, is_after: bool) -> None:
        self.statement, self.is_after = statement, is_after
        self.is_frozen, self.may_go_on = threading.Event(), threading.Event()

    def __call__(self, execute, sql, *given):
        is_the_one = self.statement in str(sql) and not self.is_frozen.is_set()
        if is_the_one and not self.is_after:
            self._freeze()
        answer = execute(sql, *given)
        if is_the_one and self.is_after:
            self._freeze()
        return answer

    def _freeze(self) -> None:
        self.is_frozen.set()
        assert self.may_go_on.wait(30)


@contextmanager
def frozen(work, statement, *, is_after):
    """As long as the block lasts; it must end without an error afterwards."""
    standing = Frozen(statement, is_after=bool(is_after))

    def run():
        try:
            with database.execute_wrapper(standing):
                return work()
        finally:
            database.close()

    with ThreadPoolExecutor(1) as threads:
        work_done = threads.submit(run)
        try:
            assert standing.is_frozen.wait(20)
            yield
        finally:
            standing.may_go_on.set()
        work_done.result(30)


def renewal(step, holder):
    """From this step on."""
    return partial(retiring.begin if step == "retire" else retiring.go_on, holder)


def bring_to(step, holder):
    """What comes before it."""
    retiring.make_old()
    if step == "empty":
        assert retiring.retire(holder)
    if step == "destroy":
        retiring.begin(holder)
        retiring.let_a_day_pass()


def renew_again(holder):
    """Somebody else, for days: what was begun, its end, and the next renewal."""
    for _day in range(2):
        retiring.begin(holder)
        retiring.let_a_day_pass()
        retiring.go_on(holder)


def can_seal(holder):
    sealed = sealing.seal(b"x", holder=holder, place=PLACE)
    return sealing.open_sealed(sealed, holder=holder, place=PLACE) == b"x"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    monkeypatch.setattr(idle_timeout, "_MOST_SILENT", "300ms")
    monkeypatch.setattr(renewing, "_PATIENCE", "SET LOCAL lock_timeout = '100ms'")


@pytest.mark.parametrize(("step", "statement", "is_after"), PLACES)
class TestARenewalThatIsFrozen:
    def test_stands_in_nobodys_way_and_costs_nothing(self, alice, endpoint, provider, step, statement, is_after):
        sealed_everywhere.fill(alice, endpoint, provider)
        holder, before = Holder.user(alice.pk), sealed_everywhere.readings(alice)
        bring_to(step, holder)
        with frozen(renewal(step, holder), statement, is_after=is_after):
            assert sealed_everywhere.readings(alice) == before
            assert can_seal(holder)
            renew_again(holder)
            assert sealed_everywhere.readings(alice) == before
        assert sealed_everywhere.readings(alice) == before
        renew_again(holder)
        assert sealed_everywhere.readings(alice) == before
        assert not DataKey.objects.filter(holder_id=alice.pk, is_retired=True).exists()

    def test_keeps_no_account_from_being_closed_and_brings_nothing_back(
        self, alice, endpoint, provider, step, statement, is_after
    ):
        leavers.link(alice, endpoint, provider)
        holder = Holder.user(alice.pk)
        bring_to(step, holder)
        with frozen(renewal(step, holder), statement, is_after=is_after):
            closing.close(alice, at=timezone.now())
        retiring.end(holder)
        (key,) = DataKey.objects.filter(holder_id=alice.pk)
        assert (key.wrapped, key.is_retired, key.shredded_at is not None) == (None, False, True)
        assert not any(column.rows_of(holder).exists() for column in sealed_columns.of(holder.kind))
