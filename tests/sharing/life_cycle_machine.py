"""Whatever happens to shares, in any order: visitors, programs and the owner must find what is true now.

After each event, that is in `check`.
"""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.test import Client
from django.urls import reverse
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from apps.accounts.models import User
from apps.audit.models import AuditEvent
from apps.records.models import Record
from apps.sharing import file_tickets
from apps.sharing.models import Share
from tests.records.exporting.taking import text
from tests.sharing.life_cycle_record import PLAIN, Row
from tests.sharing.life_cycle_shares import Given, Opened, Source
from tests.sharing.life_cycles import COOKIE_LASTS, EVENTS, ShareLives, count_anew

_WAITS = [
    *(timedelta(seconds=11), timedelta(minutes=11), timedelta(minutes=31)),
    *(timedelta(hours=20), timedelta(days=8), timedelta(days=40)),
]
_TICK = timedelta(seconds=30)


def named_in(said: str) -> set[str]:
    return set(re.findall(r"Canary\d+x", said))


class ShareMachine(RuleBasedStateMachine):
    """`servers` of two providers, `make_user(email)`, `patch(lives)`, which moves every clock, and `heard()`, the log
    since the last time, are the test's."""

    servers: Any
    make_user: Callable[[str], User]
    patch: Callable[[ShareLives], None]
    heard: Callable[[], str]

    def __init__(self) -> None:
        super().__init__()
        self.turn = 0
        self.all_of_it = transaction.atomic()
        self.all_of_it._from_testcase = True  # type: ignore[attr-defined]  # what must not be nested may be
        self.all_of_it.__enter__()

    @initialize()
    def begin(self) -> None:
        self.lives = ShareLives(type(self).servers, type(self).make_user, type(self).patch)
        self.check()

    @rule(event=st.sampled_from(EVENTS), number=st.integers(0, 200))
    def happens(self, event: str, number: int) -> None:
        self.lives.wait(_TICK)
        getattr(self.lives, event)(number)
        self.check()

    @rule(by=st.sampled_from(_WAITS))
    def time_passes(self, by: timedelta) -> None:
        self.lives.wait(by)
        self.check()

    def check(self) -> None:
        """Of two shares in turn: all of them would take too long."""
        self.turn += 1
        known = [*self.lives.given, *self.lives.gone]
        for one in [known[(self.turn + step) % len(known)] for step in range(2)]:
            count_anew()
            for who in range(len(one.browsers)):
                self._check_visitor(one, who)
        if self.lives.given:
            self._check_program(self.lives.given[self.turn % len(self.lives.given)])
            self._check_owner(self.lives.given[-1 - self.turn % len(self.lives.given)])
        assert Share.objects.filter(user=self.lives.alice).count() == len(self.lives.given)
        assert not named_in(type(self).heard() + repr(list(AuditEvent.objects.values_list("facts", flat=True))))

    def _check_visitor(self, one: Given, who: int) -> None:
        browser, visit = one.browsers[who], one.visits.get(who)
        if visit is not None and self.lives.at > visit.at + COOKIE_LASTS:
            visit = None
        answer = browser.get(one.address)
        said = text(answer)
        assert answer["Cache-Control"] == "no-store, private"
        if visit is None or not self.lives.shows(one):
            assert not named_in(said)
            assert answer.status_code == (200 if self.lives.shows(one) else 404)
        else:
            assert answer.status_code == 200
            self._check_named(one, said)
        offered = {address for source in self.lives.sources for address in self._files(one, source, browser, visit)}
        linked = set(re.findall(r'href="([^"]*entry-files/[^"]*)"', said))
        assert linked == offered or (self.lives.broken() and linked >= offered)

    def _check_named(self, one: Given, said: str) -> None:
        rows, broken = self.lives.rows(one), self.lives.broken()
        assert named_in(said) - broken == rows.keys() - broken
        for row in rows.values():
            assert row.kind != "Observation" or row.reveals == PLAIN or row.inside not in said

    def _files(self, one: Given, source: Source, browser: Client, visit: Opened | None) -> set[str]:
        """Try every file of this source, and return the addresses of those that may be opened."""
        offered = set()
        keys = dict(Record.objects.filter(connection=source.connection).values_list("logical_id", "pk"))
        for row in (row for row in source.held.values() if row.has_file):
            ticket = file_tickets.of(one.share, keys[f"n{row.number}"], 0)
            address = reverse("shared_entry_file", args=[one.terms.token, ticket])
            may = visit is not None and self.lives.may_open(one, source, row)
            answer = browser.get(address)
            assert answer["Cache-Control"] == "no-store, private"
            self._check_file(answer, row, may=may)
            if may:
                offered.add(address)
            if visit is not None and may and row.inside in answer.content.decode():
                visit.files.add(ticket)
        return offered

    @staticmethod
    def _check_file(answer: Any, row: Row, *, may: bool) -> None:
        content = answer.content.decode()
        assert ("Inside" in content) <= (may and row.inside in content)
        assert (answer.status_code == 200) >= may

    def _check_program(self, one: Given) -> None:
        count_anew()
        got = self.lives.fetched(one)
        if got is not None:
            rows, broken = self.lives.rows(one), self.lives.broken()
            lasting = {word for word, row in rows.items() if row.kind in {"AllergyIntolerance", "Condition"}}
            assert lasting - broken <= named_in(got) - broken <= rows.keys()

    def _check_owner(self, one: Given) -> None:
        said = text(self.lives.hers[1].get(reverse("share", args=[one.share.pk])))
        assert ("Share ready until" in said) == self.lives.opens(one)
        assert ("Anyone who opens the link reads that" in said) == (self.lives.opens(one) and not self.lives.shows(one))
        receipts = said.partition("Who opened it")[2]
        assert (f"Opened {len(one.opened)} time" if one.opened else "Not opened yet") in receipts
        files = [len(each.files) for each in one.opened if each.files]
        assert sorted(map(int, re.findall(r"Opened (\d+) files?,", receipts))) == sorted(files)
        logged = list(AuditEvent.objects.filter(subject_id=str(one.share.pk)).values_list("event", flat=True))
        assert logged.count("share.opened") == len(one.opened) + one.owner_opened
        assert logged.count("share.file_opened") == sum(files)
        assert logged.count("share.refused") == one.refused
        assert logged.count("share.ended") == int(one.is_ended)
        preview = self.lives.hers[0].get(reverse("preview_share", args=[one.share.pk]))
        assert preview.status_code == (200 if self.lives.is_of_somebody(one) else 404)
        if preview.status_code == 200:
            self._check_named(one, text(preview).rpartition("Health record of")[2])

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.all_of_it.__exit__(None, None, None)
