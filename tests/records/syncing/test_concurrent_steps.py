"""Several types are copied at once: which page is requested or stored next."""

import itertools
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

import pytest

from apps.connections.refreshing import NeedsReauthorization, NotYet, SwitchedOff
from apps.records.syncing.concurrent_steps import ConcurrentSteps
from apps.records.syncing.stepping import SliceOver
from apps.wire.errors import AuthorizationExpired, Throttled, Unavailable
from tests.records.linked import AT


class Source:
    """Of a provider that answers all questions under way at once, the last that was asked first."""

    parallel = 3
    under_way = most_under_way = 0

    def __init__(self, told):
        self._told = told

    def ask(self, question):
        self._told.append(f"ask {question}")
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        future: Future[None] = Future()
        future.set_result(None)
        return SimpleNamespace(question=question, future=future)

    def answer(self, _asked):
        self.under_way -= 1


class Pages:
    """A type of so many pages, whose next may be asked for when the last is stored or put aside."""

    def __init__(self, name, count, told):
        self.step = SimpleNamespace(name=name)
        self._name = name
        self._left = count
        self._told = told
        self._is_asked = self._is_held = False

    is_done = property(lambda self: not self._left)

    def begin(self):
        pass

    def next(self):
        if self.is_done or self._is_asked or self._is_held:
            return None
        self._is_asked = True
        return self._name

    def receive(self, _question, _answer):
        self._left -= 1
        self._is_asked, self._is_held = False, True

    def stage(self):
        if not self.is_done:
            self._told.append(f"put {self._name} aside")
            self._is_held = False

    def store(self):
        self._told.append(f"store {self._name}")
        self._is_held = False

    def close(self):
        self._told.append(f"close {self._name}")


class Refusing(Source):
    """Of a provider that answers one question after the other, each so; what is no error is an answer."""

    def __init__(self, told, answers):
        super().__init__(told)
        self._answers = list(answers)
        self._waiting: list[Future[None]] = []

    def ask(self, question):
        self._told.append(f"ask {question}")
        future: Future[None] = Future()
        if not self._waiting:
            future.set_result(None)
        self._waiting.append(future)
        return SimpleNamespace(question=question, future=future)

    def answer(self, asked):
        following = self._waiting.index(asked.future) + 1
        if following < len(self._waiting):
            self._waiting[following].set_result(None)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def flow(*counts, parallel=3, is_slice_over=False):
    """What is done, in its order, with types of so many pages; the time being over is the last of it."""
    told: list[str] = []
    streams: Any = [Pages(name, count, told) for name, count in zip("abcdef", counts, strict=False)]
    work: Any = SimpleNamespace(source=Source(told), is_slice_over=is_slice_over)
    work.source.parallel = parallel
    try:
        ConcurrentSteps(work, streams, gives_up=False).run()
    except SliceOver:
        told.append("time is over")
    return told


class TestSeveralTypes:
    def test_keep_none_waiting_that_was_answered_as_well(self):
        stores = [line.removeprefix("store ") for line in flow(3, 3, 3) if line.startswith("store")]
        assert [set(stores[:3]), set(stores[3:6]), set(stores[6:])] == [{"a", "b", "c"}] * 3

    def test_are_stored_before_they_are_asked_on_while_others_are_awaited(self):
        assert "put a aside" not in flow(2, 9)

    @pytest.mark.parametrize("parallel", [1, 2, 4])
    def test_are_asked_as_many_at_a_time_as_their_provider_allows(self, parallel):
        source: Any = Source([])
        source.parallel = parallel
        streams: Any = [Pages(name, 2, []) for name in "abcde"]
        ConcurrentSteps(cast("Any", SimpleNamespace(source=source, is_slice_over=False)), streams, gives_up=False).run()
        assert source.most_under_way == parallel


class TestTheEndOfATurn:
    def test_is_a_reason_to_come_again_only_where_more_is_to_be_asked(self):
        assert flow(1, is_slice_over=True) == ["ask a", "store a", "close a"]
        told = flow(1, 1, parallel=1, is_slice_over=True)
        assert told == ["ask a", "store a", "close a", "time is over"]


class TestTypeThatIsLeftAlone:
    def test_is_asked_on_before_its_page_is_stored(self):
        told = flow(2)
        at = told.index("put a aside")
        assert told[at : at + 3] == ["put a aside", "ask a", "store a"]


class TestTwoReasonsToStop:
    """Both are met by questions that were under way together."""

    LATER = NotYet(AT)
    SIGN_IN = NeedsReauthorization()
    OFF = SwitchedOff()
    THROTTLED = Throttled(status=429)
    SILENT = Unavailable()
    EXPIRED = AuthorizationExpired(status=401)
    REASONS = (LATER, SIGN_IN, OFF, THROTTLED, SILENT, EXPIRED)

    def stopped(self, *answers, is_slice_over=False):
        """What ended it, and what was done."""
        told: list[str] = []
        work: Any = SimpleNamespace(source=Refusing(told, answers), is_slice_over=is_slice_over)
        streams: Any = [Pages(name, 2, told) for name, _answer in zip("abc", answers, strict=False)]
        with pytest.raises((SliceOver, *map(type, self.REASONS))) as raised:
            ConcurrentSteps(work, streams, gives_up=False).run()
        return raised.value, told

    @pytest.mark.parametrize(("first", "second"), [*itertools.permutations(REASONS, 2)], ids=repr)
    def test_end_by_the_one_that_came_first(self, first, second):
        stopped_by, told = self.stopped(first, second)
        assert stopped_by is first
        assert told == ["ask a", "ask b"]

    @pytest.mark.parametrize("first", REASONS, ids=repr)
    def test_end_by_the_one_that_came_before_the_time_was_over(self, first):
        stopped_by, told = self.stopped(first, None, is_slice_over=True)
        assert stopped_by is first
        assert told == ["ask a", "ask b", "store b"]

    @pytest.mark.parametrize("second", REASONS, ids=repr)
    def test_end_by_the_time_that_was_over_before_the_other_came(self, second):
        stopped_by, told = self.stopped(None, second, is_slice_over=True)
        assert isinstance(stopped_by, SliceOver)
        assert told == ["ask a", "ask b", "store a"]
