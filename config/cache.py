"""Cached values are JSON, never pickles: otherwise whoever can write to Redis could run code here."""

import json
from typing import Any


class JsonSerializer:
    """Django's Redis backend calls these two. A value that is not JSON raises TypeError when it is cached."""

    def dumps(self, value: Any) -> bytes:
        """A whole number becomes its digits, which Redis can increment."""
        return json.dumps(value, separators=(",", ":")).encode()

    def loads(self, data: bytes) -> Any:
        """The value given to `dumps`; a tuple comes back as a list."""
        return json.loads(data)
