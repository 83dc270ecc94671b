"""What of a record the document may include: all of it, a part, or what a person chose to share with others.

What is kept back is neither counted nor mentioned: each number would reveal that it exists.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from uuid import UUID

from apps.records.exporting import results_of_grave_reports
from apps.records.exporting.choosing import Choice
from apps.records.exporting.ips import placing
from apps.records.exporting.portions import WHOLE, Portion
from apps.records.exporting.stored import Source
from apps.records.presenters.entry import Entry
from apps.records.presenters.sensitivity import delicate, grave_entries
from apps.records.subjects import RESULTS, Subject


@dataclass(frozen=True)
class Extent:
    """`portion` is what the document includes, and says whether it is for others. Without `tells_answers`, it leaves
    out what the person answered about how they live and feel. `of_grave` has, by connection, the results that belong to
    what may carry grave news, if these are kept back."""

    portion: Portion = WHOLE
    tells_answers: bool = True
    of_grave: Mapping[UUID, frozenset[str]] = field(default_factory=dict)

    @property
    def is_shared(self) -> bool:
        """Whether it is for others."""
        return self.portion.is_for_others

    @cached_property
    def is_all(self) -> bool:
        """Whether it is complete, and for the person themselves."""
        return self.portion.is_whole and not self.is_shared

    def chosen(self, subjects: Iterable[Subject]) -> tuple[Subject, ...]:
        """Those of these subjects of which something may be included."""
        return tuple(each for each in subjects if each.key in self.portion.subjects)

    def tells(self, entry: Entry) -> bool:
        """Whether the entry is not an answer, or answers are included."""
        return self.tells_answers or not (delicate.is_delicate(entry) or placing.is_of_pregnancy(entry))

    @property
    def hides_grave(self) -> bool:
        """Whether to leave out everything that may carry grave news, as pages for others do."""
        return not self.portion.tells_sensitive

    def knowing_grave(self, choices: Sequence[Choice], *, today: date) -> "Extent":
        """The same, with the results that belong to grave news if they matter. Raises
        `apps.vault.errors.VaultError`."""
        if not self.hides_grave or not self.chosen((RESULTS,)):
            return self
        return replace(self, of_grave=results_of_grave_reports.to_grave(choices, today=today))

    def keeps_back(self, subject: Subject | None, entry: Entry, source: Source) -> bool:
        """Whether a reader must not even learn that this entry of the subject exists. The person themselves does learn
        of their answers: the document says how many there are."""
        if self.is_all:
            return False
        is_chosen = subject is not None and bool(self.chosen((subject,))) and self.portion.holds(subject, entry)
        is_told = is_chosen and (self.tells(entry) or not self.is_shared)
        return not is_told or (self.hides_grave and self._is_grave(entry, source))

    def _is_grave(self, entry: Entry, source: Source) -> bool:
        known = self.of_grave.get(source.connection_id, frozenset())
        return results_of_grave_reports.belongs(entry, known) or grave_entries.may_carry(entry)
