"""Several types at a time: whose page goes before whose."""

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

from apps.records.syncing.flowing import Flow


class Source:
    """Of a provider that answers all questions under way at once, the last that was asked first."""

    parallel = 3

    def __init__(self, told):
        self._told = told

    def ask(self, question):
        self._told.append(f"ask {question}")
        future: Future[None] = Future()
        future.set_result(None)
        return SimpleNamespace(question=question, future=future)

    def answer(self, _asked):
        return None


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

    def put_aside(self):
        if not self.is_done:
            self._told.append(f"put {self._name} aside")
            self._is_held = False

    def store(self):
        self._told.append(f"store {self._name}")
        self._is_held = False

    def close(self):
        self._told.append(f"close {self._name}")


def flow(*counts):
    """What is done, in its order, with types of so many pages."""
    told: list[str] = []
    streams: Any = [Pages(name, count, told) for name, count in zip("abcdef", counts, strict=False)]
    work: Any = SimpleNamespace(source=Source(told), is_slice_over=False)
    Flow(work, streams, gives_up=False).run()
    return told


class TestSeveralTypes:
    def test_keep_none_waiting_that_was_answered_as_well(self):
        stores = [line.removeprefix("store ") for line in flow(3, 3, 3) if line.startswith("store")]
        assert [set(stores[:3]), set(stores[3:6]), set(stores[6:])] == [{"a", "b", "c"}] * 3

    def test_are_stored_before_they_are_asked_on_while_others_are_awaited(self):
        assert "put a aside" not in flow(2, 9)


class TestTypeThatIsLeftAlone:
    def test_is_asked_on_before_its_page_is_stored(self):
        told = flow(2)
        at = told.index("put a aside")
        assert told[at : at + 3] == ["put a aside", "ask a", "store a"]
