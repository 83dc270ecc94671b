"""How values lie in the cache: as JSON, never pickled. Whoever could write to Redis could otherwise run code here."""

import json
from typing import Any


class JsonSerializer:
    """Django's Redis backend calls these two. A value that is no JSON raises TypeError where it is cached."""

    def dumps(self, value: Any) -> bytes:
        """A whole number becomes its digits, which Redis can count up by itself."""
        return json.dumps(value, separators=(",", ":")).encode()

    def loads(self, data: bytes) -> Any:
        """What `dumps` was given; a tuple comes back as a list."""
        return json.loads(data)
