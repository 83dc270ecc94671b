"""What a printed row says in addition about things that a doctor looks for first, since paper has no link to the
entry's page.

Only for allergies, medicines and conditions: their notes may say what not to give, why something was stopped, and until
when something lasted, and pages never ask before showing them.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from apps.records.presenters.allergies import AllergyEntry
from apps.records.presenters.conditions import ConditionEntry
from apps.records.presenters.entry import Entry
from apps.records.presenters.medicines.medications import MedicationEntry
from apps.records.presenters.prose import rich_text
from apps.records.shelving.reading import Shelved
from apps.records.viewing import facts
from apps.records.viewing.facts import lines
from apps.records.viewing.listing.rows import Row

# Besides what a row says on every page: for each kind, in this order.
_TOLD: Final[Mapping[type[Entry], tuple[str, ...]]] = MappingProxyType(
    {AllergyEntry: (), MedicationEntry: ("stopped_because",), ConditionEntry: ("stages", "body_sites", "ended")}
)


def in_full(shelved: Shelved, row: Row) -> Row:
    """The row with all of that, each text once."""
    entry = shelved.entry
    if entry is None or entry.is_withheld or type(entry) not in _TOLD:
        return row
    notes = (one for one in entry.said if not rich_text.is_one(one))  # unread RTF is no text
    details = dict.fromkeys((*row.details, *_facts(entry), *notes))
    return replace(row, details=tuple(filter(None, details)))


def _facts(entry: Entry) -> Iterator[str]:
    for name in _TOLD[type(entry)]:
        value = getattr(entry, name)
        if value != entry.when and (text := "; ".join(lines.of(value))):  # the row itself has its date
            yield f"{facts.label_of(entry, name)}: {text}"
