"""Whatever happens to links, in any order, and while something else waits for the provider's answer: what must hold.

After each event, that is in `check`. In the end all is well for a day: then each link either works, or has ended for a
reason that is true.
"""

from collections.abc import Callable
from contextlib import suppress

import pytest
from django.db import transaction
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from apps.accounts.models import User
from apps.audit.models import AuditEvent
from apps.connections import refreshing
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import token_columns
from tests.portal.life_cycle_provider import LifeCycleProvider
from tests.portal.life_cycles import DAY, EVENTS, HOUR, MINUTE, NO_TOKEN, WAITS, LifeCycles


class LifeCycleMachine(RuleBasedStateMachine):
    """`make_provider(interface=…, rotates=…)`, `make_user(email)` and `patch` are the test's."""

    make_provider: Callable[..., LifeCycleProvider]
    make_user: Callable[[str], User]
    patch: pytest.MonkeyPatch

    def __init__(self) -> None:
        super().__init__()
        self.lives: LifeCycles | None = None
        self.all_of_it = transaction.atomic()
        self.all_of_it._from_testcase = True  # type: ignore[attr-defined]  # what must not be nested may be
        self.all_of_it.__enter__()

    @initialize(interface=st.sampled_from(["smart", "patient-access"]), rotates=st.booleans())
    def begin(self, interface: str, rotates: bool) -> None:
        self.provider = type(self).make_provider(interface=interface, rotates=rotates)
        self.lives = LifeCycles(self.provider, type(self).make_user, type(self).patch)
        self.records = self.records_of_sam = 0
        self.records_of_sam = self.lives.records(self.lives.sam)
        self.check()

    @rule(event=st.sampled_from(EVENTS), number=st.integers(0, 3))
    def happens(self, event: str, number: int) -> None:
        getattr(self.lives, event)(number)
        self.check()

    @rule(
        event=st.sampled_from(WAITS), number=st.integers(0, 3), after=st.integers(0, 4), other=st.sampled_from(EVENTS)
    )
    def crosses(self, event: str, number: int, after: int, other: str) -> None:
        assert self.lives is not None
        self.lives.meanwhile = (after, other, number)
        self.happens(event, number)
        self.lives.meanwhile = None

    @rule(seconds=st.sampled_from([5.0, 7 * MINUTE, 7 * MINUTE, HOUR, 25 * HOUR, 47 * HOUR, 49 * HOUR, 120 * DAY]))
    def time_passes(self, seconds: float) -> None:
        assert self.lives is not None
        self.lives.wait(seconds)

    def check(self) -> None:
        assert self.lives is not None
        assert self.provider.faults == []
        for stored in StoredTokenSet.objects.select_related("connection"):
            assert stored.connection.status != Connection.Status.DISCONNECTED
            assert stored.registration_id == stored.connection.registration_id
            token_columns.access_token(stored.connection, stored)
            assert token_columns.refresh_token(stored.connection, stored) is not None
        assert self.lives.records(self.lives.sam) == self.records_of_sam > 1
        before, self.records = self.records, self.lives.records(self.lives.alice)
        assert self.records >= before or self.lives.erases, "entries were lost"
        self.lives.erases = False
        assert "canary" not in repr(list(AuditEvent.objects.values_list("facts", flat=True)))

    def teardown(self) -> None:
        try:
            if self.lives is not None:
                self._end_well()
        finally:
            transaction.set_rollback(True)
            self.all_of_it.__exit__(None, None, None)

    def _end_well(self) -> None:
        """Then nothing is left to chance."""
        assert self.lives is not None
        self.lives.all_is_well_for_a_day()
        self.check()
        for connection in Connection.objects.living():
            self._check_standing(connection)

    def _check_standing(self, connection: Connection) -> None:
        token = token_columns.refresh_token(connection, StoredTokenSet.objects.get(pk=connection.pk))
        assert self.lives is not None
        assert token is not None
        issued = self.provider.issued[token.reveal()]
        if issued.host not in self.provider.known:
            return  # staff withdrew the approval of where it was issued: it waits for them, or for a sign-in
        if connection.status == Connection.Status.ACTIVE:
            with suppress(*NO_TOKEN):
                refreshing.usable_token(connection, at=self.lives.at)
            connection.refresh_from_db()
        is_active = connection.status == Connection.Status.ACTIVE
        is_over_in_time = connection.reason in {"window_over", "idle_limit_over"}
        is_honoured = self.provider.honours(token.reveal())
        assert is_honoured or not is_active, "a link is over, and nobody says so"
        assert is_active or is_over_in_time or not is_honoured, "somebody is asked to sign in without need"
        assert is_honoured or is_over_in_time or not self.provider.holds(issued.permission), "a successor was lost"
