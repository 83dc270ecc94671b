"""Two workers, one link, one authorization server and a clock that stands still until it is moved: every interleaving
of claim, call and store, with a crash at every point, answers that get lost or come late, refusals and throttling.

What must hold is asserted here, whatever lies below: rows in memory that the protocol alone decides on
(`memory_ground`) or the product on Postgres (`postgres_ground`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from tests.connections.refreshing.model_server import Answer, Fate, Kind, ModelServer, Said

LEASE, CALL_WITHIN, MAY_STILL_ANSWER = 30.0, 15.0, 120.0
_FATES = [Fate.FINE, Fate.FINE, Fate.FINE, *Fate]
LONG = 3 * 3600.0


class Ground(Protocol):
    """One link's token set, and what the product does with it. Claims are the ground's own."""

    @property
    def generation(self) -> int: ...
    @property
    def token(self) -> int: ...
    @property
    def is_active(self) -> bool: ...
    @property
    def rotates(self) -> bool | None: ...
    def may_ask(self) -> bool:
        """Whether a claim would be given now."""

    def claim(self) -> Any:
        """A claim, or None."""

    def release(self, claim: Any) -> None:
        """Too late to call."""

    def conclude(self, claim: Any, answer: Answer, *, called_at: float) -> None:
        """Store what the call brought."""

    def advance(self, seconds: float) -> None:
        """Move both clocks."""


@dataclass
class Attempt:
    """What one worker has in hand."""

    claim: Any
    claimed_at: float
    generation: int
    token: int
    repeats: bool  # an answer was missing when it was claimed: nobody tells it if that one comes before it calls
    called_at: float | None = None
    answer: Answer | None = None


@dataclass
class Call:
    """One call as we made it."""

    at: float
    is_missing: bool = True  # until its answer is concluded, and was one


class ProtocolMachine(RuleBasedStateMachine):
    """`make_ground(floor, token)` gives the ground to stand on."""

    make_ground: Callable[..., Ground]
    step = 1.0  # seconds in which the clock is moved

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.at_work: dict[int, Attempt] = {}
        self.last_call: Call | None = None
        self.called_by: dict[int, Call] = {}
        self.resent: list[float] = []  # calls since the server last replaced the token we hold
        self.arrived = {1}  # the tokens that reached the rows; the first with the sign-in
        self.slept_at = -LONG  # when somebody could have asked and nobody did
        self.generation_seen = 1

    @initialize(
        kind=st.sampled_from([*Kind, Kind.LENIENT, Kind.STRICT]),
        floor=st.sampled_from([0.0, 60.0]),
        is_known=st.booleans(),
        revoked_at=st.sampled_from([1e9, 1e9, 1e9, 40.0, 400.0]),
    )
    def link(self, kind: Kind, floor: float, is_known: bool, revoked_at: float) -> None:
        """`revoked_at`: when the patient ends it at the provider."""
        self.server = ModelServer(kind)
        self.revoked_at = revoked_at
        self.floor = floor
        known = (kind is not Kind.FIXED) if is_known else None
        self.ground = type(self).make_ground(floor=floor, token=1, rotates=known)

    @rule(fate=st.sampled_from(_FATES))
    def first_goes_on(self, fate: Fate) -> None:
        self.go_on(1, fate)

    @rule(fate=st.sampled_from(_FATES))
    def second_goes_on(self, fate: Fate) -> None:
        self.go_on(2, fate)

    def go_on(self, worker: int, fate: Fate) -> None:
        """The worker's next step, whichever that is."""
        attempt = self.at_work.get(worker)
        if attempt is None:
            self.claim(worker)
        elif attempt.answer is None:
            self.call(worker, fate)
        else:
            self.store(worker)

    def claim(self, worker: int) -> None:
        if not self.ground.is_active:
            return
        claim = self.ground.claim()
        if claim is None:
            return
        for other in self.at_work.values():
            assert self.now >= other.claimed_at + LEASE, "two workers have the same link"
        self.at_work[worker] = Attempt(claim, self.now, self.ground.generation, self.ground.token, self._may_repeat())

    def call(self, worker: int, fate: Fate) -> None:
        attempt = self.at_work[worker]
        if self.now >= attempt.claimed_at + CALL_WITHIN:
            self.ground.release(attempt.claim)
            del self.at_work[worker]
            return
        self._check_floor(attempt)
        if attempt.token == self.server.last:
            self.resent.append(self.now)
        elif attempt.token == self.server.live:
            self.resent.clear()
        attempt.called_at = self.now
        attempt.answer = self.server.ask(attempt.token, fate, at=self.now)
        self.called_by[worker] = self.last_call = Call(self.now)

    def _may_repeat(self) -> bool:
        is_missing = self.last_call is not None and self.last_call.is_missing
        return is_missing and self.ground.rotates is not False

    def _check_floor(self, attempt: Attempt) -> None:
        if self.last_call is not None and self.now < self.last_call.at + self.floor:
            assert attempt.repeats or self._may_repeat(), "asked again within the floor, or where none is used up"

    def store(self, worker: int) -> None:
        attempt = self.at_work.pop(worker)
        assert attempt.answer is not None
        assert attempt.called_at is not None
        was_active, held = self.ground.is_active, self.ground.generation
        self.ground.conclude(attempt.claim, attempt.answer, called_at=attempt.called_at)
        self.called_by[worker].is_missing = attempt.answer.said is Said.LOST
        self._check_generation()
        if attempt.answer.said is Said.TOKENS:
            self.arrived.add(attempt.answer.token or attempt.token)
        if attempt.answer.said is Said.TOKENS and held == attempt.generation:
            assert self.ground.generation == held + 1, "a success was thrown away"
            assert self.ground.is_active, "a success came, and the link is lost"
            assert self.ground.token == (attempt.answer.token or attempt.token)
        if was_active and not self.ground.is_active:
            self._check_loss()

    def _check_loss(self) -> None:
        assert not self.server.accepts(self.ground.token, at=self.now), "a link that lives was given up"
        for other in self.at_work.values():
            is_late = other.called_at is None or self.now >= other.claimed_at + MAY_STILL_ANSWER
            holds_it = other.answer is not None and other.answer.said is Said.TOKENS
            assert is_late or not holds_it or other.generation != self.ground.generation, "a success was on its way"
        if self.server.is_revoked:
            return
        assert self.server.live not in self.arrived, "a link was lost whose answer came"
        if self.server.kind is Kind.STRICT:
            return
        assert self.server.kind is Kind.LENIENT, "a link was lost at a server that replaces nothing"
        in_time = [at for at in self.resent if at < self.server.acted_at + 120]
        assert self.slept_at >= self.server.acted_at or len(in_time) >= 2, "nobody asked again in time"

    @precondition(lambda self: self.at_work)
    @rule(worker=st.sampled_from([1, 2, None, None, None]))
    def crash(self, worker: int | None) -> None:
        self.at_work.pop(worker or 0, None)

    @rule(seconds=st.sampled_from([1.0, 4.0, 10.0, 14.0, 20.0, 31.0, 31.0, 31.0, 61.0, 125.0, 3700.0]))
    def wait(self, seconds: float) -> None:
        """Somebody who could ask and does not is not the protocol's fault: that is remembered."""
        ends_at = self.now + seconds
        while self.now < ends_at:
            if self.ground.is_active and self.ground.may_ask():
                self.slept_at = self.now
            step = min(self.step, ends_at - self.now) if ends_at - self.now < 130 else 100.0
            self._move(step)

    def _move(self, seconds: float) -> None:
        self.now += seconds
        self.server.is_revoked = self.now >= self.revoked_at
        self.ground.advance(seconds)

    def _check_generation(self) -> None:
        assert self.ground.generation >= self.generation_seen, "a generation fell"
        self.generation_seen = self.ground.generation

    def teardown(self) -> None:
        """Everybody died, hours pass, and all is well: a link whose token lives is renewed, any other is ended."""
        if not hasattr(self, "ground") or not self.ground.is_active:
            return
        self.at_work.clear()
        for _try in range(3):
            self._pass(LONG)
            lives = self.server.accepts(self.ground.token, at=self.now)
            self.claim(1)
            assert 1 in self.at_work, "nobody can claim it any more"
            before = self.ground.generation
            self.call(1, Fate.FINE)
            self.store(1)
            if lives:
                assert self.ground.generation == before + 1
                return
            if self._is_over():
                return
        raise AssertionError("a dead link never ends")

    def _is_over(self) -> bool:
        return not self.ground.is_active

    def _pass(self, seconds: float) -> None:
        self._move(seconds)
        self.slept_at = self.now
