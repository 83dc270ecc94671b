"""What may happen in the life of a link: to Alice, who has any number of links to one provider, and to Sam, who has
one and does nothing. Each event is one call into the domain, as an edge makes it; its number chooses among cases.

Tests of order are in `life_cycle_machine`.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest
from django.db import transaction
from django.db.models import F

from apps.accounts.models import User
from apps.audit.recording import Actor
from apps.connections import moving, refreshing, revoking
from apps.connections.authorization_requests import binding, creating
from apps.connections.callback import completing, confirming
from apps.connections.ending import purging
from apps.connections.lapse_warnings import lapsed_links
from apps.connections.models import AuthorizationRequest, Connection, StoredTokenSet
from apps.connections.refreshing import (
    access_tokens,
    attempting,
    choosing,
    doubting,
    early_refreshes,
    fault_isolation,
    parking,
)
from apps.directory import credentials, discovering, registering, switching
from apps.directory.models import ClientRegistration, Endpoint, KnownOrigins
from apps.portal import closing, disconnection, starting
from apps.records import syncing
from apps.records.models import Record, SyncRun
from apps.records.syncing import fetching
from apps.vault import renewing
from apps.vault.renewing import Chosen
from apps.wire import token_endpoint
from apps.wire.dialects import DIALECTS
from apps.wire.errors import WireError
from apps.wire.secret import Secret
from tests.directory.importing.lists import import_json
from tests.fixtures.consent import agree
from tests.portal.life_cycle_provider import FHIR, NEW, OLD, LifeCycleProvider

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
STAFF = Actor.system("tests")
MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
MOODS = ("loses the answer", "unavailable", "refuses")
NO_TOKEN = (refreshing.NotYet, refreshing.NeedsReauthorization, refreshing.SwitchedOff, WireError)
NOT_BEGUN = (creating.CannotLink, creating.TooManyOpen, creating.NothingToReauthorize)
# While each of these waits for an answer, any of EVENTS may happen.
WAITS = ("come_back", "beat", "use", "refresh_one", "sync", "tell", "approve")
EVENTS = (
    *("leave", "leave_again", "come_back", "confirm", "decline", "purge", "beat", "use", "refresh_one", "worker_dies"),
    *("sync", "mark", "mood", "rotation", "permission_ends"),
    *("goes_over", "goes_over", "approve", "withdraw", "goes_back"),
    *("secret_changes", "registration_is_replaced", "switch", "switch_endpoint", "renew_keys"),
    *("disconnect", "close", "tell"),
)
_CALLS = (
    *((token_endpoint, name) for name in ("exchange", "refresh", "revoke")),
    *((fetching.Source, name) for name in ("ask", "answer", "capability")),
    (discovering, "keep_fresh"),
)


@dataclass(frozen=True)
class Away:
    """Somebody who left for the provider, and will come back with a code."""

    user: User
    browser: Secret
    state: str
    code: str
    redirect_id: UUID


class LifeCycles:
    """Two people who have linked their records. `patch` lasts as long as this is used."""

    def __init__(
        self, provider: LifeCycleProvider, make_user: Callable[[str], User], patch: pytest.MonkeyPatch
    ) -> None:
        self.provider, self._make_user = provider, make_user
        self.elapsed = 0.0
        self.away: list[Away] = []
        self.meanwhile: tuple[int, str, int] | None = None  # after so many calls, this event
        self.erases = False  # whether Alice has just erased something
        self.people = 0
        patch.setattr(access_tokens, "JOIN_SECONDS", 0.0)
        for place, name in _CALLS:
            original = getattr(place, name)
            patch.setattr(place, name, self._crossed(getattr(original, "original", original)))
        self._list()
        if provider.interface == "smart":
            discovering.discover(self.endpoint, at=self.at)
        self._register()
        self.alice, self.sam = self._person(), self._person()
        for user in (self.sam, self.alice):
            self._leave(user, None)
            self._come_back(self.away.pop())
            starting.confirm_and_start(Connection.objects.get(user=user), candidate=0, at=self.at)
        for run in SyncRun.objects.all():
            syncing.advance(run.pk, at=self.at)

    @property
    def at(self) -> datetime:
        return START + timedelta(seconds=self.elapsed)

    def wait(self, seconds: float) -> None:
        """Move every clock: the database's by moving what was written on it into the past."""
        self.elapsed += seconds
        self.provider.now = self.elapsed
        by = timedelta(seconds=seconds)
        moved: dict[str, Any] = {name: F(name) - by for name in ("lease_until", "attempt_started_at")}
        StoredTokenSet.objects.update(**moved)
        SyncRun.objects.update(lease_until=F("lease_until") - by)

    def _crossed(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """The same call, in which something else may happen before its answer is known here."""

        def call(*args: Any, **named: Any) -> Any:
            try:
                return original(*args, **named)
            finally:
                if self.meanwhile is not None:
                    after, event, number = self.meanwhile
                    self.meanwhile = (after - 1, event, number) if after else None
                    if not after:
                        getattr(self, event)(number)

        call.original = original  # type: ignore[attr-defined]
        return call

    # The directory, and our registration there

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint.objects.get()

    @property
    def registration(self) -> ClientRegistration | None:
        return registering.standing_at(self.endpoint)

    def _list(self) -> None:
        interface = self.provider.interface
        url = self.provider.server.url(FHIR)
        row: dict[str, Any] = {"fhir_base_url": url, "fhir_version": "r4", "interface": interface, "dialect": interface}
        if interface != "smart":
            row["authorization_server"] = self.provider.addresses()
        provider = {"id": "harbor", "name": "Harbor Family Practice", "is_sandbox": True, "endpoints": [row]}
        import_json({"format": "holdfast-directory/1", "name": "ours", "providers": [provider]}, at=self.at)

    def _register(self) -> None:
        server = self.endpoint.authorization_server
        assert server is not None
        dialect = DIALECTS[self.endpoint.dialect]
        registration = registering.request(server, dialect=dialect, actor=STAFF, at=self.at)
        registration.status, registration.versions_added = "approved", ["r4"]
        registration.client_id, registration.uses_pkce = f"ours-{ClientRegistration.objects.count()}", False
        registration.requests_per_minute, registration.parallel_requests = 100_000, 1
        registration.save()
        self.provider.secrets[registration.client_id] = "secret-canary"
        credentials.keep(registration, Secret("secret-canary"), at=self.at)

    def goes_over(self, number: int) -> None:
        """The provider moves to its other host, and staff may approve it; a link may be renewed there."""
        self.provider.leads_to = NEW if self.provider.leads_to == OLD else OLD
        self._look_again()
        if number:
            self.approve(number)
        if number > 1:
            self.wait(7 * MINUTE)
            self.refresh_one(number)

    def goes_back(self, number: int) -> None:
        """An approval is withdrawn, and the provider returns."""
        self.withdraw(number)
        self.provider.leads_to = OLD
        self._look_again()

    def _look_again(self) -> None:
        if self.provider.interface == "smart":
            discovering.doubt(self.endpoint)
            discovering.keep_fresh(self.endpoint, at=self.at)
        else:
            self._list()

    def approve(self, number: int) -> None:
        move = moving.look(self.endpoint)
        if move is not None:
            with suppress(moving.NotApproved):
                moving.approve(self.endpoint, seen=move.named, actor=STAFF, at=self.at)
        self._tell_what_is_known()

    def withdraw(self, number: int) -> None:
        with suppress(moving.NothingMoved):
            moving.withdraw(self.endpoint, actor=STAFF, at=self.at)
        self._tell_what_is_known()

    def _tell_what_is_known(self) -> None:
        made_at = ClientRegistration.objects.values_list("authorization_server__token_url", flat=True)
        approved = KnownOrigins.objects.filter(withdrawn_at=None).values_list("token_origin", flat=True)
        self.provider.known = {urlsplit(url).hostname or "" for url in (*made_at, *approved)}

    def secret_changes(self, number: int) -> None:
        for registration in ClientRegistration.objects.all():
            secret = f"secret-canary-{self.elapsed}" if number else self.provider.secrets[registration.client_id]
            self.provider.secrets[registration.client_id] = secret
            if number != 1:
                credentials.keep(registration, Secret(secret), at=self.at)

    def registration_is_replaced(self, number: int) -> None:
        registration = self.registration
        if registration is not None and registration.authorization_server == self.endpoint.authorization_server:
            registering.move(registration, "retired", actor=STAFF, at=self.at)
            self._register()
            self._tell_what_is_known()

    def switch(self, number: int) -> None:
        for one in ClientRegistration.objects.all():
            switching.switch_registration(one, is_on=not one.is_switched_on, actor=STAFF, at=self.at)

    def switch_endpoint(self, number: int) -> None:
        switching.switch_endpoint(self.endpoint, is_on=not self.endpoint.is_switched_on, actor=STAFF, at=self.at)

    def renew_keys(self, number: int) -> None:
        chosen = Chosen(made_before=datetime.now(UTC) + timedelta(days=1))
        renewing.renew(chosen, actor=STAFF, at=self.at, tell=lambda _step, _count: None)

    # Signing in

    def _person(self) -> User:
        self.people += 1
        user = self._make_user(f"person{self.people}@example.org")
        agree(user, at=self.at)
        return user

    def _leave(self, user: User, connection: Connection | None) -> None:
        provider, browser = self.endpoint.providers.get(), binding.new_browser()
        whom: dict[str, Any] = {"user": user, "provider": provider, "endpoint": self.endpoint, "browser": browser}
        with suppress(*NOT_BEGUN):
            left = creating.create(**whom, connection=connection, at=self.at)
            query = parse_qs(urlsplit(left.url).query)
            person = "sam" if user == self.sam else "alice"
            code = self.provider.authorize(left.url, person=person, client_id=query["client_id"][0])
            request = AuthorizationRequest.objects.select_related("registration").get(pk=left.request_id)
            self.away.append(Away(user, browser, query["state"][0], code, request.registration.redirect_id))

    def _come_back(self, one: Away) -> None:
        query = {"code": [one.code], "state": [one.state]}
        whom: dict[str, Any] = {"browser": one.browser, "signed_in_user_id": one.user.pk}
        completing.complete(redirect_id=one.redirect_id, unverified_query=query, **whom, at=self.at)

    def _hers(self, number: int, **columns: Any) -> Connection | None:
        related = ("endpoint__authorization_server", "registration__authorization_server", "provider")
        rows = Connection.objects.filter(user=self.alice, **columns).select_related(*related)
        found = list(rows.order_by("created_at", "pk"))
        return found[number % len(found)] if found else None

    def leave(self, number: int) -> None:
        self._leave(self.alice, None)

    def leave_again(self, number: int) -> None:
        if (connection := self._hers(number, status__in=Connection.LIVING)) is not None:
            self._leave(self.alice, connection)

    def come_back(self, number: int) -> None:
        if self.away:
            self._come_back(self.away.pop(number % len(self.away)))

    def confirm(self, number: int) -> None:
        if (connection := self._hers(number)) is not None:
            with suppress(confirming.TooLate):
                starting.confirm_and_start(connection, candidate=0, at=self.at)

    def decline(self, number: int) -> None:
        if (connection := self._hers(number)) is not None:
            confirming.decline(connection, at=self.at)

    def purge(self, number: int) -> None:
        purging.purge_unconfirmed(at=self.at)
        purging.drop_old_requests(at=self.at)

    # Refreshing and copying

    def beat(self, number: int) -> None:
        parking.return_parked(at=self.at)
        doubting.hasten(at=self.at)
        for claim in choosing.take(8, at=self.at, budgets_at=self.at).claims:
            fault_isolation.attempt(claim, clock=lambda: self.at)

    def worker_dies(self, number: int) -> None:
        """It asked, and stored nothing of the answer."""
        for claim in choosing.take(8, at=self.at, budgets_at=self.at).claims:
            with transaction.atomic():
                attempting.attempt(claim, clock=lambda: self.at)
                transaction.set_rollback(True)

    def use(self, number: int) -> None:
        if (connection := self._hers(number)) is not None:
            with suppress(*NO_TOKEN):
                refreshing.usable_token(connection, at=self.at)

    def refresh_one(self, number: int) -> None:
        if (connection := self._hers(number)) is not None:
            with suppress(Connection.DoesNotExist):
                early_refreshes.refresh_one(connection.pk, at=self.at)

    def mark(self, number: int) -> None:
        lapsed_links.mark(at=self.at)

    def sync(self, number: int) -> None:
        if (connection := self._hers(number, status="active")) is not None:
            run = syncing.start(connection, cause=SyncRun.Cause.PATIENT, at=self.at)
            syncing.advance(run.pk, at=self.at)

    def mood(self, number: int) -> None:
        self.provider.mood = MOODS[number % len(MOODS)]

    def rotation(self, number: int) -> None:
        self.provider.rotates = not self.provider.rotates

    def permission_ends(self, number: int) -> None:
        """Alice ends one at the provider."""
        permissions = [one.permission for one in self.provider.issued.values() if one.permission.person == "alice"]
        permissions[-1 - number % len(permissions)].is_live = False

    # Ends

    def disconnect(self, number: int) -> None:
        if (connection := self._hers(number, confirmed_at__isnull=False)) is not None:
            self.erases = True
            disconnection.disconnect(connection, keeps_copy=bool(number), at=self.at)
            assert not StoredTokenSet.objects.filter(pk=connection.pk).exists()

    def close(self, number: int) -> None:
        self.erases = True
        closing.close(self.alice, at=self.at)
        assert not Connection.objects.filter(user=self.alice.pk).exists()
        assert not Record.objects.filter(user=self.alice.pk).exists()
        self.alice = self._person()

    def tell(self, number: int) -> None:
        revoking.tell_providers(at=self.at)

    # In the end

    def all_is_well_for_a_day(self) -> None:
        """Staff repair what is theirs, and the provider answers."""
        self.meanwhile, self.provider.mood = None, ""
        self.secret_changes(0)
        for one in ClientRegistration.objects.all():
            switching.switch_registration(one, is_on=True, actor=STAFF, at=self.at)
            registering.clear_trouble(one, actor=STAFF, at=self.at)
        switching.switch_endpoint(self.endpoint, is_on=True, actor=STAFF, at=self.at)
        for seconds in (130.0, 5 * MINUTE, 15 * MINUTE, HOUR, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR):
            self.wait(seconds)
            self.beat(0)
        self.mark(0)

    def records(self, user: User) -> int:
        """How many entries this person has."""
        return Record.objects.filter(user=user.pk).count()
