"""What may happen in the life of a copy: at its provider, on the way, and here. Each event is one call into the domain,
as an edge makes it; its number chooses among cases.

Tests of order are in `copy_life_machine`.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db.models import F

from apps.accounts.models import User
from apps.audit.recording import Actor
from apps.connections.models import Connection, StoredTokenSet
from apps.directory import switching
from apps.directory.models import ClientRegistration, Endpoint
from apps.portal import disconnection
from apps.records import shelving, syncing
from apps.records.models import Shelf, SyncRun
from apps.records.shelving.indexing import FORM
from apps.records.syncing import due, fetching, pruning, stepping, updating_shelves
from apps.vault import renewing
from apps.vault.renewing import Chosen
from tests.records import copy_life_rows as rows
from tests.records.copy_life_provider import FAULTS, CopyLifeProvider, Fault
from tests.records.linked import give_tokens, make_connection, make_endpoint
from tests.records.people import PATIENT_ID

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
STAFF = Actor.system("tests")
MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
# While each of these waits for an answer, any of EVENTS may happen.
WAITS = ("sync", "beat")
AT_THE_PROVIDER = (
    *("add", "add", "add", "change", "change", "delete", "mistake", "move", "comes_back", "touch", "changes_silently"),
    *("rename", "is_born", "cannot_be_read", "strange", "withhold", "brings_along", "tells_changes", "changes_version"),
    *("goes_wrong", "goes_wrong", "is_well", "expires"),
)
HERE = (
    *("sync", "sync", "sync", "beat", "beat", "dies", "breaks", "is_overtaken", "switch", "renew_keys", "form_rises"),
    *("prune", "ends_and_links_again", "keeps_copy"),
)
EVENTS = (*AT_THE_PROVIDER, *HERE)
_CALLS = (
    *((fetching.Source, name) for name in ("ask", "answer", "capability")),
    *((stepping, name) for name in ("begin", "store", "close")),
    (updating_shelves, "update"),
)

_NAMED_ELSEWHERE = ("MedicationRequest", "MedicationOrder")


class Died(BaseException):
    """A worker died: it neither cleans up nor writes anything down."""


class CopyLives:
    """Alice, and the copy of her record at one provider. `patch` lasts as long as this is used."""

    def __init__(self, provider: CopyLifeProvider, alice: User, patch: pytest.MonkeyPatch) -> None:
        self.provider, self.alice = provider, alice
        self.elapsed = 0.0
        self.names = 0
        self.meanwhile: tuple[int, str, int] | None = None  # after so many calls, this event
        self.dies_after: int | None = None
        self.death: type[BaseException] = Died
        self.gone: list[dict[str, Any]] = []  # what the provider deleted
        self.silent: set[rows.Key] = set()  # what only a search for everything shows
        self.unknown: set[str] = set()  # types whose rows only another search for everything can show
        for place, name in _CALLS:
            original = getattr(place, name)
            patch.setattr(place, name, self._crossed(getattr(original, "original", original)))
        self.endpoint: Endpoint = make_endpoint(
            provider.base_url, version=provider.version, token_url=provider.server.url("/oauth/token")
        )
        ClientRegistration.objects.update(requests_per_minute=100_000, parallel_requests=1)
        for kind in rows.REFERRED:
            for number in range(3):
                provider.put(rows.referred(kind, number, name=self._name(), version=provider.version))
        self.link()

    @property
    def at(self) -> datetime:
        return START + timedelta(seconds=self.elapsed)

    @property
    def connection(self) -> Connection:
        """As it is now."""
        related = ("endpoint__authorization_server", "registration__authorization_server", "provider", "user")
        return Connection.objects.select_related(*related).get(pk=self._linked.pk)

    def link(self) -> None:
        """Alice links her record, and confirms that it is hers."""
        at = self.at
        self._linked = make_connection(self.alice, self.endpoint, created_at=at, confirmed_at=at)
        self._sign_in()

    def wait(self, seconds: float) -> None:
        """Move every clock: the database's by moving what was written on it into the past."""
        self.elapsed += seconds
        self.provider.now = self.at
        by = timedelta(seconds=seconds)
        SyncRun.objects.update(lease_until=F("lease_until") - by)
        Shelf.objects.update(tried_at=F("tried_at") - by)
        StoredTokenSet.objects.update(lease_until=F("lease_until") - by)
        if seconds >= DAY:
            self._sign_in()

    def _sign_in(self) -> None:
        """The link itself holds: that it does is told in the life of a link."""
        self.provider.tokens.add("access-canary")
        give_tokens(self.connection, issued_at=self.at)

    def _crossed(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """The same call, in which something else may happen, or the worker die, before its answer is known here."""

        def call(*args: Any, **named: Any) -> Any:
            found = original(*args, **named)
            if self.dies_after is not None:
                self.dies_after -= 1
                if self.dies_after < 0:
                    self.dies_after = None
                    raise self.death
            if self.meanwhile is not None:
                after, event, number = self.meanwhile
                self.meanwhile = (after - 1, event, number) if after else None
                if not after:
                    getattr(self, event)(number)
            return found

        call.original = original  # type: ignore[attr-defined]
        return call

    # At the provider

    def _name(self) -> str:
        self.names += 1
        return f"Canary{self.names:04}"

    def _some(self, number: int, kind: str = "") -> dict[str, Any] | None:
        found = [one for key, one in sorted(self.provider.held.items()) if key[0] != "Patient" and kind in key[0]]
        return found[number % len(found)] if found else None

    def add(self, number: int) -> None:
        self.add_one(self._kind(number), self._name())

    def add_one(self, kind: str, name: str) -> None:
        self.provider.put(rows.made(kind, self.names, name=name, version=self.provider.version))

    def change(self, number: int) -> None:
        if (one := self._some(number)) is not None:
            self.provider.put(rows.named(one, self._name()))

    def changes_silently(self, number: int) -> None:
        """It has another version, and the time of its last change stays."""
        if (one := self._some(number)) is not None:
            self.silent.add(rows.key(one))
            self.provider.put(rows.named(one, self._name()), is_stamped=False)

    def touch(self, number: int) -> None:
        if (one := self._some(number)) is not None:
            self.provider.put(one)

    def mistake(self, number: int) -> None:
        if (one := self._some(number)) is not None:
            self.provider.put(rows.mistaken(one))

    def move(self, number: int) -> None:
        if (one := self._some(number, "Observation")) is not None:
            self.provider.put(rows.moved(one, version=self.provider.version))

    def delete(self, number: int) -> None:
        if (one := self._some(number)) is not None:
            self.gone.append(self.provider.held.pop(rows.key(one)))
            self.silent.add(rows.key(one))

    def comes_back(self, number: int) -> None:
        """Under its old id, as it was or changed."""
        if self.gone:
            one = self.gone.pop(number % len(self.gone))
            if number % 3 == 2:
                self.silent.add(rows.key(one))
            self.provider.put(rows.named(one, self._name()) if number % 2 else one, is_stamped=number % 3 < 2)

    def rename(self, number: int) -> None:
        """A doctor, a medicine or a clinic."""
        named = {"name": self._name(), "version": self.provider.version}
        self.provider.put(rows.referred(rows.REFERRED[number % 3], number // 3 % 3, **named))

    def is_born(self, number: int) -> None:
        """On another day, by a correction."""
        patient = self.provider.held["Patient", PATIENT_ID]
        self.provider.put(patient | {"birthDate": f"19{50 + number}-03-09"})

    def cannot_be_read(self, number: int) -> None:
        """One of them; or it can be read again."""
        key = sorted(self.provider.referred)[number % len(self.provider.referred)]
        if self.provider.unread.pop(key, None) is None:
            self.provider.unread[key] = (404, 410, 503, 403)[number % 4]

    def strange(self, number: int) -> None:
        self.provider.strange ^= {self._kind(number)}

    def withhold(self, number: int) -> None:
        self.provider.withheld ^= {self._kind(number)}

    def brings_along(self, number: int) -> None:
        self.provider.along = {} if self.provider.along else {self._kind(number): self._kind(number // 3)}

    def tells_changes(self, number: int) -> None:
        self.provider.tells_changes = not self.provider.tells_changes

    def changes_version(self, number: int) -> None:
        """The provider moves to the other version of FHIR: prescriptions have another type there, and other ids."""
        before, self.provider.version = self.provider.version, "dstu2" if self.provider.version == "r4" else "r4"
        old, new = (rows.types(version)[3] for version in (before, self.provider.version))
        for one in [one for key, one in sorted(self.provider.held.items()) if key[0] == old]:
            self.provider.held.pop(rows.key(one))
            self.add_one(new, self._name())
        self.unknown |= {*rows.types("r4"), *rows.types("dstu2")}

    def goes_wrong(self, number: int) -> None:
        """Once or twice, or until further notice."""
        kinds = (*rows.types(self.provider.version), *rows.REFERRED, "Patient", "metadata", "token")
        kind = FAULTS[number % len(FAULTS)]
        self.provider.faults[kinds[number % len(kinds)]] = Fault(kind, (1, 2, 999)[number % 3], page=1 + number % 2)

    def is_well(self, number: int) -> None:
        self.provider.faults.clear()

    def expires(self, number: int) -> None:
        self.provider.tokens.clear()

    def _kind(self, number: int) -> str:
        kinds = rows.types(self.provider.version)
        return kinds[number % len(kinds)]

    # Here

    def sync(self, number: int) -> None:
        with suppress(syncing.NotSyncable):
            run = syncing.start(self.connection, cause=SyncRun.Cause.PATIENT, at=self.at)
            syncing.advance(run.pk, at=self.at)

    def beat(self, number: int) -> None:
        """What the clock does each minute."""
        for connection in due.due_for_sync(self.at):
            syncing.start(connection, cause=SyncRun.Cause.SCHEDULE, at=self.at)
        for _turn in range(3):
            syncing.advance_next(at=self.at)
        shelving.renew_some(at=self.at)

    def dies(self, number: int) -> None:
        """A worker, after so many calls. Nobody takes its run up for two minutes."""
        self.dies_after = number
        with suppress(Died):
            self.sync(number)
        self.dies_after = None

    def breaks(self, number: int) -> None:
        """A mistake of ours, after so many calls."""
        self.dies_after, self.death = number, RuntimeError
        with suppress(RuntimeError):
            self.sync(number)
        self.dies_after, self.death = None, Died

    def is_overtaken(self, number: int) -> None:
        """A worker that was slow: another one takes its run."""
        self.wait(5 * MINUTE)
        self.beat(number)

    def switch(self, number: int) -> None:
        for one in ClientRegistration.objects.all():
            switching.switch_registration(one, is_on=not one.is_switched_on, actor=STAFF, at=self.at)

    def renew_keys(self, number: int) -> None:
        chosen = Chosen(made_before=datetime.now(UTC) + timedelta(days=1))
        renewing.renew(chosen, actor=STAFF, at=self.at, tell=lambda _step, _count: None)

    def form_rises(self, number: int) -> None:
        """As by a release that changes what shelves hold."""
        Shelf.objects.update(form=FORM - 1, tried_at=None)
        if number % 2:
            shelving.renew_some(at=self.at)

    def prune(self, number: int) -> None:
        pruning.prune(at=self.at)

    def ends_and_links_again(self, number: int) -> None:
        disconnection.disconnect(self.connection, keeps_copy=False, at=self.at)
        self.link()

    def keeps_copy(self, number: int) -> None:
        """Alice ends the link, keeps its copy, and links her record once more."""
        disconnection.disconnect(self.connection, keeps_copy=True, at=self.at)
        self.link()

    # In the end

    def names_listed(self) -> list[str]:
        """What lists should show now."""
        listed = [one for key, one in self.provider.held.items() if key[0] not in {"Patient", *_NAMED_ELSEWHERE}]
        return [rows.name_of(one) for one in listed if "entered-in-error" not in str(one)]

    def all_is_well(self) -> None:
        """The provider answers, staff switched us on, and nothing is withheld."""
        self.meanwhile = None
        self.provider.faults.clear()
        self.provider.strange.clear()
        self.provider.unread.clear()
        self.provider.withheld.clear()
        for one in ClientRegistration.objects.filter(is_switched_on=False):
            switching.switch_registration(one, is_on=True, actor=STAFF, at=self.at)
