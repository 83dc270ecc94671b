"""The language of a provider's own words on a page in another one, for whoever has the page read aloud (WCAG 3.1.2)."""

import re
from typing import Final

from django.utils.translation import get_language

_LANGUAGE: Final = re.compile("[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")


def of(said: str) -> str:
    """What a resource says of its language, where that is a language (BCP 47) and not the page's; else empty."""
    if not said or _LANGUAGE.fullmatch(said) is None:
        return ""
    return said if said[:2].lower() != (get_language() or "")[:2] else ""
