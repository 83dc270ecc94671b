"""A system check that refuses a METRICS_TOKEN that could be guessed."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error

_SHORTEST_TOKEN = 32


def metrics_token_is_long(**_options: Any) -> list[CheckMessage]:
    """An empty token passes: then metrics are off."""
    if not settings.METRICS_TOKEN or len(settings.METRICS_TOKEN) >= _SHORTEST_TOKEN:
        return []
    hint = "Make one with `python -c 'import secrets; print(secrets.token_urlsafe(32))'`."
    return [Error("METRICS_TOKEN is short.", hint=hint, id="holdfast.E030")]
