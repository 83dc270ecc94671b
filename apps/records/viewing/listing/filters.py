"""What the address of a list asks for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from apps.records.shelving.document_names import Sort

# How a list can be arranged.
BY_DATE: Final = "date"
BY_NAME: Final = "name"
DRAFTS: Final = "drafts"
GONE: Final = "gone"


@dataclass(frozen=True)
class Filters:
    """What the address asks for, checked: nothing of it is a health fact. `source` is one connection; `person` one of
    the person whom the whole was narrowed to before, where its reader has records of several. `arranged` is one of the
    two orders, or what is not final, or no longer at its provider; empty for the subject's own. `kind` and `author` are
    marks (`narrowing`), `subject` is the key of one of all that stand by date together."""

    page: int = 1
    source: UUID | None = None
    person: UUID | None = None
    year: str = ""
    arranged: str = ""
    kind: str = ""
    author: str = ""
    subject: str = ""

    @property
    def are_chosen(self) -> bool:
        """Whether a reader narrowed the list by one of its links."""
        return bool(self.year or self.source or self.kind or self.author or self.subject)

    @property
    def marks(self) -> Mapping[Sort, str]:
        """Of what names a list of documents is narrowed to."""
        return {Sort.KIND: self.kind, Sort.AUTHOR: self.author}
