"""A model of an authorization server: which refresh tokens are valid, and what it answers to each."""

from dataclasses import dataclass, field
from enum import Enum

REPEATS_FOR = 120.0  # seconds in which a lenient server lets its last token be repeated


class Kind(Enum):
    """What becomes of a refresh token that was used."""

    FIXED = "it serves to its end"
    STRICT = "it is replaced, and dead at once"
    LENIENT = "it is replaced, and may be repeated for two minutes"


class Fate(Enum):
    """What happens to one call."""

    FINE = "answered"
    LOST_BEFORE = "it left us and never arrived"
    LOST_AFTER = "the server acted, and its answer never arrived"
    UNSENT = "no connection"
    THROTTLED = "too many requests"


class Said(Enum):
    """What came back."""

    TOKENS = "tokens"
    REFUSED = "refused"
    THROTTLED = "throttled"
    LOST = "nothing readable"
    UNSENT = "not even asked"


@dataclass(frozen=True)
class Answer:
    """`token`: the number of a new refresh token, where one came."""

    said: Said
    token: int | None = None


@dataclass
class ModelServer:
    """Tokens are numbers. `calls`: when which token reached it."""

    kind: Kind
    live: int = 1
    last: int | None = None
    acted_at: float = 0.0
    is_revoked: bool = False
    calls: list[tuple[float, int]] = field(default_factory=list)

    def accepts(self, token: int, *, at: float) -> bool:
        repeats = self.kind is Kind.LENIENT and token == self.last and at < self.acted_at + REPEATS_FOR
        return not self.is_revoked and (token == self.live or repeats)

    def ask(self, token: int, fate: Fate, *, at: float) -> Answer:
        """One call, as its caller sees it."""
        if fate is Fate.UNSENT:
            return Answer(Said.UNSENT)
        if fate is Fate.LOST_BEFORE:
            return Answer(Said.LOST)
        if fate is Fate.THROTTLED:
            return Answer(Said.THROTTLED)
        answer = self._act(token, at=at)
        return Answer(Said.LOST) if fate is Fate.LOST_AFTER else answer

    def _act(self, token: int, *, at: float) -> Answer:
        self.calls.append((at, token))
        if not self.accepts(token, at=at):
            return Answer(Said.REFUSED)
        if self.kind is Kind.FIXED:
            return Answer(Said.TOKENS)
        if token == self.live:
            self.last, self.live, self.acted_at = token, token + 1, at
        return Answer(Said.TOKENS, self.live)
