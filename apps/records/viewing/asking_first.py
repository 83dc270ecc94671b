"""Ask first before something that may carry grave news is shown, by whichever address: its entry, as sent, its files,
its test over time (patient experience 3.3).

The page of its entry asks, once a session, and its other pages lead there. Who read a report was asked for its results,
too: they stand on its page.
"""

from collections.abc import MutableMapping
from typing import Any, Final

from apps.records import bodies
from apps.records.models import Record
from apps.records.presenters import elements, grave_news
from apps.records.viewing import entries
from apps.records.viewing.entries import EntryPage
from apps.vault import sealing
from apps.vault.sealing import Holder

_READ: Final = "read_though_grave"  # in the session: records whose reader said to read them now
_MOST: Final = 1000  # of them, the latest


def is_due(record: Record, *, session: MutableMapping[str, Any]) -> bool:
    """Whether its entry asks before anything of it is shown: by all that was sent, as one that is withheld or renamed
    now has what it said before on its page. Never where its reader chose not to be asked.

    Raises `apps.vault.errors.VaultError` where the record does not open.
    """
    if record.pk in session.get(_READ, []):
        return False
    if record.resource_type not in grave_news.CARRIERS or not record.user.asks_before_sensitive:
        return False
    with sealing.key_ring(Holder.user(record.user_id)) as ring:
        sent = (bodies.of(record, ring), *(body for _version, body in entries.earlier(record, ring)))
    return any(grave_news.may_be_in(elements.parse(body), resource_type=record.resource_type) for body in sent)


def note_answer(page: EntryPage, *, session: MutableMapping[str, Any]) -> None:
    """Its reader was asked, and reads it now."""
    parts = page.panel.parts if page.panel else ()
    answered = [page.record.pk, *(part.record for part in parts if part.record is not None)]
    known = session.get(_READ, [])
    session[_READ] = [*known, *(pk for pk in answered if pk not in known)][-_MOST:]
