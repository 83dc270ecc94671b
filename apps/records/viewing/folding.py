"""One row for the same thing told many times: a medicine with its orders, a vaccine with its dates.

Nothing is merged away: the newest stands for all, and every other entry is under it with its own date, status and
provider (patient experience 3.0 and 3.1). A vaccine is told by illness, and a combination under each (3.6).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from apps.records.presenters.entry import Entry
from apps.records.presenters.illnesses import ILLNESS_WORDS
from apps.records.presenters.immunizations import Group, ImmunizationEntry
from apps.records.shelving.reading import Shelved
from apps.records.subjects import MEDICINES
from apps.records.viewing.rows import Row

# Ingredient, strength and form are one code there, whatever a provider calls it.
_RXNORM: Final = "http://www.nlm.nih.gov/research/umls/rxnorm"


def fold(rows: Sequence[tuple[Shelved, Row]]) -> tuple[Row, ...]:
    """The rows in their order, each thing of a person once within its group: its newest entry, with the others under
    it."""
    alike: list[list[Row]] = []
    known: dict[tuple[str, str, str], list[Row]] = {}
    for shelved, row in _by_illness(rows):
        names = [(row.person, row.group, name) for name in _names(shelved.entry, row)]
        same = next((known[name] for name in names if name in known), None)
        if same is None:
            same = []
            alike.append(same)
        same.append(row)
        known |= dict.fromkeys(names, same)
    return tuple(replace(first, others=(*first.others, *others)) if others else first for first, *others in alike)


def _by_illness(rows: Sequence[tuple[Shelved, Row]]) -> Iterator[tuple[Shelved, Row]]:
    """Vaccines that were given, under each illness that they are against, those A to Z; the others where they are."""
    given: list[tuple[Shelved, Row]] = []
    others: list[tuple[Shelved, Row]] = []
    for shelved, row in rows:
        entry = shelved.entry
        if not isinstance(entry, ImmunizationEntry) or entry.group != Group.GIVEN:
            others.append((shelved, row))
            continue
        names = [str(ILLNESS_WORDS[illness]) for illness in entry.illnesses] or [row.title]
        theirs = row.theirs or row.title
        given += [(shelved, replace(row, title=name, theirs=theirs if theirs != name else "")) for name in names]
    given.sort(key=lambda told: (told[1].title.casefold(), told[0].key[2]))
    yield from (*given, *others)


def _names(entry: Entry | None, row: Row) -> tuple[str, ...]:
    """What makes two entries the same thing: the name, and a medicine's code. Nothing, for what has no name."""
    if entry is None or entry.is_withheld or not (entry.title or entry.codes):
        return ()
    codes = (
        f"rxnorm:{code.code}"
        for code in (entry.codes if row.subject == MEDICINES.key else ())
        if code.system.rstrip("/") == _RXNORM and code.code
    )
    return (" ".join(row.title.casefold().split()), *codes)
