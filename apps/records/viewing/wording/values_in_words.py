"""Values of results in words. Digits and units are as sent: no language changes how a number is written."""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from msgspec.structs import replace

from apps.records import counts
from apps.records.presenters.datatypes import dates, lengths
from apps.records.presenters.datatypes.ranges import ReferenceRange
from apps.records.presenters.observations.interpretations import Place
from apps.records.presenters.observations.results import Judge, Measured, ResultEntry
from apps.records.presenters.observations.values import Absence, Kind, Value
from apps.records.presenters.observations.vitals import Vital, blood_pressure, second_unit, vital_of
from apps.records.viewing.wording import dates_in_words, provider_codes, snomed_kinds, words

_ABSENT: Final[Mapping[str, str | Promise]] = {
    Absence.UNKNOWN: _("Not known"),
    Absence.DECLINED: _("You chose not to answer"),
    Absence.NOT_DONE: _("Not done"),
    Absence.FAILED: _("The test could not be completed"),
    Absence.HIDDEN: _("Hidden by the provider"),
    Absence.NOT_GIVEN: _("No value given"),
}
# The places that a value can have relative to the usual range; anything else that a laboratory says is not a place.
BY_A_RANGE: Final = frozenset(
    {
        Place.WITHIN, Place.ABOVE, Place.BELOW, Place.FAR_ABOVE, Place.FAR_BELOW, Place.OUTSIDE, Place.FAR_OUTSIDE,
        Place.TOO_LOW, Place.TOO_HIGH,
    }
)  # fmt: skip
_USUAL: Final = frozenset({"normal", "normal range", "reference range", "usual range"})
_IN_TWO_UNITS: Final = frozenset({Vital.WEIGHT, Vital.HEIGHT, Vital.TEMPERATURE})


def of_value(value: Value) -> str:
    """A value, or why there is none; both if the provider says both."""
    return _marked(_of_kind(value), value)


def _marked(said: str, value: Value) -> str:
    if not (value and value.absence):
        return said
    return gettext("%(value)s. The provider also sent: %(reason)s") % {"value": said, "reason": _absent(value)}


def _absent(value: Value) -> str:
    reason = str(_ABSENT.get(value.absence, _ABSENT[Absence.NOT_GIVEN]))
    if not value.absence_said:
        return reason
    return gettext("%(reason)s: “%(sent)s”") % {"reason": reason, "sent": snomed_kinds.without(value.absence_said)}


def _of_kind(value: Value) -> str:
    if value.kind == Kind.QUANTITY:
        return value.quantity.shown
    if value.kind == Kind.SAMPLES:  # the quantity of samples is their origin, and not a value
        return ngettext("A recording of %(n)s value", "A recording of %(n)s values", value.samples) % {
            "n": counts.grouped(value.samples)
        }
    if value.kind in {Kind.RANGE, Kind.RATIO}:
        return _two(value)
    if value.kind == Kind.YES_OR_NO:
        return gettext("Yes") if value.is_yes else gettext("No")
    if value.kind in {Kind.MOMENT, Kind.PERIOD}:
        return dates_in_words.in_full(value.when)
    if value.kind == Kind.TIME:
        return dates.sent_time(value.text)
    if value.kind == Kind.ATTACHMENT:
        return value.attachment.title or gettext("A file")
    return snomed_kinds.without(value.text) or _absent(value)


def of_own_value(entry: ResultEntry) -> str:
    """The value of a result without its components; for weight, height and temperature also in a second unit, in
    brackets after what was sent (patient experience 3.4)."""
    said = _of_kind(entry.value)
    is_in_two = entry.value.kind == Kind.QUANTITY and vital_of(entry) in _IN_TWO_UNITS
    second = second_unit(entry.value.quantity) if is_in_two else ""
    return _marked(f"{said} ({second})" if second else said, entry.value)


def of_result(entry: ResultEntry) -> str:
    """The value of a result as its row shows it; empty if only its members have values."""
    pressure = blood_pressure(entry) if entry.components else None
    if pressure is not None:
        is_half = not pressure.upper or not pressure.lower
        return (
            gettext("%(value)s. Only one of two numbers was sent.") % {"value": pressure.shown}
            if is_half
            else pressure.shown
        )
    if entry.value or entry.says_nothing:
        return of_own_value(entry)
    return " · ".join(of_part(part.title, part.value) for part in entry.components if part.value)


def of_part(title: str, value: Value) -> str:
    """A value with its name, which some providers do not send. A name that ends like a question gets no colon."""
    name = provider_codes.told(title) if title else ""
    if not name:
        return of_value(value)
    if name.casefold() == of_value(value).casefold():  # a finding whose name is the answer
        return name
    return f"{name} {of_value(value)}" if name.endswith(("?", ":")) else f"{name}: {of_value(value)}"


def of_place(measured: Measured) -> str:
    """Where the value stands and who says so; if the laboratory's words match none of ours, they are quoted."""
    place = words.of_key(measured.place) if measured.place else ""
    if place and measured.place_by == Judge.OURS:
        return gettext("%(place)s (our comparison with the lab's range)") % {"place": place}
    quoted = ", ".join(gettext("“%(sent)s”") % {"sent": said} for said in measured.place_words)
    return place or quoted


def of_range(sent: ReferenceRange) -> str:
    """A range as sent: the laboratory's text, else its bounds."""
    low, high = sent.low.shown, sent.high.shown
    if sent.text:
        bounds = sent.text
    elif low and high:
        bounds = gettext("%(low)s to %(high)s") % {"low": sent.low.value, "high": high}
    else:
        bounds = gettext("from %(low)s") % {"low": low} if low else gettext("up to %(high)s") % {"high": high}
    ages = gettext("for ages: %(ages)s") % {"ages": lengths.in_words(sent.ages)} if sent.ages else ""
    named = ", ".join(filter(None, (sent.words, *sent.applies_to, ages)))
    return f"{bounds} ({named})" if named else bounds


def of_usual_range(sent: ReferenceRange) -> str:
    """The usual range. It is labeled as such on the page, so a name that says only that is left out."""
    return of_range(replace(sent, words="") if sent.words.casefold().strip(" .") in _USUAL else sent)


def _two(value: Value) -> str:
    if value.kind == Kind.RATIO:
        # a titer is 1:80; 5 mg and 2 h are a rate
        between = " / " if value.quantity.unit_shown or value.until.unit_shown else ":"
        return between.join(filter(None, (value.quantity.shown, value.until.shown)))
    low, high = value.quantity, value.until
    if not low or not high:
        return low.shown or high.shown
    is_unit_once = low.unit_shown == high.unit_shown and not low.comparator
    known = {"low": low.value if is_unit_once else low.shown, "high": high.shown}
    return gettext("%(low)s to %(high)s") % known
