"""Which groups of a list are collapsed at first (patient experience 3.0, 3.1): what was ruled out, and past medicines
if there are many. Everything else is open, since most people never open what is collapsed."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from apps.records.presenters.medicines import medications
from apps.records.shelving.reading import OpenShelf
from apps.records.subjects import MEDICINES, Subject
from apps.records.viewing.listing.entry_list import Section

_RULED_OUT: Final = "ruled-out"
_FEW: Final = 10  # so few past medicines push nothing off the screen


def close(sections: Iterable[Section], subject: Subject, shelves: Iterable[OpenShelf]) -> tuple[Section, ...]:
    """The sections of one page, one for each group. The first is never closed: it is what people come to this page
    for."""
    held: Counter[str] = Counter()
    for shelf in shelves:
        held.update(shelf.index.groups if shelf.index is not None else {})
    return tuple(_each(sections, subject, held))


def _each(sections: Iterable[Section], subject: Subject, held: Counter[str]) -> Iterator[Section]:
    for place, section in enumerate(sections):
        group = section.rows[0].group
        is_long = subject is MEDICINES and group == medications.Group.PAST and held[group] > _FEW
        is_closed = place > 0 and (is_long or group == _RULED_OUT)
        yield replace(section, closed=held[group]) if is_closed else section
