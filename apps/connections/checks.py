"""Refuses to start where anybody could guess their way to the metrics."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error

_SHORTEST_TOKEN = 32


def metrics_token_is_long(**_options: Any) -> list[CheckMessage]:
    """Empty is fine: then there are no metrics."""
    if not settings.METRICS_TOKEN or len(settings.METRICS_TOKEN) >= _SHORTEST_TOKEN:
        return []
    hint = "Make one with `python -c 'import secrets; print(secrets.token_urlsafe(32))'`."
    return [Error("METRICS_TOKEN is short.", hint=hint, id="holdfast.E030")]
