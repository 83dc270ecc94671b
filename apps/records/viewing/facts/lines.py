"""Any value of an entry as lines of text."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, Final

import msgspec
from django.utils.translation import get_language, gettext, ngettext
from msgspec.structs import fields, replace

from apps.records import counts
from apps.records.presenters import allergies, immunizations, insurance, plain_names
from apps.records.presenters.care_plans import Activity, Progress
from apps.records.presenters.care_teams import Circle, Member
from apps.records.presenters.datatypes import dates, lengths
from apps.records.presenters.datatypes.lengths import Length
from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.datatypes.quantities import Quantity
from apps.records.presenters.datatypes.ranges import ReferenceRange
from apps.records.presenters.dosing import dosage_words
from apps.records.presenters.dosing.dosages import Dosage
from apps.records.presenters.entry import NOT_GIVEN, Code
from apps.records.presenters.generic import particular_words
from apps.records.presenters.generic.particulars import Particular
from apps.records.presenters.medicines.supplies import Supply
from apps.records.presenters.observations.results import Component, Measured
from apps.records.presenters.observations.values import Attachment, Value
from apps.records.presenters.persons.patient import Address, Contact
from apps.records.viewing.facts import labels, repeating
from apps.records.viewing.wording import dates_in_words, provider_codes, reactions, snomed_kinds, values_in_words, words

MOST: Final = 200
_KEYS_KEPT: Final = 1024  # more than there are, in both languages
PART: Final = " · "  # between the parts of one thing
_SHOWN_IF_EMPTY: Final = When, Attachment  # an unknown date; a file that cannot be opened
SEVERAL: Final = tuple, list


def of(value: object) -> tuple[str, ...]:
    """The lines of one value; none if it is empty."""
    if isinstance(value, SEVERAL):
        return _of_several(value) if value else ()
    if isinstance(value, Dosage):
        return _dosage(value)
    said = _one(value)
    return (said,) if said else ()


def _of_several(values: Sequence[object]) -> tuple[str, ...]:
    if len(values) > 1 and isinstance(values[0], Dosage):  # one per line, each with its time
        return tuple(PART.join(of(part)) for part in values[:MOST])
    if isinstance(values[0], Activity):
        return _each_once(line for part in values[:MOST] for line in of(part))
    return tuple(line for part in values[:MOST] for line in of(part))


def _each_once(said: Iterable[str]) -> tuple[str, ...]:
    """Lines that occur several times in the same words are shown once, with the number of times."""
    times = Counter(said)
    return tuple(
        ngettext("%(what)s (%(n)s time)", "%(what)s (%(n)s times)", n) % {"what": line, "n": counts.grouped(n)}
        if n > 1
        else line
        for line, n in times.items()
    )


def of_length(value: object) -> tuple[str, ...]:
    """The line of an amount of time: 90 minutes."""
    said = lengths.in_words(Length(value)) if isinstance(value, Quantity) else ""
    return (said,) if said else ()


def of_date(sent: object) -> tuple[str, ...]:
    """The line of a FHIR date as sent; none if it is not a text."""
    said = dates.sent_date(sent) if isinstance(sent, str) else ""
    return (said,) if said else ()


def of_particular(one: Particular) -> tuple[str, ...]:
    """What it says, in our words if a code was sent for which we have some."""
    if one.what not in particular_words.KEYED:
        return one.said
    return tuple(str(particular_words.WORDS.get(said, said)) for said in one.said)


def of_unknown(value: object) -> tuple[str, ...]:
    """The line for what the provider says it does not know."""
    return (gettext("Not known"),) if value else ()


def of_severity(value: object) -> tuple[str, ...]:
    """The line for the severity of a condition."""
    said = words.of_severity(_text(value)) if isinstance(value, str) else ""
    return (said,) if said else ()


def and_more(left: int) -> tuple[str, ...]:
    """The line that says how many are left out; none if all are shown."""
    if not left:  # the usual case: a page has hundreds of lists that are shown in full
        return ()
    return (ngettext("and %(count)s more", "and %(count)s more", left) % {"count": counts.grouped(left)},)


def _one(value: object) -> str:
    kind: Any = type(value)
    say = _saying(kind)
    return "" if say is None else say(value)


@cache
def _saying(kind: Any) -> Callable[[Any], str] | None:
    """The function that puts values of that kind into words; None if there is none."""
    say = next((say for base, say in _SAYINGS.items() if issubclass(kind, base)), None)
    return _together if say is None and issubclass(kind, msgspec.Struct) else say


@cache
def _parts(kind: Any) -> tuple[str, ...]:
    """The names of the parts of a smaller thing that are shown."""
    names = (field.name for field in fields(kind))
    return tuple(name for name in names if not name.startswith("_") and not labels.is_technical(kind.__name__, name))


def _together(value: Any) -> str:
    """The parts of a smaller thing on one line: a reaction, an activity, a member of a team."""
    whole: Any = type(value)
    kind, said = whole.__name__, list[str]()
    for name in _parts(whole):
        part = getattr(value, name)
        if part or isinstance(part, _SHOWN_IF_EMPTY):
            said.append(labels.of_field(kind, name) if part is True else _labelled(kind, name, part))
    return PART.join(dict.fromkeys(filter(None, said)))  # each once: a plan's value may equal its name


def _labelled(kind: str, name: str, part: object) -> str:
    if isinstance(part, StrEnum):
        return "" if part == NOT_GIVEN else _labelled_key(kind, name, part, get_language() or "")
    text = ", ".join(of(part))
    label = labels.within(kind, name) if text else ""
    if label and isinstance(part, When) and dates_in_words.follows_a_word(part):  # "valid since March 4, 2019"
        return f"{label} {text[:1].lower()}{text[1:]}"
    return f"{label}: {text}" if label else text


@lru_cache(maxsize=_KEYS_KEPT)
def _labelled_key(kind: str, name: str, key: StrEnum, _language: str) -> str:
    """The same for a word of a closed vocabulary. It is cached: rows of a page share the same few, and each needs two
    translations."""
    text = words.of_key(key)
    label = labels.within(kind, name) if text else ""
    return f"{label}: {text}" if label else text


def _dose(dose: immunizations.Dose) -> str:
    """1 of 2, of which series, against what."""
    numbered = _numbered(dose.number, dose.of)
    if dose.of and not dose.number:
        numbered = gettext("one of %(of)s") % {"of": dose.of}
    standing = gettext("does not count as a dose") if dose.counts_not else ""
    said = (numbered, dose.series, ", ".join(of(dose.illnesses)), standing or dose.standing, dose.because)
    return PART.join(dict.fromkeys(filter(None, said)))


def _numbered(number: str, of: str) -> str:
    return gettext("%(number)s of %(of)s") % {"number": number, "of": of} if number and of else number


def _activity(activity: Activity) -> str:
    """What to do or to avoid, how far it is, and when it is planned."""
    is_told = not activity.when or repeating.tells_when(activity.schedule, activity.when)
    when = "" if is_told else _labelled("Activity", "when", activity.when)
    if activity.progress == Progress.PLANNED and when:
        when = _when(activity.when)  # the word before it already says that it is planned
    to_avoid = labels.of_field("Activity", "is_to_avoid") if activity.is_to_avoid else ""
    progress = "" if activity.progress == NOT_GIVEN else words.of_key(activity.progress)
    said = (to_avoid, _text(activity.text), progress, *of_details(activity), when, ", ".join(of(activity.said)))
    said = (*said, *of(activity.progress_notes))
    return PART.join(dict.fromkeys(filter(None, said)))


def of_details(activity: Activity) -> tuple[str, ...]:
    """How often and how much, where and by whom, and why it has its status."""
    amounts = (_labelled("Activity", name, getattr(activity, name)) for name in ("daily", "quantity"))
    ends = (_labelled("Activity", name, getattr(activity, name)) for name in ("reasons", "outcomes"))
    also = _labelled("Activity", "also", activity.also) if activity.also else ""
    whole = (also, *of(activity.why_so), *of(activity.schedule), *amounts, activity.place, *activity.people, *ends)
    return tuple(filter(None, whole))


def _particular(one: Particular) -> str:
    return f"{particular_words.LABELS[one.what]}: {', '.join((*of_particular(one), *and_more(one.more)))}"


def _recommendation(one: immunizations.Recommendation) -> str:
    """Which vaccine, against what, and from when; if only codes were sent, they are labeled as codes."""
    named = (provider_codes.told(one.vaccine), provider_codes.told(one.illness))
    due, until, overdue = (
        _labelled("Recommendation", name, when) if (when := getattr(one, name)) else ""
        for name in ("due", "until", "overdue")
    )
    numbered = _numbered(one.dose, one.of)
    dose = _labelled("Recommendation", "dose", numbered) if numbered else ""
    against = _labelled("Recommendation", "against", one.against) if one.against else ""
    said = (*named, due, until, overdue, _text(one.status), against, *of(one.because), dose, one.series, one.said)
    return PART.join(dict.fromkeys(filter(None, said)))


def _supply(supply: Supply) -> str:
    """Each part with a word before it; the amount is counted like a dose: 30 tablets."""
    parts = {"quantity": dosage_words.counted(supply.quantity), "lasts": lengths.in_words(Length(supply.lasts))}
    parts |= {"refills": supply.refills, "first": dosage_words.counted(supply.first)}
    parts |= {name: lengths.in_words(Length(getattr(supply, name))) for name in ("first_lasts", "every")}
    said = [_labelled("Supply", name, part) for name, part in parts.items() if part]
    return PART.join((*said, *((_labelled("Supply", "valid", supply.valid),) if supply.valid else ())))


def _member(member: Member) -> str:
    """Their role, then their name (patient experience 3.9), how to reach them, and from when to when."""
    name = _text(member.name) or gettext("Name not given")
    circle = "" if member.circle == Circle.OTHERS else words.of_key(member.circle)
    behalf = _labelled("Member", "on_behalf_of", member.on_behalf_of) if member.on_behalf_of else ""
    said = (", ".join(of(member.roles)), name, circle, ", ".join(of(member.contacts)), behalf, _span(member))
    return PART.join(dict.fromkeys(filter(None, said)))


def _span(member: Member) -> str:
    period = When(starts=member.since, ends=member.until, is_open=not member.until)
    said = dates_in_words.in_words(period) if period else ""
    return f"{said[:1].lower()}{said[1:]}" if dates_in_words.has_one_side(period) else said


def _contact(contact: Contact) -> str:
    return contact.value


def _measured(measured: Measured) -> str:
    said = values_in_words.of_part(_name_of_part(measured), measured.value)
    usual = _labelled("Component", "usual_range", measured.usual_range) if measured.usual_range else ""
    return PART.join(filter(None, (said, values_in_words.of_place(measured), usual)))


def _name_of_part(measured: Measured) -> str:
    """The provider's name for it; ours if only a code was sent."""
    if not isinstance(measured, Component) or measured.title:
        return str(getattr(measured, "title", ""))
    plain = plain_names.of(measured.codes)
    return str(plain.words) if plain else ""


def _class_of_plan(fact: insurance.Fact) -> str:
    kind = str(insurance.CLASS_WORDS.get(fact.kind, fact.kind))
    said = PART.join(dict.fromkeys(filter(None, (fact.name, fact.value))))
    return ": ".join(filter(None, (kind, said)))


def _cost(cost: insurance.Cost) -> str:
    return _together(replace(cost, of=str(insurance.COST_WORDS.get(cost.of, cost.of))))


def _attached(attachment: Attachment) -> str:
    return attachment.title or attachment.media_type


def _dosage(dosage: Dosage) -> tuple[str, ...]:
    """All its lines. If the structured parts contradict the provider's text, that is said beside the text."""
    text, *others = dosage_words.lines(dosage) or ("",)
    said = tuple(
        filter(None, (text if dosage.text else snomed_kinds.without(text), *map(snomed_kinds.without, others)))
    )
    if not dosage.differs:
        return said
    differing = gettext("%(said)s (also sent: %(other)s). These differ. Ask the provider.") % {
        "said": dosage.text,
        "other": dosage_words.sentence(dosage),
    }
    return (differing, *said[1:])


def _text(text: str) -> str:
    return "" if text == NOT_GIVEN else snomed_kinds.without(text)


def _key(key: StrEnum) -> str:
    return "" if key == NOT_GIVEN else words.of_key(key)


def _when(when: When) -> str:
    return dates_in_words.in_full(when) if when or when.unknown else ""


# The first type that fits: a StrEnum is also a str, and a bool also an int.
_SAYINGS: Final[Mapping[type, Callable[[Any], str]]] = MappingProxyType(
    {
        StrEnum: _key,
        str: _text,
        bool: lambda yes: gettext("Yes") if yes else "",
        int: lambda number: str(number) if number else "",
        float: lambda number: f"{number:g}",
        When: _when,
        Quantity: lambda quantity: quantity.shown,
        Length: lengths.in_words,
        Value: lambda value: values_in_words.of_value(value) if value else "",
        ReferenceRange: values_in_words.of_usual_range,
        Attachment: _attached,
        Contact: _contact,
        Address: lambda address: ", ".join(address.lines),
        Code: lambda _code: "",
        Measured: _measured,
        insurance.Fact: _class_of_plan,
        insurance.Cost: _cost,
        Particular: _particular,
        immunizations.Dose: _dose,
        Supply: _supply,
        Activity: _activity,
        allergies.Reaction: lambda reaction: _together(reactions.of(reaction)),
        immunizations.Recommendation: _recommendation,
        Member: _member,
    }
)
