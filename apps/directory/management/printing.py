"""What commands print for other programs."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any


def as_json(found: Mapping[str, Any]) -> str:
    """One JSON object on one line; moments as ISO 8601 has them, all else that JSON has no form for as its text."""
    return json.dumps(found, default=_plain)


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
