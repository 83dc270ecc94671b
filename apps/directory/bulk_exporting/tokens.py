"""The system token of one export: requested when needed, and again before it expires. Kept only in memory."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from apps.directory.models import Endpoint
from apps.directory.system_access import SystemToken, system_token
from apps.wire.errors import AuthorizationExpired
from apps.wire.secret import Secret

_NEAR_ITS_END = timedelta(seconds=60)  # specification 4.2, rule 4: do not use tokens close to expiry
Result = TypeVar("Result")


class Tokens:
    """For one thread."""

    def __init__(self, endpoint: Endpoint, scopes: Sequence[str], clock: Callable[[], datetime]) -> None:
        self._endpoint = endpoint
        self._scopes = tuple(scopes)
        self._clock = clock
        self._token: SystemToken | None = None
        self._asked_at: datetime | None = None

    @property
    def granted(self) -> tuple[str, ...]:
        """The scopes that the provider allows. Raises as `system_token` does."""
        return self._current().scope

    def using(self, ask: Callable[[Secret], Result]) -> Result:
        """Call `ask` with a valid token; once more with a new one if the provider says that it is invalid. Raises what
        `ask` and `system_token` raise."""
        try:
            return ask(self._current().access_token)
        except AuthorizationExpired:
            self.forget()
        return ask(self._current().access_token)

    def forget(self) -> None:
        """Drop the token: the provider does not accept it (any more)."""
        self._token = None

    def _current(self) -> SystemToken:
        at = self._clock()
        if self._token is None or self._asked_at is None or at >= self._until(self._token, self._asked_at):
            self._token = system_token(self._endpoint, scopes=self._scopes, at=at)
            self._asked_at = at
        return self._token

    @staticmethod
    def _until(token: SystemToken, asked_at: datetime) -> datetime:
        """A minute before it expires, or half its lifetime if that is short."""
        return max(token.expires_at - _NEAR_ITS_END, asked_at + (token.expires_at - asked_at) / 2)
