"""Output of commands for other programs."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any


def as_json(found: Mapping[str, Any]) -> str:
    """One JSON object on one line; times in ISO 8601, other values without a JSON form as text."""
    return json.dumps(found, default=_plain)


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
