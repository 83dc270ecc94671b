"""The entries of one subject that a page to read shows: the first in its own order and, for tests, the newest value of
each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from apps.records.exporting import shelved
from apps.records.presenters.entry import Entry
from apps.records.presenters.observations import results
from apps.records.shelving import arranging
from apps.records.shelving.arranging import Key
from apps.records.shelving.reading import OpenShelf, Shelved
from apps.vault.sealing import KeyRing

MOST: Final = 200
_MOST_TESTS: Final = MOST * 5  # examined, to find the most recent ones


@dataclass
class SubjectEntries:
    """The entries of one subject, and their number. A test done once, years ago, must not be crowded out by two hundred
    newer values of something else."""

    order: Callable[[Entry, int], Key]
    found: list[Shelved] = field(default_factory=list)
    count: int = 0
    newest: dict[str, Shelved] = field(default_factory=dict)  # by test

    def add(self, one: Shelved) -> None:
        """Add one entry."""
        self.found.append(one)
        self.count += 1
        self._see(one)
        if len(self.found) > MOST * 4:
            self._settle()

    def add_first(self, shelves: Sequence[OpenShelf], ring: KeyRing) -> None:
        """Add all entries of some shelves, reading only as many as may be shown. Raises `shelved.Unreadable`."""
        count = sum(shelf.index.count for shelf in shelves if shelf.index is not None)
        first = shelved.first(shelves, MOST, ring)
        for one in first if count <= MOST else shelved.latest(shelves, _MOST_TESTS, ring):
            if one.entry is not None:
                self._see(one._replace(key=self.order(one.entry, one.record)))
        self.found.extend(first)
        self.count += count

    def add_all(self, others: "SubjectEntries") -> None:
        """Add entries of the same subject that were collected separately."""
        self.found.extend(others.found)
        self.count += others.count
        for one in others.newest.values():
            self._see(one)

    def mark(self, is_of_grave: Callable[[Shelved], bool]) -> None:
        """Mark those that belong to what may carry grave news."""
        self.found = [one._replace(is_of_grave=True) if is_of_grave(one) else one for one in self.found]
        self.newest = {
            test: one._replace(is_of_grave=True) if is_of_grave(one) else one for test, one in self.newest.items()
        }

    @property
    def tests(self) -> int:
        """How many tests there are among those examined."""
        return len(self.newest)

    def shown(self) -> tuple[list[Shelved], list[Shelved]]:
        """If not all are shown: the newest value of each test, by name (of too many tests, those done most recently);
        and the first of the others, as room allows."""
        self._settle()
        if self.count <= MOST or not self.newest:
            return [], self.found
        done_last = sorted(self.newest.values(), key=lambda one: one.key)[:MOST]
        foremost = sorted(done_last, key=self._by_name)
        taken = {one.record for one in foremost}
        return foremost, [one for one in self.found if one.record not in taken][: MOST - len(foremost)]

    def _by_name(self, one: Shelved) -> Key:
        return arranging.latest(one.entry, one.key[1], one.record) if one.entry is not None else one.key

    def _see(self, one: Shelved) -> None:
        """Of each test, keep the newest value that says something."""
        test = results.test_in(one.entry) if one.entry is not None else ""
        if not test or (test not in self.newest and len(self.newest) >= _MOST_TESTS):
            return
        self.newest[test] = min(self.newest.get(test, one), one, key=_says_nothing_or_is_old)

    def _settle(self) -> None:
        self.found = sorted(self.found, key=lambda one: one.key)[:MOST]


def _says_nothing_or_is_old(one: Shelved) -> tuple[bool, Key]:
    return one.entry is None or one.entry.group in results.WITHOUT_RESULT, one.key
