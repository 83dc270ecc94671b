"""Ask before showing anything that may carry grave news, by any address: its entry, its source, its files, its test
over time (patient experience 3.3).

The page of its entry asks once per session, and its other pages lead there. A result that belongs to a report that asks
does the same, whatever its own name says. Reading a report counts as having been asked for its results, which stand on
its page.
"""

from collections.abc import Callable, Collection, Iterable, MutableMapping
from typing import Any, Final

from apps.accounts.models import User
from apps.records import bodies
from apps.records.models import Record
from apps.records.presenters import elements, grave_news
from apps.records.shelving.reading import OpenShelf
from apps.records.viewing import entries
from apps.records.viewing.entries import EntryPage
from apps.vault import sealing
from apps.vault.sealing import Holder, KeyRing

_READ: Final = "read_though_grave"  # in the session: the records that the reader chose to read
_MOST: Final = 1000  # the latest of them


def is_due(record: Record, *, session: MutableMapping[str, Any]) -> bool:
    """Whether its entry asks before anything of it is shown. Everything sent counts, as the page of an entry that is
    now withheld or renamed also shows what it said before. Never if its reader chose not to be asked.

    Raises `apps.vault.errors.VaultError` if the record does not open.
    """
    return _may_ask(record, session) and _is_grave(record)


def is_due_beside(
    shelves: Iterable[OpenShelf], record: Record, ring: KeyRing, *, session: MutableMapping[str, Any]
) -> bool:
    """The same if shelves are open already, among them those of results."""
    if not _may_ask(record, session):
        return False
    of_grave = frozenset().union(*(each.of_grave for each in shelves if each.connection_id == record.connection_id))
    return _is_grave_among(of_grave, record, ring)


def is_due_on(page: EntryPage, *, session: MutableMapping[str, Any]) -> bool:
    """The same for the page of its entry, which has opened what was sent, except versions that it leaves out."""
    if not _may_ask(page.record, session):
        return False
    return page.may_be_grave or (page.older > 0 and _is_grave(page.record))


def opener(user: User, *, session: MutableMapping[str, Any]) -> Callable[[int], bool]:
    """A function that says, given a record's id, whether this reader chose to read that record, or not to be asked at
    all."""
    read = frozenset(session.get(_READ, []))
    return lambda pk: pk in read or not user.asks_before_grave_news


def _may_ask(record: Record, session: MutableMapping[str, Any]) -> bool:
    return record.resource_type in grave_news.CARRIERS and not opener(record.user, session=session)(record.pk)


def _is_grave(record: Record) -> bool:
    with sealing.key_ring(Holder.user(record.user_id)) as ring:
        return _is_grave_among(entries.known(record, ring).of_grave, record, ring)


def _is_grave_among(of_grave: Collection[str], record: Record, ring: KeyRing) -> bool:
    """`of_grave` are the results that belong to what may carry grave news, as `Type/id`."""
    if f"{record.resource_type}/{record.logical_id}" in of_grave:
        return True
    sent = (bodies.of(record, ring), *(body for _version, body in entries.earlier(record, ring)))
    return any(grave_news.may_be_in(elements.parse(body), resource_type=record.resource_type) for body in sent)


def note_answer(page: EntryPage, *, session: MutableMapping[str, Any]) -> None:
    """Note that its reader was asked, and chose to read it."""
    parts = page.panel.parts if page.panel else ()
    answered = [page.record.pk, *(part.record for part in parts if part.record is not None)]
    known = session.get(_READ, [])
    session[_READ] = [*known, *(pk for pk in answered if pk not in known)][-_MOST:]
