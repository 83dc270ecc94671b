"""Read elements of a resource that may be anything: missing, null, of another type, or nested too deep.

Every function returns plain Python values and never raises. Text is returned as sent, without the characters that no
page or database can hold (`prose.showable`), and with escapes such as `&#39;` decoded (`prose.html_escapes`).
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
MOST_REPEATED = 2000  # repetitions of one element: a server that sends more is out to keep us busy; pages show fewer
MOST_PROSE = 300_000  # characters, about a long book: longer prose ends with "…"
_MOST_DIGITS = 30
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,60}\.?[0-9]{0,60}|\.[0-9]{1,60})(?:[eE][+-]?[0-9]{1,4})?", re.ASCII)


def parse(body: bytes) -> Element:
    """The resource as a dictionary; empty if the body is not a JSON object."""
    try:
        content = _FAST.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        content = _parsed_slowly(body)
    return content if isinstance(content, dict) else {}


def _parsed_slowly(body: bytes) -> object:
    """Parse what the faster and stricter decoder refuses, such as lone surrogates."""
    try:
        return json.loads(body, parse_float=_decimal)
    except (ValueError, RecursionError):
        return None


def text(element: object, name: str) -> str:
    """The text of one element, stripped; empty if it is not text."""
    value = element.get(name) if isinstance(element, dict) else None
    if (
        isinstance(value, str) and value.isascii() and value.isprintable() and "&" not in value
    ):  # `shown`, without its calls
        return value[:LONGEST_TEXT].strip()
    return shown(value) if value else ""


def texts(element: object, name: str) -> tuple[str, ...]:
    """The texts of an element, which may repeat or not: DSTU2 repeats some that R4 does not (`name.family`). Of a list
    longer than MOST_REPEATED, only the beginning."""
    value = element.get(name) if isinstance(element, dict) else None
    if not value:
        return ()
    return tuple(filter(None, map(shown, value[:MOST_REPEATED] if isinstance(value, list) else (value,))))


def child(element: object, name: str) -> Element:
    """One complex element; the first, if a list was sent; empty if there is none."""
    value = element.get(name) if isinstance(element, dict) else None
    if isinstance(value, dict):
        return value
    return next((item for item in value if isinstance(item, dict)), {}) if isinstance(value, list) else {}


def children(element: object, name: str) -> Iterator[Element]:
    """The complex elements with this name. A single one is read as a list of one; of a list longer than MOST_REPEATED,
    only the beginning is read."""
    value = element.get(name) if isinstance(element, dict) else None
    if isinstance(value, dict):
        return iter((value,))
    if not isinstance(value, list):
        return iter(())
    if len(value) > MOST_REPEATED:
        value = value[:MOST_REPEATED]
    return (item for item in value if isinstance(item, dict))


def words(concept: object) -> str:
    """The words of a CodeableConcept: its text, else the first display, else the first code."""
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
    """Text in a form that can be shown; empty for anything that is not text."""
    if not isinstance(value, str):
        return ""
    return showable(unescaped(value[:LONGEST_TEXT])).strip()


def prose(value: object) -> str:
    """Text that somebody wrote at length, such as a conclusion or a note, in a form that can be shown; an RTF document
    is reduced to its text. If it is longer than MOST_PROSE, or was cut off, it ends with an ellipsis."""
    if not isinstance(value, str):
        return ""
    is_cut = len(value) > MOST_PROSE
    if rich_text.is_one(value):
        read = rich_text.of_text(value)
        value, is_cut = (read.plain, read.is_cut or read.is_damaged) if read.plain else (value, is_cut)
    said = showable(unescaped(value[:MOST_PROSE])).strip()
    return f"{said}…" if is_cut else said


def number(element: object, name: str) -> Decimal | None:
    """A finite number, or a text that is one, with its digits as sent; None for anything else.

    The element must come from `parse`, which reads JSON floats as decimals, so that 5.10 stays 5.10.
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
    """A boolean, or a text that is one: a pair of quotes must not make us lose "not given". None for anything else."""
    value = element.get(name) if isinstance(element, dict) else None
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def absent_reason(element: object) -> str:
    """The code of a data-absent-reason extension: unknown, masked, not-asked and so on; empty if there is none."""
    for extension in children(element, "extension"):
        if text(extension, "url").endswith("/data-absent-reason"):  # the address differs between DSTU2 and R4
            return text(extension, "valueCode")
    return ""


def _decimal(written: str) -> Decimal | None:
    try:
        return Decimal(written)
    except ArithmeticError:  # 1e99999999999999999999: we do not lose a resource over one absurd number
        return None


_FAST = msgspec.json.Decoder(float_hook=_decimal)
