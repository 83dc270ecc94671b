"""One row for the same thing recorded many times: a medicine with its orders, a vaccine with its dates, a test with the
newest value of each provider.

Nothing is merged away: the newest entry represents all, and every other one is under it with its own date, status and
provider (patient experience 3.0 and 3.1). Vaccines are listed by illness, combinations under each of theirs (3.6).
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from django.utils.translation import get_language
from msgspec.structs import replace

from apps.records.presenters.entry import Entry
from apps.records.presenters.immunizations import Group, ImmunizationEntry
from apps.records.presenters.observations.results import ResultEntry
from apps.records.presenters.plain_names import illnesses
from apps.records.shelving.reading import Shelved
from apps.records.subjects import MEDICINES
from apps.records.viewing.listing.rows import Row

# There, ingredient, strength and form are one code, whatever a provider calls the medicine.
_RXNORM: Final = "http://www.nlm.nih.gov/research/umls/rxnorm"


def fold(rows: Sequence[tuple[Shelved, Row]]) -> tuple[Row, ...]:
    """The rows in their order, each thing of a person once within its group: its newest entry, with the others under
    it."""
    things: list[_Thing] = []
    known: dict[tuple[str, str, str], list[_Thing]] = defaultdict(list)
    for shelved, row in _by_illness(rows):
        name, codes = _name(shelved.entry, row), _codes(shelved.entry, row)
        names = [(row.person, row.group, each) for each in (name, *codes) if each]
        same = next((thing for each in names for thing in known[each] if thing.may_be(name, codes)), None)
        if same is None:
            same = _Thing()
            things.append(same)
        same.rows.append(row)
        same.codes |= codes
        for each in names:
            if same not in known[each]:
                known[each].append(same)
    told = (thing.rows for thing in things)
    return tuple(replace(first, others=(*first.others, *others)) if others else first for first, *others in told)


def by_test(rows: Sequence[tuple[Shelved, Row]]) -> tuple[Row, ...]:
    """The rows in their order, each test of a person once: its newest value, with the newest of each other provider
    under it."""
    told: dict[tuple[str, ...], list[tuple[Shelved, Row]]] = defaultdict(list)
    for shelved, row in rows:
        test = shelved.entry.test if isinstance(shelved.entry, ResultEntry) and not shelved.entry.is_withheld else ""
        told[(row.person, row.subject, test) if test else (str(row.record),)].append((shelved, row))
    newest_first = (
        sorted(of_it, key=lambda one: one[0].entry.when.sorts_at if one[0].entry else "", reverse=True)
        for of_it in told.values()
    )
    return tuple(
        replace(first, others=tuple(row for _shelved, row in others)) if others else first
        for (_shelved, first), *others in newest_first
    )


def apart(rows: Sequence[tuple[Shelved, Row]]) -> tuple[Row, ...]:
    """The rows in their order, each on its own."""
    return tuple(row for _shelved, row in rows)


@dataclass(eq=False)
class _Thing:
    """A thing that was recorded many times; for a medicine, with its codes if any entry has one."""

    rows: list[Row] = field(default_factory=list)
    codes: frozenset[str] = frozenset()

    def may_be(self, name: str, codes: frozenset[str]) -> bool:
        """Whether it may be the same thing. A name without a number does not give the strength: if two medicines share
        it and their codes differ, they may be two strengths."""
        if not codes or not self.codes or not self.codes.isdisjoint(codes):
            return True
        return any(letter.isdigit() for letter in name)


def _by_illness(rows: Sequence[tuple[Shelved, Row]]) -> Iterator[tuple[Shelved, Row]]:
    """Vaccines that were given, under each illness that they protect against, A to Z by illness; all others in their
    places."""
    given: list[tuple[Shelved, Row]] = []
    others: list[tuple[Shelved, Row]] = []
    language = get_language() or ""
    for shelved, row in rows:
        entry = shelved.entry
        if not isinstance(entry, ImmunizationEntry) or entry.group != Group.GIVEN:
            others.append((shelved, row))
            continue
        names = illnesses.names_of(entry.illnesses, language) or (row.title,)
        theirs = row.theirs or row.title
        given += [(shelved, replace(row, title=name, theirs=theirs if theirs != name else "")) for name in names]
    given.sort(key=lambda told: (told[1].title.casefold(), told[0].key[2]))
    yield from (*given, *others)


def _name(entry: Entry | None, row: Row) -> str:
    """The name that makes two entries the same thing; empty if an entry has none."""
    if entry is None or entry.is_withheld or not (entry.title or entry.codes):
        return ""
    return " ".join(row.title.casefold().split())


def _codes(entry: Entry | None, row: Row) -> frozenset[str]:
    """The codes that do so as well, for medicines."""
    if entry is None or entry.is_withheld or row.subject != MEDICINES.key:
        return frozenset()
    coded = (code for code in entry.codes if code.system.rstrip("/") == _RXNORM and code.code)
    return frozenset(f"rxnorm:{code.code}" for code in coded)
