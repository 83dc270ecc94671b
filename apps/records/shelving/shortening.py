"""Long texts, cut for lists. The page of the entry itself reads all of the record."""

from typing import Any, Final

import msgspec

_LONGEST: Final = 4_000


def shortened(row: bytes) -> bytes:
    """A row as `indexing.write_row` writes it, with no text longer than a list can bear; what was cut ends with an
    ellipsis."""
    if len(row) <= _LONGEST:  # no text in it can be longer
        return row
    return msgspec.json.encode(_short(msgspec.json.decode(row)))


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else f"{value[:_LONGEST].rstrip()}…"
    if isinstance(value, list):
        return [_short(item) for item in value]
    if isinstance(value, dict):
        return {name: _short(item) for name, item in value.items()}
    return value
