"""A system check that refuses a SIGNING_KEY_DAYS so short that keys would be replaced before they are used."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error

_FEWEST_DAYS = 2  # a rotation by the hourly run takes half a day, and longer if beat is down


def signing_keys_last(**_options: Any) -> list[CheckMessage]:
    """Every key signs for a while before the next one is made."""
    if settings.SIGNING_KEY_DAYS >= _FEWEST_DAYS:
        return []
    hint = "Leave it out for 90 days, or write 2 or more."
    return [Error("SIGNING_KEY_DAYS is shorter than a rotation takes.", hint=hint, id="holdfast.E022")]
