"""A bill on its own page, line by line: what was billed, allowed, paid and left to the patient, in our words."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext
from msgspec.structs import replace

from apps.records.presenters import adjudications
from apps.records.presenters.adjudications import AMOUNT_WORDS, NO_BILL, REASON_WORDS, Amount, Bill, Charge
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Entry
from apps.records.presenters.generic.any_resource import GenericEntry
from apps.records.presenters.generic.particular_words import What
from apps.records.viewing.wording import dates_in_words, provider_codes


@dataclass(frozen=True)
class AmountInWords:
    """One amount: its kind, how much it is, and why."""

    of: str
    said: str
    why: str


@dataclass(frozen=True)
class Part:
    """A line of the bill, or the whole: its name, when care was given, its amounts, and its notes."""

    name: str
    when: str = ""
    amounts: tuple[AmountInWords, ...] = ()
    notes: tuple[str, ...] = ()
    is_called_by_them: bool = False


@dataclass(frozen=True)
class Charges:
    """The whole first, since people look for that. `left` counts the lines left out."""

    parts: tuple[Part, ...] = ()
    left: int = 0

    def __bool__(self) -> bool:
        return bool(self.parts)


def of(entry: Entry, resource: Element) -> tuple[Charges, Entry]:
    """The charges of a bill, and the entry without what they say better; for anything else no charges, and the entry as
    it is."""
    is_one = isinstance(entry, GenericEntry) and not entry.is_withheld and not entry.is_withdrawn
    bill = adjudications.read(resource) if is_one else NO_BILL
    return Charges(tuple(_parts(bill, entry)), bill.more), _besides(entry, bill)


def _parts(bill: Bill, entry: Entry) -> Iterator[Part]:
    if bill.whole:
        yield Part(gettext("The whole bill"), amounts=_amounts(bill.whole))
    for line in bill.lines:
        is_of_its_day = line.when.starts[:10] == entry.when.starts[:10]
        when = (
            ""
            if is_of_its_day or not line.when
            else f"{dates_in_words.of_meaning('care')}: {dates_in_words.in_full(line.when)}"
        )
        yield Part(_named(line), when, _amounts(line.amounts), line.notes, is_called_by_them=bool(line.name))


def _named(line: Charge) -> str:
    if line.name:
        return line.name
    numbered = gettext("Line %(number)s") % {"number": line.number}
    return " · ".join(filter(None, (numbered, provider_codes.in_words(line.code) if line.code else "")))


def _amounts(amounts: tuple[Amount, ...]) -> tuple[AmountInWords, ...]:
    return tuple(AmountInWords(str(AMOUNT_WORDS.get(one.of, one.of)), one.said, _why(one)) for one in amounts)


def _why(one: Amount) -> str:
    return ", ".join(str(REASON_WORDS.get(reason, reason)) for reason in one.reasons)


def _besides(entry: Entry, bill: Bill) -> Entry:
    told = {What.AMOUNTS} if bill.whole else set()
    told |= {What.LINES} if bill.lines else set()
    if not told or not isinstance(entry, GenericEntry):
        return entry
    return replace(entry, particulars=tuple(one for one in entry.particulars if one.what not in told))
