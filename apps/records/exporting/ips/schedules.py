"""When a medicine is to be taken, as a Timing of R4 from either version.

DSTU2 has other names for three elements, and only one `when`; their meanings are the same. The Timing accompanies the
text, never replaces it, and is complete or left out: half of a timing is another dose. Each rule is one of R4, with its
name there.
"""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from apps.records.exporting.ips import r4_elements
from apps.records.exporting.ips.r4_elements import Part
from apps.records.presenters import codeable_concepts, elements
from apps.records.presenters.datatypes import moments, quantities
from apps.records.presenters.elements import Element
from apps.wire import datetimes
from apps.wire.dialects import FhirVersion

_UNITS: Final = frozenset({"s", "min", "h", "d", "wk", "mo", "a"})
_DAYS: Final = frozenset({"mon", "tue", "wed", "thu", "fri", "sat", "sun"})
_MEALS: Final = frozenset({"C", "CM", "CD", "CV"})
_EVENTS: Final = _MEALS | frozenset(
    {
        "MORN", "MORN.early", "MORN.late", "NOON", "AFT", "AFT.early", "AFT.late", "EVE", "EVE.early", "EVE.late",
        "NIGHT", "PHS", "HS", "WAKE", "AC", "ACM", "ACD", "ACV", "PC", "PCM", "PCD", "PCV",
    }
)  # fmt: skip
_TIME: Final = re.compile(r"([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?", re.ASCII)
_MOST: Final = 50  # times, days or events per timing


def timing(dosage: Element, *, version: FhirVersion) -> Part:
    """What a dosage says about when, as elements of a Dosage: its timing, whether it is only taken as needed, and its
    place in the sequence. Empty if any of it is invalid in its version."""
    sent, sequence = dosage.get("timing"), dosage.get("sequence", 0)
    if not isinstance(sent, dict) or "modifierExtension" in dosage or not _is_whole(sequence):
        return {}
    written, needed = _timing(_of_r4(sent) if version is FhirVersion.DSTU2 else sent), _needed(dosage)
    if not written or not all(needed.values()):
        return {}
    return r4_elements.without_empty({"sequence": sequence or None, "timing": written, **needed})


def _needed(dosage: Element) -> Part:
    """Whether it is only taken as needed, and for what; an empty value if that is unclear."""
    found = {name: dosage[name] for name in ("asNeededBoolean", "asNeededCodeableConcept") if name in dosage}
    if found == {"asNeededBoolean": False}:
        return {}
    reason = found.get("asNeededCodeableConcept")
    if (
        len(found) == 1
        and isinstance(reason, dict)
        and (codeable_concepts.title_of(reason) or codeable_concepts.codes_of(reason))
    ):
        return {
            "asNeededCodeableConcept": r4_elements.concept(
                codeable_concepts.title_of(reason), codeable_concepts.codes_of(reason)
            )
        }
    return {name: found == {"asNeededBoolean": True} for name in found}


def _of_r4(sent: Element) -> Element:
    """A Timing of DSTU2 with the names of R4. If it has an element under both names, it is returned unchanged, which is
    invalid in either version."""
    repeat = sent.get("repeat")
    if not isinstance(repeat, dict) or any({old, new} <= repeat.keys() for old, new in _RENAMED.items()):
        return sent
    renamed = {_RENAMED.get(name, name): value for name, value in repeat.items()}
    when = renamed.get("when")
    return {**sent, "repeat": {**renamed, "when": [when]} if isinstance(when, str) else renamed}


_RENAMED: Final = {
    "boundsQuantity": "boundsDuration", "periodUnits": "periodUnit", "durationUnits": "durationUnit",
}  # fmt: skip


def _timing(sent: Element) -> Part:
    if not sent.keys() <= {"id", "event", "repeat", "code"}:
        return {}
    events, repeat, code = sent.get("event", []), sent.get("repeat", {}), elements.child(sent, "code")
    if not _are(_is_moment, events) or not isinstance(repeat, dict) or not _is_repeated(repeat):
        return {}
    coded = r4_elements.concept(codeable_concepts.title_of(code), codeable_concepts.codes_of(code)) if code else {}
    return r4_elements.without_empty({"event": events, "repeat": {**repeat, **_bounds(repeat)}, "code": coded})


def _is_repeated(repeat: Element) -> bool:
    return all(name in _KINDS and _KINDS[name](value) for name, value in repeat.items()) and _is_lawful(repeat)


def _is_lawful(repeat: Element) -> bool:
    """tim-1, 2 and 6 to 10, and that there is only one kind of bound."""
    needed = {"duration": "durationUnit", "period": "periodUnit", "periodMax": "period", "durationMax": "duration",
              "countMax": "count", "offset": "when"}  # fmt: skip
    has_all = all(other in repeat for name, other in needed.items() if name in repeat)
    is_of_day = "timeOfDay" in repeat and "when" in repeat
    is_of_meal = "offset" in repeat and not _MEALS.isdisjoint(repeat.get("when", ()))
    return has_all and not is_of_day and not is_of_meal and sum(name.startswith("bounds") for name in repeat) <= 1


def _bounds(repeat: Element) -> Part:
    """The bounds in the form used elsewhere in the document, without what R4 does not have."""
    return {name: _BOUNDS[name](value) for name, value in repeat.items() if name in _BOUNDS}


def _period(sent: Any) -> Part:
    return r4_elements.period(moments.of_period(sent, means="")) if isinstance(sent, dict) else {}


def _duration(sent: Any) -> Part:
    """drt-1: it has a unit of time with its code."""
    written = r4_elements.quantity(quantities.read(sent)) if isinstance(sent, dict) else {}
    return written if written.get("code") in _UNITS and "value" in written else {}


def _range(sent: Any) -> Part:
    """rng-2: low is not above high, and both have the same unit."""
    if not isinstance(sent, dict):
        return {}
    sides = {side: _duration(sent[side]) for side in ("low", "high") if side in sent}
    if not all(side and "comparator" not in side for side in sides.values()):
        return {}
    low, high = sides.get("low"), sides.get("high")
    is_lawful = not low or not high or (low["code"] == high["code"] and low["value"] <= high["value"])
    return sides if is_lawful else {}


def _is_moment(value: object) -> bool:
    return isinstance(value, str) and datetimes.parse(value) is not None and r4_elements.date(value) == value


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_count(value: object) -> bool:
    return _is_whole(value) and value != 0


def _is_amount(value: object) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool) and value >= 0  # tim-4 and 5


def _are(is_one: Callable[[Any], bool], values: object) -> bool:
    return isinstance(values, list) and len(values) <= _MOST and all(map(is_one, values))


def _among(known: frozenset[str]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and value in known


def _written_by(write: Callable[[Any], Part]) -> Callable[[Any], bool]:
    return lambda value: bool(write(value))


def _is_time(value: object) -> bool:
    return isinstance(value, str) and _TIME.fullmatch(value) is not None


_BOUNDS: Final[Mapping[str, Callable[[Any], Part]]] = MappingProxyType(
    {"boundsPeriod": _period, "boundsDuration": _duration, "boundsRange": _range}
)
_KINDS: Final[Mapping[str, Callable[[Any], bool]]] = MappingProxyType(
    {
        **{name: _written_by(write) for name, write in _BOUNDS.items()},
        **dict.fromkeys(("count", "countMax", "frequency", "frequencyMax"), _is_count),
        **dict.fromkeys(("duration", "durationMax", "period", "periodMax"), _is_amount),
        **dict.fromkeys(("durationUnit", "periodUnit"), _among(_UNITS)),
        "dayOfWeek": lambda values: bool(values) and _are(_among(_DAYS), values),
        "timeOfDay": lambda values: bool(values) and _are(_is_time, values),
        "when": lambda values: bool(values) and _are(_among(_EVENTS), values),
        "offset": _is_whole,
    }
)
