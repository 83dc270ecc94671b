"""The link that somebody gives away: one address for people, with a SMART Health Link behind its `#` for programs.

What stands behind `#` never leaves a browser, so the key with which a program opens its file comes to us in no request.
"""

from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.urls import reverse

from apps.sharing.terms import Terms

_GROUP: Final = 3  # digits of a passcode that are read together


@dataclass(frozen=True, repr=False)
class Link:
    """`url` is for people, `passcode` as it is read aloud."""

    url: str
    passcode: str


def of(agreed: Terms) -> Link:
    """What its owner sends, each by a way of its own."""
    digits = agreed.passcode
    return Link(
        url=settings.SITE_ORIGIN + reverse("shared", args=[agreed.token]),
        passcode=" ".join(digits[start : start + _GROUP] for start in range(0, len(digits), _GROUP)),
    )
