"""One token set in memory, decided on by `protocol` alone, and written as `claiming` and `storing` would write it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from apps.connections.refreshing import protocol
from apps.connections.refreshing.protocol import Sent, Standing, Turn, Verdict
from tests.connections.refreshing.model_server import Answer, Said

START = datetime(2026, 3, 1, tzinfo=UTC)


class MemoryGround:
    """See `protocol_machine.Ground`. Claims are (sent, started_at)."""

    def __init__(self, *, floor: float, token: int, rotates: bool | None) -> None:
        self.at = START
        self.floor = timedelta(seconds=floor)
        self.standing = Standing(generation=1)
        self.token, self.rotates, self.tries, self.is_active = token, rotates, 0, True

    @property
    def generation(self) -> int:
        return self.standing.generation

    def may_ask(self) -> bool:
        return protocol.turn(self.standing, rotates=self.rotates, at=self.at, now=self.at) is not Turn.WAIT

    def claim(self) -> tuple[Sent, datetime, Standing] | None:
        if not self.may_ask():
            return None
        before = self.standing
        sent = Sent(before.generation, uuid4(), protocol.unanswered_since(before, now=self.at))
        self.standing = Standing(
            generation=before.generation,
            attempt_id=sent.attempt_id,
            attempt_started_at=self.at,
            lease_until=self.at + protocol.LEASE,
            not_before_at=self.at + self.floor,
        )
        return sent, self.at, before

    def release(self, claim: tuple[Sent, datetime, Standing]) -> None:
        sent, _started_at, before = claim
        is_lost = before.attempt_id is not None
        self._close(sent, sent.earlier_started_at, self.at if is_lost else before.not_before_at)

    def conclude(self, claim: tuple[Sent, datetime, Standing], answer: Answer, *, called_at: float) -> None:
        sent, started_at, _before = claim
        at = START + timedelta(seconds=called_at)
        if answer.said is Said.TOKENS:
            self._adopt(sent, answer, at)
        elif answer.said is Said.REFUSED:
            self._refuse(sent, at)
        else:
            self._put_off(sent, started_at, answer, at)

    def advance(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)

    def _adopt(self, sent: Sent, answer: Answer, at: datetime) -> None:
        if protocol.accepts(self.standing, sent):
            not_before_at = at + self.floor
            if self.standing.attempt_id != sent.attempt_id:
                not_before_at = max(not_before_at, self.standing.not_before_at or at)
            lease_until = protocol.lease_after(self.standing, sent)
            self.standing = Standing(
                generation=sent.generation + 1, lease_until=lease_until, not_before_at=not_before_at
            )
            self.rotates, self.token = answer.token is not None, answer.token or self.token
            self.tries, self.is_active = 0, True

    def _refuse(self, sent: Sent, at: datetime) -> None:
        verdict = protocol.judge(self.standing, sent, now=self.at)
        if verdict is Verdict.BELIEVED:
            self.is_active = False
            self.standing = Standing(generation=sent.generation, not_before_at=self.standing.not_before_at)
        elif verdict is Verdict.SUSPECTED and self.standing.attempt_id in {None, sent.attempt_id}:
            began_at = protocol.may_answer_since(self.standing, sent, now=self.at)
            until = protocol.suspected_until(self.standing, sent, floor=self.floor, at=at, now=self.at)
            self.standing = Standing(generation=sent.generation, attempt_started_at=began_at, not_before_at=until)

    def _put_off(self, sent: Sent, started_at: datetime, answer: Answer, at: datetime) -> None:
        is_lost = answer.said is Said.LOST and self.rotates is not False
        since = sent.earlier_started_at or started_at
        wait = protocol.wait(
            tries=self.tries + 1,
            floor=self.floor,
            left=None,
            asked=timedelta(seconds=30) if answer.said is Said.THROTTLED else None,
            lost_for=self.at - since if is_lost else None,
        )
        if self._close(sent, since if is_lost else sent.earlier_started_at, at + wait):
            self.tries += 1

    def _close(self, sent: Sent, unanswered_since: datetime | None, not_before_at: datetime | None) -> bool:
        is_ours = (self.standing.attempt_id, self.generation) == (sent.attempt_id, sent.generation)
        if is_ours:
            self.standing = replace(
                self.standing,
                attempt_id=None,
                attempt_started_at=unanswered_since,
                lease_until=None,
                not_before_at=not_before_at,
            )
        return is_ours
