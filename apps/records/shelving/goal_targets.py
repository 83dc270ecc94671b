"""The targets of goals that are pursued now, by test: a result is drawn beside its goal (patient experience 4.1).

Goals in DSTU2 have neither a measure nor a number, and hence no target.
"""

from collections.abc import Iterator

from apps.records.presenters import goals
from apps.records.presenters.entry import Entry
from apps.records.presenters.goals import GoalEntry, Group, Status
from apps.records.shelving.indexing import Aim

MOST = 200  # per connection


def of(record: int, entry: Entry) -> Iterator[Aim]:
    """The tests for which a goal sets a number; none if it is paused, over or only suggested."""
    if not isinstance(entry, GoalEntry) or entry.group != Group.CURRENT or entry.status == Status.PAUSED:
        return
    for target in entry.targets:
        if target.test and goals.bounds(target.value) is not None:
            yield Aim(record, target.test, target.value)
