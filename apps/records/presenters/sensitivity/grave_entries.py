"""Whether a presented entry may carry grave news, by its name and the names of its parts."""

from collections.abc import Iterator

from apps.records.presenters import grave_news
from apps.records.presenters.documents import DocumentEntry
from apps.records.presenters.entry import Code, Entry
from apps.records.presenters.observations.results import ResultEntry


def may_carry(entry: Entry) -> bool:
    """Whether an entry may carry grave news. The entry of a report already knows."""
    return getattr(entry, "may_be_grave", False) or any(grave_news.is_named_by(*named) for named in names_of(entry))


def names_of(entry: Entry) -> Iterator[tuple[str, tuple[Code, ...]]]:
    """The names and codes by which to judge: a result's own and those of its parts, a document's title and its other
    names."""
    if isinstance(entry, ResultEntry):
        yield entry.title, entry.codes
        yield from ((part.title, part.codes) for part in entry.components)
    if isinstance(entry, DocumentEntry):
        yield entry.title, (*entry.codes, *entry.category_codes)
        for said in (entry.name, *entry.categories, *[file.described.title for file in entry.files]):
            yield said, ()
