"""What somebody wrote at length, as a list shows it: its beginning. The entry's own page reads all of the record."""

from typing import Any, Final

import msgspec

_LONG_ROW_BYTES: Final = 4_500  # a row as written below which no text can be too long
_LONGEST: Final = 4_000


def shortened(row: bytes) -> bytes:
    """A row as `indexing.write_row` writes it, with no text longer than a list can bear; what was cut ends with an
    ellipsis."""
    return row if len(row) < _LONG_ROW_BYTES else msgspec.json.encode(_short(msgspec.json.decode(row)))


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else f"{value[:_LONGEST].rstrip()}…"
    if isinstance(value, list):
        return [_short(item) for item in value]
    if isinstance(value, dict):
        return {name: _short(item) for name, item in value.items()}
    return value
