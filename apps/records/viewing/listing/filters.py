"""What the address of a list asks for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from apps.records.shelving.document_names import FilterBy

# The ways to arrange a list.
BY_DATE: Final = "date"
BY_NAME: Final = "name"
DRAFTS: Final = "drafts"
GONE: Final = "gone"


@dataclass(frozen=True)
class Filters:
    """What the address asks for, validated; none of it reveals anything about health. `source` is a connection;
    `person` is any connection of the person to whom the record was restricted before, if its reader has records of
    several. `arranged` is one of the two orders, or selects what is not final or no longer at its provider; empty for
    the subject's own order. `kind` and `author` are marks (`narrowing`); `subject` is the key of one of the subjects
    that are listed together by date."""

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
        """Whether the reader restricted the list by one of its links."""
        return bool(self.year or self.source or self.kind or self.author or self.subject)

    @property
    def marks(self) -> Mapping[FilterBy, str]:
        """The marks of the names to which a list of documents is restricted."""
        return {FilterBy.KIND: self.kind, FilterBy.AUTHOR: self.author}
