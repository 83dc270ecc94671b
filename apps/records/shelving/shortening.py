"""Long texts, cut for lists. The page of an entry reads the record itself, which is whole."""

from typing import Any, Final

import msgspec

_LONGEST: Final = 4_000


def shortened(row: bytes) -> bytes:
    """A row as `indexing.write_row` writes it, with all texts cut to the length that a list allows; those that were cut
    end with an ellipsis."""
    if len(row) <= _LONGEST:  # then no text in it is too long
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
