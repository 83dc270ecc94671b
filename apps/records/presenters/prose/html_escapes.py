"""HTML escapes in texts of JSON, which has none of its own: It&#39;s. Some systems escape a text before they send
it."""

import html
import re
from typing import Final

# With the semicolon alone, and of the names those that programs write: "AT&T", "R&D;" and "a &copy b" stay as they are.
_ESCAPED: Final = re.compile("&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")
_ADDRESS: Final = re.compile(r"\S+://\S+")


def unescaped(text: str) -> str:
    """The same with the signs that are meant, once: what was escaped twice says how a sign is written. An address stays
    as it was sent: it has to lead to the same place."""
    if "&" not in text or _ADDRESS.fullmatch(text):
        return text
    return _ESCAPED.sub(lambda found: html.unescape(found[0]), text)
