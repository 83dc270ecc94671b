"""The amounts that a provider's text names: "take 2 tablets (500 mg each)", "10 mL of 250 mg/5 mL", "½ to 1 tablet".

They serve only to check whether a text agrees with the coded parts of its dosage (`disagreeing`), and are never shown.
An amount is converted to the base unit of its dimension, so that 1 g equals 1000 mg. An amount that a pharmacy hands
over ("dispense 30 tablets") does not count: nobody takes it at once.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from itertools import islice
from types import MappingProxyType
from typing import Final

_MOST = 40  # amounts in one text; a text with more is not an instruction
PIECE: Final = "piece"  # a tablet, a capsule or a pill: the text may say one, and the code another
PIECES: Final = frozenset({PIECE, "puff", "drop", "patch", "spray", "suppository", "lozenge", "vial", "packet"})


class Role(StrEnum):
    """What an amount is, by the words around it."""

    DOSE = "dose"
    WHOLE = "whole"  # 2 tablets (1000 mg total)
    STRENGTH = "strength"  # 2 tablets (500 mg each), 500 mg tablets
    A_DAY = "a-day"  # 20 mg a day, divided
    MOST = "most"  # not more than 8 tablets


@dataclass(frozen=True)
class Amount:
    """An amount from `low` to `high` in the base unit of `dimension`; the two are equal unless it is a range.

    `per` is the divisor: the 5 mL in 250 mg/5 mL. `times` is how many of it are taken at once: the 2 in 2 x 500 mg;
    `is_times_doubtful` says that the number before it may mean something else. `start` and `end` are its position in
    the plain text.
    """

    low: Decimal
    high: Decimal
    dimension: str
    role: Role = Role.DOSE
    per: tuple[Decimal, str] | None = None
    times: Decimal = Decimal(1)
    is_times_doubtful: bool = False
    start: int = 0
    end: int = 0


def plain(text: str) -> str:
    """The text in lower case, with its numbers as digits: "one and a half tablet(s)" becomes "1.5 tablet"."""
    for sign, spelled in _SIGNS.items():
        text = text.replace(sign, spelled)
    said = " ".join(text.casefold().split())
    for pattern, replacement in _REWRITTEN:
        said = pattern.sub(replacement, said)
    return said


def found_in(said: str) -> tuple[Amount, ...]:
    """The amounts in a `plain` text, in the order of the text."""
    matches = islice(_AMOUNT.finditer(said), _MOST)
    return tuple(amount for match in matches if not _SUPPLIED.search(_before(said, match)) for amount in _of(match))


def unit_of(written: str) -> tuple[str, Decimal]:
    """The dimension of a unit, and the size of the unit in its base unit. An unknown unit is its own dimension."""
    name, *divided = (part.strip(" {}[]()") for part in _REWRITING_UNITS.sub("unit", written.casefold()).split("/"))
    dimension, factor = _single_unit(name.replace("(s)", ""))
    below = [_POWER.sub("2", each) for each in divided if each not in _EACH and each not in _DAYS]
    return "/".join((dimension, *below)), factor


def may_be_one(unit: str, other: str) -> bool:
    """Whether two spellings can mean the same unit: false only if we know both, and they mean different ones."""
    (dimension, factor), (other_dimension, other_factor) = unit_of(unit), unit_of(other)
    if not {dimension.split("/")[0], other_dimension.split("/")[0]} <= _DIMENSIONS:
        return True
    return factor == other_factor and dimension.split("/")[0] == other_dimension.split("/")[0]


def _single_unit(name: str) -> tuple[str, Decimal]:
    for spelled in (name, name.removesuffix("s"), name.removesuffix("es"), name.partition(" ")[0].rstrip(",")):
        if spelled in _UNITS:
            return _UNITS[spelled]
    if _OTHER_PIECES.search(name):
        return PIECE, Decimal(1)
    return (name.removesuffix("s") if len(name) > 2 else name), Decimal(1)


def _of(match: re.Match[str]) -> Iterator[Amount]:
    """The amount of one match, or its two amounts: 5/325 mg, 10 mL to 1 spoon."""
    low, joint, low_unit = match["low"], match["joint"], match["low_unit"]
    dimension, factor = unit_of(match["unit"])
    high = _number(match["high"]) * factor * _BIG.get(match["big"] or "", 1)
    if low and low_unit and joint == "/":
        number = _number(low) * unit_of(low_unit)[1]
        yield _amount(match, number, number, unit_of(low_unit)[0], per=(high, dimension))
        return
    per = _per(match)
    if _is_by_body(match):
        dimension = _POWER.sub("2", f"{dimension}/{match['per_unit']}")
    if not low:
        yield _amount(match, high, high, dimension, per=per)
        return
    low_dimension, low_factor = unit_of(low_unit) if low_unit else (dimension, factor)
    number = _number(low) * low_factor
    if low_dimension == dimension and joint != "/" and number < high < number * 10:
        yield _amount(match, number, high, dimension, per=per)
        return
    yield _amount(match, number, number, low_dimension)  # not a range: two substances in one tablet, or two units
    yield _amount(match, high, high, dimension, per=per)


def _amount(
    match: re.Match[str], low: Decimal, high: Decimal, dimension: str, per: tuple[Decimal, str] | None = None
) -> Amount:
    times, is_doubtful = _times(match)
    return Amount(
        low,
        high,
        dimension,
        role=_role(match),
        per=per,
        times=times,
        is_times_doubtful=is_doubtful,
        start=match.start(),
        end=match.end(),
    )


def _per(match: re.Match[str]) -> tuple[Decimal, str] | None:
    """The divisor of an amount. None for "per day" and "per dose", which say how often, and for the size of a body
    (kg, m2), which belongs to the dimension."""
    unit = match["per_unit"]
    if not unit or unit in _EACH or unit in _DAYS or _is_by_body(match):
        return None
    dimension, factor = unit_of(unit)
    return _number(match["per"] or "1") * factor, dimension


def _is_by_body(match: re.Match[str]) -> bool:
    return bool(match["per_unit"]) and match["per_unit"].split("/")[0].rstrip("2²^") in {"kg", "m"}


def _role(match: re.Match[str]) -> Role:
    before, after = _before(match.string, match), match.string[match.end() : match.end() + 50]
    if _MAXIMUM.search(before):
        return Role.MOST
    if _WHOLE.match(after):
        return Role.WHOLE
    if _TOTAL.search(before) or _A_DAY.match(after) or (match["per_unit"] or "") in _DAYS:
        return Role.A_DAY
    is_counted = unit_of(match["unit"])[0] in PIECES
    if not is_counted and (_OF_ONE.match(after) or _EACH_OF.search(before)):
        return Role.STRENGTH
    return Role.DOSE


def _times(match: re.Match[str]) -> tuple[Decimal, bool]:
    if match["times"]:
        return _number(match["times"]), False
    counted = _COUNT_BEFORE.search(_before(match.string, match))
    return (Decimal(counted[1]), True) if counted else (Decimal(1), False)


def _before(said: str, match: re.Match[str]) -> str:
    return said[max(0, match.start() - 50) : match.start()]


def _number(written: str) -> Decimal:
    """A number as people write it: 1,000; 0,5; 1 1/2."""
    if "/" in written:
        above, below = written[-3], written[-1]
        return Decimal(written[:-3].strip(" -") or 0) + Decimal(above) / Decimal(below)
    if _THOUSANDS.fullmatch(written):
        return Decimal(written.replace(",", ""))
    return Decimal(written.replace(",", "."))


_SIGNS = {"½": " 1/2", "¼": " 1/4", "¾": " 3/4", "⅓": " 1/3", "⅔": " 2/3"}
_SIGNS |= {"\N{EN DASH}": "-", "\N{EM DASH}": "-", "\N{MULTIPLICATION SIGN}": "x"}
_WORDS = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "eleven": "11", "twelve": "12", "thirteen": "13", "fourteen": "14", "fifteen": "15", "sixteen": "16",
    "seventeen": "17", "eighteen": "18", "nineteen": "19", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50",
    "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90",
}  # fmt: skip
_PIECE_NAMES = (
    r"(?:tablet|tab|caplet|capsule|cap|pill|puff|inhalation|spray|drop|patch|suppository|lozenge|vial|packet|sachet)"
)
_REWRITING_UNITS = re.compile(r"\binternational units?\b|\[iu\]|\bi\.u\.")
_REWRITTEN: Final = (
    (re.compile(r"\(e?s\)"), ""),
    (re.compile(r"\b(?:" + "|".join(_WORDS) + r")\b"), lambda found: _WORDS[found[0]]),
    (re.compile(r"\b([0-9]{1,6}) ?\( ?\1 ?\)"), r"\1"),  # 2 (two) tablets
    (re.compile(r"\b([0-9]{1,3}) and (?:an?|1)[ -]half\b"), r"\1.5"),
    (re.compile(r"\b(?:(?:an?|1)[ -])?half\b(?:(?: of)? (?:an?|1|the)\b)?"), "0.5"),
    (re.compile(r"\b(?:(?:an?|1)[ -])?quarter\b(?:(?: of)? (?:an?|1|the)\b)?"), "0.25"),
    (re.compile(r"\b([1-9]/[2-8]) of (?:an?|1|the)\b"), r"\1"),
    (re.compile(rf"\ban? (?={_PIECE_NAMES}\b)"), "1 "),
    (re.compile(r"(?<![\w./,])([0-9]{1,2})-([1-9]/[2348])(?![0-9])"), r"\1 \2"),  # 1-1/2 tablets are one and a half
    (_REWRITING_UNITS, "unit"),
)
_NUMBER: Final = (
    r"(?:(?:[0-9]{1,2}[ -])?[1-9]/[2348](?![0-9])|[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]{1,6})?(?![0-9])"
    r"|[0-9]{1,9}(?:[.,][0-9]{1,6})?|\.[0-9]{1,6})"
)
_UNIT: Final = r"[a-zμ%]{1,20}"
_AMOUNT: Final = re.compile(
    rf"(?<![\w.,/])(?:(?P<times>{_NUMBER}) ?[x*] ?(?=[0-9.]))?"
    rf"(?:(?P<low>{_NUMBER})\)? ?(?P<low_unit>{_UNIT})? ?(?P<joint>-|/(?![2348](?![0-9]))|to\b|or\b) ?)?"
    rf"(?P<high>{_NUMBER})\)?[ -]?(?:(?P<big>hundred|thousand|million)s? )?(?P<unit>{_UNIT})"
    rf"(?:(?: ?/ ?| per )(?P<per>{_NUMBER})? ?(?P<per_unit>[a-zμ]{{1,20}}(?:\^?[2²])?(?:/[a-z]{{1,9}})?))?"
)
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_POWER = re.compile(r"\^?[2²]")
_BIG: Final[Mapping[str, int]] = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_EACH = frozenset({"dose", "time", "each", "administration", "use"})
_DAYS = frozenset({"day", "d", "24h", "24hr", "24 h", "24 hours"})
_SUPPLIED = re.compile(r"(?:\b(?:disp|dispense|dispensed|qty|quantity|supply|supplied)\b[ .:#]*(?:of )?|# ?)$")
_MAXIMUM = re.compile(r"\b(?:max|maxim[a-z]*|more than|exceed[a-z]*|mdd|limit(?:ed)? to)\b[^.;()0-9]{0,25}$")
_TOTAL = re.compile(r"\b(?:total|daily dose)\b[^.;()0-9]{0,20}$")
_WHOLE = re.compile(r" ?total\b(?! daily)")
_A_DAY = re.compile(
    r"\)? ?(?:/|per |a |in (?:a )?)(?:day|d|24)\b| ?(?:total )?daily dose\b| ?total daily\b|[^.;]*\bdivided\b"
)
_OF_ONE = re.compile(rf"\)?[ -]?(?:[a-z]+-coated |oral |chewable )?{_PIECE_NAMES}|\)? each\b")
_EACH_OF = re.compile(rf"{_PIECE_NAMES}e?s? of $")
_COUNT_BEFORE = re.compile(r"(?<![\w.,/-])([1-9]|1[0-9]|20)\)? $")
_OTHER_PIECES = re.compile(r"(?:tab|tablet|cap|capsule)s?$")
_SPELLINGS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "mass": {
        "1000": ("g", "gm", "gram", "grm"),
        "1": ("mg", "mgm", "milligram"),
        "0.001": ("mcg", "ug", "μg", "mcgm", "microgram"),
        "0.000001": ("ng", "nanogram"),
    },
    "volume": {
        "1000": ("l", "liter", "litre"),
        "100": ("dl",),
        "15": ("tbsp", "tablespoon", "tablespoonful", "tbs_us"),
        "5": ("tsp", "teaspoon", "teaspoonful", "tsp_us"),
        "1": ("ml", "milliliter", "millilitre", "cc"),
        "0.001": ("ul", "μl", "microliter"),
    },
    "unit": {"1": ("u", "unit", "unt", "iu", "ui")},
    "mole": {"1000": ("mol",), "1": ("mmol",), "0.001": ("umol", "μmol")},
    PIECE: {"1": ("tablet", "tab", "tbl", "caplet", "capsule", "cap", "pill")},
    "puff": {"1": ("puff", "inhalation", "actuation", "inh")},
    "drop": {"1": ("drop", "gtt", "drp")},
    "patch": {"1": ("patch", "ptch")},
    "suppository": {"1": ("suppository", "suppositorie", "supp")},
    "packet": {"1": ("packet", "sachet")},
}
_UNITS: Final[Mapping[str, tuple[str, Decimal]]] = MappingProxyType(
    {
        name: (dimension, Decimal(factor))
        for dimension, units in _SPELLINGS.items()
        for factor, names in units.items()
        for name in names
    }
)
_DIMENSIONS = frozenset(dimension for dimension, _factor in _UNITS.values())
