"""What the patient hands on: an address, a key and a few words, as one `shlink:/` link.

By "Construct a SMART Health Link Payload": one JSON object without spaces, in base64url, after `shlink:/`; an address
of a page that ends in `#` may come first. `url` has 128 characters at most and `key` 43, which are 32 random bytes in
base64url; `exp` is seconds since 1970 and no more than a hint (the example of the logical model has milliseconds, the
text has not); `flag` has its letters in alphabetical order, of which U never stands with P; `label` has 80 characters
at most; `v` may be left out for 1. Who has the link has the key: only the passcode is kept apart from it.
"""

import base64
import json
import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from urllib.parse import urlsplit

from apps.directory.list_formats.texts import on_one_line

KEY_BYTES: Final = 32
LONGEST_URL: Final = 128
LONGEST_LABEL: Final = 80

# 256 bits in base64url, which has six bits a character. Whether they are random cannot be checked; that they exist can.
_ENTROPY: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_ADDRESS: Final = re.compile(r"[\x21-\x7e]+")
_SCHEMES: Final = ("https", "http")  # http for a developer's machine; the settings of a deployment exclude it


class Flag(StrEnum):
    """What a program is told before it makes a request."""

    LONG_TERM = "L"  # may be requested again: the contents change
    PASSCODE = "P"
    DIRECT = "U"  # the URL is the file's own, fetched by GET: there is no manifest


@dataclass(frozen=True, repr=False)
class HealthLink:
    """One link. Raises ValueError for what the specification forbids, without repeating it.

    `url` is the manifest's, `label` a few words to show before the passcode is asked for: it is in the link itself, and
    therefore no secret.
    """

    url: str
    key: bytes
    expires_at: datetime | None = None
    flags: frozenset[Flag] = frozenset({Flag.PASSCODE})
    label: str = ""

    def __post_init__(self) -> None:
        _check_url(self.url)
        if len(self.key) != KEY_BYTES:
            raise ValueError("The key of a health link has 32 bytes")
        if {Flag.PASSCODE, Flag.DIRECT} <= self.flags:
            raise ValueError("A health link that leads to its file itself cannot ask for a passcode")
        if _length(self.label) > LONGEST_LABEL:
            raise ValueError("The label of a health link has 80 characters at most")
        if self.expires_at is not None and self.expires_at.tzinfo is None:
            raise ValueError("The end of a health link needs a time zone")

    def __repr__(self) -> str:
        """Nothing: the URL is secret, and so is the key."""
        return "<HealthLink>"

    def uri(self, viewer: str = "") -> str:
        """The link, or the link in the fragment of a page's URL, which has to end in `#`: browsers send no fragment to
        a server. Raises ValueError."""
        if viewer and (not viewer.endswith("#") or viewer.count("#") > 1 or urlsplit(viewer).scheme not in _SCHEMES):
            raise ValueError("The address of a viewer is a whole one, and ends in its only #")
        # As ASCII, though UTF-8 is allowed: some viewers take each byte of UTF-8 for a character.
        written = json.dumps(self._payload(), separators=(",", ":"))
        return f"{viewer}shlink:/{_in_base64url(written.encode())}"

    def _payload(self) -> dict[str, Any]:
        payload: dict[str, Any] = {"url": self.url, "key": _in_base64url(self.key)}
        if self.expires_at is not None:
            payload["exp"] = int(self.expires_at.timestamp())
        if self.flags:
            payload["flag"] = "".join(sorted(self.flags))
        if self.label:
            payload["label"] = self.label
        return payload


def fitting_label(text: str) -> str:
    """A text as a label: on one line, and cut at a word if it is too long."""
    label = on_one_line(text)
    if _length(label) <= LONGEST_LABEL:
        return label
    kept = label.encode("utf-16-le")[: (LONGEST_LABEL - 1) * 2].decode("utf-16-le", "ignore")
    if label[len(kept)] != " ":
        kept = kept.rpartition(" ")[0] or kept
    return f"{kept.rstrip()}…"


def _length(text: str) -> int:
    """As JavaScript counts, where an emoji counts twice: no other program counts more."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _check_url(url: str) -> None:
    if len(url) > LONGEST_URL:
        raise ValueError("The address in a health link has 128 characters at most")
    if not _is_address(url):
        raise ValueError("The address in a health link is a whole one, without user or fragment")
    if not _ENTROPY.search(urlsplit(url).path):
        raise ValueError("The address in a health link holds 256 random bits")


def _is_address(url: str) -> bool:
    if not _ADDRESS.fullmatch(url):
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in _SCHEMES and bool(parts.hostname) and "@" not in parts.netloc and "#" not in url


def _in_base64url(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()
