"""Units of measure: how a unit is written for a reader, which spellings are the same unit, and which units convert.

Codes are UCUM (https://ucum.org/ucum, case sensitive). We convert only if the factor is exact by definition: between
powers of ten, and between pounds, inches or degrees Fahrenheit and metric units. We never convert mass to amount of
substance (mg/dL to mmol/L), or by valence (mEq/L to mmol/L): those factors depend on what was measured.
"""

import re
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache
from typing import Final

# How laboratories spell UCUM codes; compared without case, spaces and a leading multiplication sign.
_SPELLED: Final = {
    "mmhg": "mm[Hg]",
    "mm[hg]": "mm[Hg]",
    "cel": "Cel",
    "c": "Cel",
    "°c": "Cel",
    "degc": "Cel",
    "degf": "[degF]",
    "[degf]": "[degF]",
    "f": "[degF]",
    "°f": "[degF]",
    "lb": "[lb_av]",
    "lbs": "[lb_av]",
    "[lb_av]": "[lb_av]",
    "oz": "[oz_av]",
    "in": "[in_i]",
    "inch": "[in_i]",
    "inches": "[in_i]",
    "[in_i]": "[in_i]",
    "ft": "[ft_i]",
    "feet": "[ft_i]",
    "bpm": "/min",
    "1/min": "/min",
    "/min": "/min",
    "br/min": "/min",
    "beats/min": "/min",
    "breaths/min": "/min",
    "beats/minute": "/min",
    "breaths/minute": "/min",
    "percent": "%",
    "kg/m2": "kg/m2",
    "kg/m²": "kg/m2",
    "kg/m^2": "kg/m2",
    "mg/dl": "mg/dL",
    "g/dl": "g/dL",
    "g/l": "g/L",
    "ug/dl": "ug/dL",
    "mcg/dl": "ug/dL",
    "ng/ml": "ng/mL",
    "pg/ml": "pg/mL",
    "ug/ml": "ug/mL",
    "mcg/ml": "ug/mL",
    "mmol/l": "mmol/L",
    "umol/l": "umol/L",
    "meq/l": "meq/L",
    "u/l": "U/L",
    "unit/l": "U/L",
    "units/l": "U/L",
    "fl": "fL",
    "k/ul": "10*3/uL",
    "thou/ul": "10*3/uL",
    "10*3/ul": "10*3/uL",
    "10^3/ul": "10*3/uL",
    "10e3/ul": "10*3/uL",
    "10*9/l": "10*9/L",
    "10^9/l": "10*9/L",
    "10e9/l": "10*9/L",
    "m/ul": "10*6/uL",
    "10*6/ul": "10*6/uL",
    "10^6/ul": "10*6/uL",
    "10e6/ul": "10*6/uL",
    "10*12/l": "10*12/L",
    "10^12/l": "10*12/L",
    "10e12/l": "10*12/L",
    "/ul": "/uL",
    "ml/min/1.73m2": "mL/min/{1.73_m2}",
    "ml/min/1.73m²": "mL/min/{1.73_m2}",
    "ml/min/{1.73_m2}": "mL/min/{1.73_m2}",
    "ml/min/1.73m^2": "mL/min/{1.73_m2}",
    "ml/min/1.73": "mL/min/{1.73_m2}",
}

_SHOWN: Final = {
    "mm[Hg]": "mmHg",
    "Cel": "°C",
    "[degF]": "°F",
    "[lb_av]": "lb",
    "[oz_av]": "oz",
    "[in_i]": "in",
    "[ft_i]": "ft",
    "[iU]": "IU",
    "[arb'U]": "arb. U",
    "[pH]": "pH",
    "{1.73_m2}": "1.73 m²",
    "{score}": "",
    "{#}": "",
    "{nominal}": "",
    "{ratio}": "",
    "(score)": "",
    "meq": "mEq",
}
_SUPERSCRIPTS: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

# For each unit, its dimension, and its size in the base unit of that dimension.
_SCALES: Final[dict[str, tuple[str, Decimal]]] = {
    unit: (dimension, Decimal(factor))
    for dimension, units in {
        "mass": {"kg": "1", "g": "0.001", "mg": "0.000001", "[lb_av]": "0.45359237", "[oz_av]": "0.028349523125"},
        "length": {"m": "1", "cm": "0.01", "mm": "0.001", "[in_i]": "0.0254", "[ft_i]": "0.3048"},
        "mass in volume": {
            "g/L": "1",
            "g/dL": "10",
            "mg/dL": "0.01",
            "mg/L": "0.001",
            "mg/mL": "1",
            "ug/mL": "0.001",
            "ug/dL": "0.00001",
            "ug/L": "0.000001",
            "ng/mL": "0.000001",
            "ng/dL": "0.00000001",
            "ng/L": "0.000000001",
            "pg/mL": "0.000000001",
        },
        "amount in volume": {"mol/L": "1", "mmol/L": "0.001", "umol/L": "0.000001", "nmol/L": "0.000000001"},
        "activity in volume": {"U/L": "1", "kU/L": "1000", "U/mL": "1000", "mU/L": "0.001", "mU/mL": "1"},
        "count in volume": {
            "/uL": "1",
            "/mm3": "1",
            "10*3/uL": "1000",
            "10*9/L": "1000",
            "10*6/uL": "1000000",
            "10*12/L": "1000000",
            "/mL": "0.001",
        },
        "frequency": {"/min": "1"},
    }.items()
    for unit, factor in units.items()
}
_EXACTLY: Final = Context(prec=40)
_MOST_REMEMBERED: Final = 512  # units; a laboratory uses about a hundred, and a unit identifies nobody
_MOST_DECIMALS: Final = Decimal("1e-6")


@lru_cache(_MOST_REMEMBERED)
def key(unit: str, code: str) -> str:
    """The key that two quantities must share to be comparable: the UCUM code that the code or the unit is known to
    spell, else the code as sent, else the unit as sent. Annotations in braces mean nothing in UCUM, so {beats}/min is
    /min; but {1.73_m2} does mean something."""
    found = _spelled(code) or _spelled(unit) or code or unit
    if found.startswith("{") and "}" in found:
        found = found.partition("}")[2]
    return found


@lru_cache(_MOST_REMEMBERED)
def shown(unit: str, code: str) -> str:
    """The unit as a reader knows it: as sent, but mm[Hg] becomes mmHg, 10*3/uL becomes 10³/µL, and {score} is left
    out."""
    written = unit or code
    if written in _SHOWN:
        return _SHOWN[written]
    written = re.sub(r"\{1\.73_m2\}", _SHOWN["{1.73_m2}"], written)
    written = re.sub(r"\{([^{}]*)\}", r"\1", written)
    written = re.sub(r"\b10[*^](\d+)", lambda found: "10" + found[1].translate(_SUPERSCRIPTS), written)
    written = re.sub(r"(?<=[a-z])([23])(?![\w.])", lambda found: found[1].translate(_SUPERSCRIPTS), written)
    written = re.sub(r"\bu(?=[LglmM])", "µ", written)
    return re.sub(r"mm\[Hg\]|\[lb_av\]|\[in_i\]|\[iU\]|\bmeq\b", lambda found: _SHOWN[found[0]], written)


def convert(value: Decimal, source: str, target: str) -> Decimal | None:
    """Convert a value from one unit (`key`) to another; None if the factor is not exact by definition."""
    if source == target:
        return value
    if {source, target} == {"Cel", "[degF]"}:
        return _celsius(value) if target == "Cel" else _EXACTLY.add(_EXACTLY.multiply(value, Decimal("1.8")), 32)
    one, other = _SCALES.get(source), _SCALES.get(target)
    if one is None or other is None or one[0] != other[0]:
        return None
    return _rounded(_EXACTLY.divide(_EXACTLY.multiply(value, one[1]), other[1]))


def axis(unit: str) -> tuple[str, str]:
    """A key that is equal for two units (`key`) exactly if `convert` converts between them: their dimension, or else
    the unit itself."""
    if unit in {"Cel", "[degF]"}:
        return "temperature", ""
    scale = _SCALES.get(unit)
    return ("", unit) if scale is None else (scale[0], "")


def _celsius(value: Decimal) -> Decimal:
    return _rounded(_EXACTLY.divide(_EXACTLY.subtract(value, Decimal(32)), Decimal("1.8")))


def _rounded(value: Decimal) -> Decimal:
    """Round to six decimals, but leave values below 1 and whole numbers as exact as they are."""
    if abs(value) < 1 or value == value.to_integral_value():
        return value.normalize(_EXACTLY)
    return value.quantize(_MOST_DECIMALS, ROUND_HALF_EVEN, context=Context(prec=60)).normalize(_EXACTLY)


def _spelled(written: str) -> str:
    return _SPELLED.get(
        written.casefold()
        .replace(" ", "")
        .lstrip("x\N{MULTIPLICATION SIGN}")
        .replace("\N{MICRO SIGN}", "u")
        .replace("\N{GREEK SMALL LETTER MU}", "u"),
        "",
    )
