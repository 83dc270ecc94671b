"""Whatever happens to a copy, in any order, and while a worker waits for the provider's answer: what must hold.

After each event here, that is in `check`: each row is what its provider sent, and shelves stand as they would if built
anew. A run that says that a type is complete is believed only if it is. In the end all is well for some days: then the
copy is what the provider holds, its pages, its ledger and its downloads tell that, and nothing is asked for again.
"""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import transaction
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from apps.accounts.models import User
from apps.connections.models import Connection
from apps.records.models import SyncRun, SyncStep
from tests.records import copy_life_looks as looks
from tests.records import copy_life_rows as rows
from tests.records import copy_life_shelves as shelves
from tests.records.copy_life_provider import CopyLifeProvider, body_of
from tests.records.copy_lives import AT_THE_PROVIDER, DAY, EVENTS, HERE, HOUR, MINUTE, WAITS, CopyLives

Status = SyncStep.Status


class CopyLifeMachine(RuleBasedStateMachine):
    """`make_provider(version=…)`, `make_user(email)` and `patch` are the test's."""

    make_provider: Callable[..., CopyLifeProvider]
    make_user: Callable[[str], User]
    patch: pytest.MonkeyPatch

    def __init__(self) -> None:
        super().__init__()
        self.lives: CopyLives | None = None
        self.ended: set[UUID] = set()
        self.all_of_it = transaction.atomic()
        self.all_of_it._from_testcase = True  # type: ignore[attr-defined]  # what must not be nested may be
        self.all_of_it.__enter__()

    @initialize(version=st.sampled_from(["r4", "dstu2"]), kind=st.integers(0, 7))
    def begin(self, version: str, kind: int) -> None:
        how = {"tells_changes": kind % 2 == 0, "counts": kind // 2 % 2 == 0, "brings_provenance": kind // 4 == 1}
        self.provider = type(self).make_provider(version=version, **how)
        self.lives = CopyLives(self.provider, type(self).make_user("alice@example.org"), type(self).patch)
        for number in range(12):
            self.lives.add(number)
        self.happens("sync", 0)

    @rule(event=st.sampled_from(AT_THE_PROVIDER), number=st.integers(0, 30))
    def something_changes(self, event: str, number: int) -> None:
        getattr(self.lives, event)(number)

    @rule(event=st.sampled_from(HERE), number=st.integers(0, 30))
    def happens(self, event: str, number: int) -> None:
        getattr(self.lives, event)(number)
        self.check()
        self.check_proofs(is_alone=True)

    @rule(
        event=st.sampled_from(WAITS), number=st.integers(0, 30), after=st.integers(0, 40), other=st.sampled_from(EVENTS)
    )
    def crosses(self, event: str, number: int, after: int, other: str) -> None:
        assert self.lives is not None
        self.lives.meanwhile = (after, other, number)
        getattr(self.lives, event)(number)
        self.lives.meanwhile = None
        self.check()
        self.check_proofs(is_alone=False)

    @rule(
        seconds=st.sampled_from([5.0, 7 * MINUTE, 40 * MINUTE, HOUR, 25 * HOUR, 25 * HOUR, 4 * DAY, 8 * DAY, 31 * DAY])
    )
    def time_passes(self, seconds: float) -> None:
        assert self.lives is not None
        self.lives.wait(seconds)

    @rule(among=st.integers(0, 3))
    def somebody_looks(self, among: int) -> None:
        """Once in a while, as this takes long."""
        assert self.lives is not None
        if among:
            return
        at = self.lives.at + timedelta(seconds=1)
        told = looks.told_in_lists(self.lives.alice, at=at)
        held = [body for one in Connection.objects.all() for body in shelves.held(one).values()]
        assert not [name for name in told if not any(name.encode() in body for body in held)], "not held any more"
        looks.check_downloads(self.lives.connection, at=at)

    def check(self) -> None:
        assert self.lives is not None
        for connection in Connection.objects.select_related("endpoint", "user"):
            bodies = [*shelves.held(connection).items(), *shelves.earlier(connection)]
            for key, body in bodies:
                assert body in self.provider.ever.get(key, ()), f"{key} was never sent"
            if self._is_shelved(connection):
                stand, anew = shelves.standing(connection), shelves.built_anew(connection)
                differ = [place for place in {**stand, **anew} if stand.get(place) != anew.get(place)]
                assert not differ, f"out of date: {differ}"

    def check_proofs(self, *, is_alone: bool) -> None:
        """Whether what the newest run calls complete is so, if nothing else happened during it. Of the types in
        `CopyLives.unknown`, only a search for everything can say."""
        assert self.lives is not None
        run = SyncRun.objects.filter(connection=self.lives.connection).order_by("-created_at").first()
        if run is None or run.finished_at is None or run.pk in self.ended:
            return
        self.ended.add(run.pk)
        if not is_alone or run.created_at != self.lives.at:
            self.lives.unknown |= set(rows.types(self.provider.version))
            return
        self._check_types(run)

    def _check_types(self, run: SyncRun) -> None:
        assert self.lives is not None
        current = shelves.held(self.lives.connection, removed_at__isnull=True)
        released = self.provider.released()
        for step in run.steps.filter(status=Status.COMPLETE, resource_type__in=rows.types(self.provider.version)):
            name = step.resource_type
            if name in self.provider.deceived:
                self.provider.deceived.discard(name)
                self.lives.unknown.add(name)
                continue
            if step.since_at is None:
                self.lives.unknown.discard(name)
                self.lives.silent = {key for key in self.lives.silent if key[0] != name}
            if name not in self.lives.unknown:
                mine = {key: body for key, body in current.items() if key[0] == name and key not in self.lives.silent}
                there = {key: body for key, body in released.items() if key[0] == name and key not in self.lives.silent}
                assert mine == there, f"{name} is said to be complete"

    def _is_shelved(self, connection: Connection) -> bool:
        """Whether no run is open, and none left anything off the shelves."""
        of_it = SyncStep.objects.filter(run__connection=connection)
        return not (
            SyncRun.objects.filter(connection=connection, finished_at=None).exists()
            or of_it.filter(needs_shelf=True).exists()
        )

    def teardown(self) -> None:
        try:
            if self.lives is not None:
                self._end_well()
        finally:
            transaction.set_rollback(True)
            self.all_of_it.__exit__(None, None, None)

    def _end_well(self) -> None:
        assert self.lives is not None
        self.lives.all_is_well()
        for days in (8, 2):
            self._pass(days)
        connection = self.lives.connection
        run = SyncRun.objects.filter(connection=connection).order_by("-created_at").first()
        assert run is not None
        gaps = [(step.resource_type, step.gap) for step in run.steps.all() if step.gap not in {"", "not_offered"}]
        assert (run.outcome, gaps) == ("complete", [])
        current = shelves.held(connection, removed_at__isnull=True)
        released = self.provider.released()
        types = {"Patient", *rows.types("r4"), *rows.types("dstu2")}
        assert {key: body for key, body in current.items() if key[0] in types} == released
        for key, resource in self.provider.referred.items():
            if any(f'"{"/".join(key)}"' in text.decode() for text in released.values()):
                assert current.get(key) == body_of(resource), f"{key} is not as it is now"
        assert not SyncStep.objects.filter(needs_shelf=True).exists()
        assert looks.ledger_faults(connection, at=self.lives.at) == []
        looks.check_downloads(connection, at=self.lives.at)
        told = looks.told_in_lists(self.lives.alice, at=self.lives.at)
        assert not [name for name in self.lives.names_listed() if name not in told], "an entry is in no list"
        before, sent = shelves.held(connection), self.provider.rows_sent
        self._pass(1)
        assert shelves.held(connection) == before
        assert not self.provider.tells_changes or self.provider.rows_sent == sent, "rows were asked for again"

    def _pass(self, days: int) -> None:
        assert self.lives is not None
        self.lives.wait(days * DAY)
        for _turn in range(12):
            self.lives.beat(0)
            if not SyncRun.objects.filter(finished_at=None).exists():
                break
            self.lives.wait(31 * MINUTE)
        self.check()
