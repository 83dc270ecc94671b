"""One link in Postgres, refreshed by the product: only what the token endpoint answers is made up.

The database's clock goes on by itself; moving it means moving what was written on it into the past, in rows and in the
claims that workers have in hand.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db.models import F

from apps.connections import refreshing
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import attempting, backoff, claiming, loading, token_columns
from apps.connections.refreshing.claiming import Claim
from apps.directory.models import ClientRegistration
from apps.wire import token_endpoint
from apps.wire.errors import AuthorizationExpired, Code, Throttled, Unavailable, WireError
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet
from tests.connections.refreshing.model_server import Answer, Said

START = datetime(2026, 3, 1, tzinfo=UTC)
_ERRORS: dict[Said, WireError] = {
    Said.REFUSED: AuthorizationExpired(code=Code.INVALID_GRANT, status=400),
    Said.THROTTLED: Throttled(status=429, retry_after_seconds=30),
    Said.LOST: Unavailable(code=Code.TIMED_OUT),
    Said.UNSENT: Unavailable(code=Code.UNREACHABLE, was_sent=False),
}


@dataclass(frozen=True)
class Taken:
    """A claim, and the moment it was made."""

    claim: Claim
    elapsed: float


class PostgresGround:
    """See `protocol_machine.Ground`."""

    def __init__(
        self, connection: Connection, patch: pytest.MonkeyPatch, *, floor: float, token: int, rotates: bool | None
    ) -> None:
        self._pk = connection.pk
        self._elapsed = 0.0
        self._monotonic = 0.0
        self._answers: list[Answer] = []
        ClientRegistration.objects.update(
            minimum_refresh_seconds=int(floor), rotates_refresh_tokens=rotates, refresh_window_hours=8784
        )
        Connection.objects.update(status="active", reason="", reason_at=None)
        StoredTokenSet.objects.all().delete()
        fresh = Connection.objects.select_related("endpoint", "registration").get(pk=self._pk)
        refreshing.keep(fresh, tokens_of(token), issued_at=START - timedelta(hours=1))
        watch = SimpleNamespace(monotonic=lambda: self._monotonic)
        patch.setattr(claiming, "time", watch)
        patch.setattr(backoff, "time", watch)
        patch.setattr(token_endpoint, "refresh", self._refresh)

    @property
    def generation(self) -> int:
        return StoredTokenSet.objects.get().generation

    @property
    def token(self) -> int:
        stored = StoredTokenSet.objects.select_related("connection").get()
        found = token_columns.refresh_token(stored.connection, stored)
        assert found is not None
        return int(found.reveal().removeprefix("r"))

    @property
    def is_active(self) -> bool:
        return Connection.objects.get(pk=self._pk).status == Connection.Status.ACTIVE

    @property
    def rotates(self) -> bool | None:
        of_row = StoredTokenSet.objects.get().is_rotated
        return ClientRegistration.objects.get().rotates_refresh_tokens if of_row is None else of_row

    def may_ask(self) -> bool:
        return any(claiming._wanted(loading.load([self._pk]), at=self._at(self._elapsed)))

    def claim(self) -> Taken | None:
        claims = claiming.claim([self._pk], at=self._at(self._elapsed))
        return Taken(replace(claims[0], taken_at=self._elapsed), self._elapsed) if claims else None

    def release(self, claim: Taken) -> None:
        assert self._attempt(claim, called_at=self._elapsed).outcome == attempting.Outcome.RELEASED

    def conclude(self, claim: Taken, answer: Answer, *, called_at: float) -> None:
        self._answers.append(answer)
        self._attempt(claim, called_at=called_at)
        assert not self._answers, "the server was not asked"

    def advance(self, seconds: float) -> None:
        self._elapsed += seconds
        by = timedelta(seconds=seconds)
        moved: dict[str, Any] = {name: F(name) - by for name in ("lease_until", "attempt_started_at")}
        StoredTokenSet.objects.update(**moved)

    def _attempt(self, taken: Taken, *, called_at: float) -> attempting.Result:
        ago = timedelta(seconds=self._elapsed - taken.elapsed)
        sent = taken.claim.sent
        earlier = sent.earlier_started_at
        moved = replace(
            taken.claim,
            sent=replace(sent, earlier_started_at=earlier and earlier - ago),
            started_at=taken.claim.started_at - ago,
        )
        self._monotonic = called_at
        return attempting.attempt(moved, clock=lambda: self._at(called_at))

    def _refresh(self, _endpoint: Any, *, refresh_token: Secret) -> TokenSet:
        """What the token endpoint answers; by then it is later."""
        self._monotonic = self._elapsed
        answer = self._answers.pop()
        if answer.said is not Said.TOKENS:
            raise _ERRORS[answer.said]
        return tokens_of(answer.token)

    def _at(self, elapsed: float) -> datetime:
        return START + timedelta(seconds=elapsed)


def tokens_of(number: int | None) -> TokenSet:
    return TokenSet(
        access_token=Secret(f"a{number}"),
        expires_in_seconds=300,
        refresh_token=None if number is None else Secret(f"r{number}"),
    )
