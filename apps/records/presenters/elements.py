"""Read elements of a resource that may be anything: missing, null, of another kind, or nested too deep.

Every function returns plain Python values and never raises. Text comes back as it was sent, less what no page and no
database can hold (`prose.showable`), and with the signs that were meant by `&#39;` and the like (`prose.html_escapes`).
"""

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, TypeAlias

import msgspec

from apps.records.presenters.prose import rich_text
from apps.records.presenters.prose.html_escapes import unescaped
from apps.records.presenters.prose.showable import showable

Element: TypeAlias = dict[str, Any]

LONGEST_TEXT = 4000
MOST_REPEATED = 2000  # of one element: who sends more wants to keep us busy, and the page shows fewer
MOST_PROSE = 300_000  # a long book: what somebody wrote at length is shown whole, or ends with "…"
_MOST_DIGITS = 30
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,60}\.?[0-9]{0,60}|\.[0-9]{1,60})(?:[eE][+-]?[0-9]{1,4})?", re.ASCII)


def parse(body: bytes) -> Element:
    """The resource as a dictionary; empty where the body is not a JSON object."""
    try:
        content = _FAST.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        content = _parsed_slowly(body)
    return content if isinstance(content, dict) else {}


def _parsed_slowly(body: bytes) -> object:
    """What the stricter and faster decoder refuses and `json` reads, such as lone surrogates."""
    try:
        return json.loads(body, parse_float=_decimal)
    except (ValueError, RecursionError):
        return None


def text(element: object, name: str) -> str:
    """The text of one element, stripped; empty where it is not text."""
    value = element.get(name) if isinstance(element, dict) else None
    if (
        isinstance(value, str) and value.isascii() and value.isprintable() and "&" not in value
    ):  # `shown`, without its calls
        return value[:LONGEST_TEXT].strip()
    return shown(value) if value else ""


def texts(element: object, name: str) -> tuple[str, ...]:
    """The texts of a repeating element. DSTU2 repeats what R4 has once (`name.family`): both are read alike. Of a list
    longer than MOST_REPEATED, its beginning."""
    value = element.get(name) if isinstance(element, dict) else None
    if not value:
        return ()
    return tuple(filter(None, map(shown, value[:MOST_REPEATED] if isinstance(value, list) else (value,))))


def child(element: object, name: str) -> Element:
    """One complex element; the first where it is sent as a list; empty where there is none."""
    value = element.get(name) if isinstance(element, dict) else None
    if isinstance(value, dict):
        return value
    return next((item for item in value if isinstance(item, dict)), {}) if isinstance(value, list) else {}


def children(element: object, name: str) -> Iterator[Element]:
    """The complex elements of that name. A single one is read as a list of one; of a list longer than
    MOST_REPEATED, its beginning is."""
    value = element.get(name) if isinstance(element, dict) else None
    if isinstance(value, dict):
        return iter((value,))
    if not isinstance(value, list):
        return iter(())
    if len(value) > MOST_REPEATED:
        value = value[:MOST_REPEATED]
    return (item for item in value if isinstance(item, dict))


def words(concept: object) -> str:
    """What a CodeableConcept says: its text, else the first display, else the first code."""
    said = text(concept, "text")
    codings = list(children(concept, "coding"))
    displays = (text(coding, "display") for coding in codings)
    codes = (text(coding, "code") for coding in codings)
    return said or next(filter(None, displays), "") or next(filter(None, codes), "")


def codes(concept: object) -> tuple[str, ...]:
    """The codes of a CodeableConcept (R4), or of the plain code that DSTU2 has in its place."""
    if isinstance(concept, str):
        return tuple(filter(None, (shown(concept),)))
    return tuple(filter(None, (text(coding, "code") for coding in children(concept, "coding"))))


def shown(value: object) -> str:
    """Text fit to be shown; empty for anything that is not text."""
    if not isinstance(value, str):
        return ""
    return showable(unescaped(value[:LONGEST_TEXT])).strip()


def prose(value: object) -> str:
    """Text that somebody wrote at length, such as a conclusion or a note, fit to be shown: of an RTF document its text.
    One longer than MOST_PROSE, or that ends in its middle, ends with an ellipsis."""
    if not isinstance(value, str):
        return ""
    is_cut = len(value) > MOST_PROSE
    if rich_text.is_one(value):
        read = rich_text.of_text(value)
        value, is_cut = (read.plain, read.is_cut or read.is_damaged) if read.plain else (value, is_cut)
    said = showable(unescaped(value[:MOST_PROSE])).strip()
    return f"{said}…" if is_cut else said


def number(element: object, name: str) -> Decimal | None:
    """A finite number, or a text that is one, with the digits it was sent with; None for anything else.

    Give it what `parse` made: JSON floats come from there as decimals, so that 5.10 stays 5.10.
    """
    value = element.get(name) if isinstance(element, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        return None
    try:
        written = str(value).strip()
    except ValueError:  # an integer too long to be written
        return None
    found = Decimal(written) if _NUMBER.fullmatch(written) else None
    return found if found is not None and abs(found.adjusted()) < _MOST_DIGITS else None


def flag(element: object, name: str) -> bool | None:
    """A boolean, or the text of one: "not given" is not to be lost for a pair of quotes. None for what is neither."""
    value = element.get(name) if isinstance(element, dict) else None
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def absent_reason(element: object) -> str:
    """The code of a data-absent-reason extension: unknown, masked, not-asked and so on; empty where there is none."""
    for extension in children(element, "extension"):
        if text(extension, "url").endswith("/data-absent-reason"):  # one address in DSTU2, another in R4
            return text(extension, "valueCode")
    return ""


def _decimal(written: str) -> Decimal | None:
    try:
        return Decimal(written)
    except ArithmeticError:  # 1e99999999999999999999: one absurd number does not cost the resource
        return None


_FAST = msgspec.json.Decoder(float_hook=_decimal)
