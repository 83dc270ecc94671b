"""HTML escapes in JSON texts, where they do not belong: It&#39;s. Some systems escape a text before they send it."""

import html
import re
from typing import Final

# Only with a semicolon, and only the names that programs write: "AT&T", "R&D;" and "a &copy b" stay as they are.
_ESCAPED: Final = re.compile("&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")
_ADDRESS: Final = re.compile(r"\S+://\S+")


def unescaped(text: str) -> str:
    """The text with its escapes decoded once: a text that was escaped twice is about the escape itself. Addresses stay
    as sent, since they must lead to the same place."""
    if "&" not in text or _ADDRESS.fullmatch(text):
        return text
    return _ESCAPED.sub(lambda found: html.unescape(found[0]), text)
