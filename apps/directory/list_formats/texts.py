"""Take texts from a row: on one line, without invisible characters, and no longer than their column."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from apps.directory.list_formats.elements import Unreadable
from apps.directory.list_formats.rows import RowRefused

_INVISIBLE = {"Cf": "", "Cs": "", "Cc": " "}
_SLACK = 4  # a text more than so many times too long is refused without cleaning it


def on_one_line(value: str) -> str:
    """The text without characters that databases refuse or nobody sees: lone surrogates, marks that change the writing
    direction, and control characters, which count as a space."""
    if not value.isprintable():
        value = "".join(_INVISIBLE.get(unicodedata.category(character), character) for character in value)
    elif "  " not in value and value[:1] != " " and value[-1:] != " ":
        return value  # no control, surrogate, format character, or space but the plain one
    return " ".join(value.split())


def object_of(raw: Any) -> Mapping[str, Any]:
    """The element if it is an object; raises RowRefused for anything else, and for an element that could not be
    read."""
    if isinstance(raw, dict):
        return raw
    raise RowRefused(raw.reason if isinstance(raw, Unreadable) else "it is not an object")


def list_of(given: Mapping[str, Any], field: str) -> list[Any]:
    """The list of a field, empty if it has none. Raises RowRefused."""
    value = given.get(field, [])
    if not isinstance(value, list):
        raise RowRefused(f"{field} is not a list")
    return value


def text(given: Mapping[str, Any], field: str, *, longest: int, default: str = "") -> str:
    """The text of a field on one line, or the default if it has none. Raises RowRefused."""
    value = given.get(field)
    if value is None:
        return default
    if not isinstance(value, str):
        raise RowRefused(f"{field} is not text")
    cleaned = on_one_line(value) if len(value) <= longest * _SLACK else value
    if len(cleaned) > longest:
        raise RowRefused(f"{field} is longer than {longest} characters")
    return cleaned


def required(given: Mapping[str, Any], field: str, *, longest: int) -> str:
    """As `text`, but refused if there is none."""
    value = text(given, field, longest=longest)
    if not value:
        raise RowRefused(f"{field} is missing")
    return value


def loose(value: Any, *, longest: int) -> str:
    """An optional text: "" if the value is no text or too long. Never raises."""
    if not isinstance(value, str) or len(value) > longest * _SLACK:
        return ""
    cleaned = on_one_line(value)
    return cleaned if len(cleaned) <= longest else ""


def texts(values: Any, *, longest: int, most: int) -> list[str]:
    """At most so many distinct texts of a list, without those that `loose` drops. Never raises."""
    if not isinstance(values, list):
        return []
    kept = dict.fromkeys(loose(value, longest=longest) for value in values[: most * 2])
    return [value for value in kept if value][:most]


def one_of(given: Mapping[str, Any], field: str, allowed: Sequence[str], *, default: str = "") -> str:
    """A value among those allowed. Raises RowRefused that names them."""
    value = text(given, field, longest=40, default=default)
    if value not in allowed:
        raise RowRefused(f"{field} is not one of {', '.join(allowed)}")
    return value
