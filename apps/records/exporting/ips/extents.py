"""What of a record the document may tell: all of it, or what a person chose to share with others.

What is kept back is not counted, nor is it told that there is any: each number would tell that it exists.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from apps.records.exporting.ips import placing
from apps.records.exporting.portions import Portion
from apps.records.presenters import delicate
from apps.records.presenters.entry import Entry
from apps.records.subjects import Subject


@dataclass(frozen=True)
class Extent:
    """`portion` is what others get; None where the document is for the person themselves. Without `tells_answers` it
    tells nothing of what the person answered about how they live and feel."""

    portion: Portion | None = None
    tells_answers: bool = True

    @property
    def is_shared(self) -> bool:
        """Whether others get it."""
        return self.portion is not None

    def chosen(self, subjects: Iterable[Subject]) -> tuple[Subject, ...]:
        """Those of these subjects of which something may be told."""
        return tuple(each for each in subjects if self.portion is None or each.key in self.portion.subjects)

    def tells(self, entry: Entry) -> bool:
        """Whether it is no answer, or answers are told."""
        return self.tells_answers or not (delicate.is_delicate(entry) or placing.is_of_pregnancy(entry))

    def keeps_back(self, subject: Subject | None, entry: Entry) -> bool:
        """Whether others must not even learn that this entry of the subject exists."""
        if self.portion is None:
            return False
        is_chosen = subject is not None and bool(self.chosen((subject,))) and self.portion.holds(subject, entry)
        return not (is_chosen and self.tells(entry))
