"""What a program posts to the URL in a link: its name, the passcode, and the longest file that it takes in the
response.

By "SMART Health Link Manifest Request": a JSON object. `recipient` is required: text to show to a person, which nobody
can check. `passcode` is required if the link asks for one; `embeddedLengthMax` is an optional integer. Anything else
has to be ignored. Whatever is sent, nothing is raised, and no response repeats it.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import msgspec

from apps.directory.list_formats.texts import on_one_line

LONGEST_BODY: Final = 16 * 1024
LONGEST_RECIPIENT: Final = 100


class Refusal(Enum):
    """Why a request cannot be answered: a code for the program's author, and the HTTP status."""

    TOO_LARGE = ("too-large", 413)
    NOT_JSON = ("not-json", 400)
    NOT_AN_OBJECT = ("not-an-object", 400)
    NO_RECIPIENT = ("no-recipient", 400)
    ODD_PASSCODE = ("passcode-is-not-text", 400)
    ODD_LENGTH = ("length-is-not-a-whole-number", 400)

    def __init__(self, code: str, status: int) -> None:
        self.code = code
        self.status = status


@dataclass(frozen=True, repr=False)
class ManifestRequest:
    """The request. `recipient` is on one line and short enough to store, `passcode` empty if none was sent,
    `embedded_length_max` None if the program takes any length."""

    recipient: str
    passcode: str
    embedded_length_max: int | None

    def __repr__(self) -> str:
        """Nothing about its contents."""
        return "<ManifestRequest>"


def read(unverified: bytes) -> ManifestRequest | Refusal:
    """The request in this body, or why it cannot be read."""
    if len(unverified) > LONGEST_BODY:
        return Refusal.TOO_LARGE
    try:
        sent = msgspec.json.decode(unverified)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Refusal.NOT_JSON
    if not isinstance(sent, dict):
        return Refusal.NOT_AN_OBJECT
    if not (recipient := _recipient(sent.get("recipient"))):
        return Refusal.NO_RECIPIENT
    passcode = sent.get("passcode")
    if not isinstance(passcode, str | None):
        return Refusal.ODD_PASSCODE
    longest = sent.get("embeddedLengthMax")
    if longest is not None and not _is_length(longest):
        return Refusal.ODD_LENGTH
    return ManifestRequest(recipient, passcode or "", None if longest is None else int(longest))


def _recipient(value: Any) -> str:
    """Empty if there is none. A long one is cut at the end."""
    if not isinstance(value, str):
        return ""
    recipient = on_one_line(value)
    if len(recipient) <= LONGEST_RECIPIENT:
        return recipient
    return f"{recipient[: LONGEST_RECIPIENT - 1].rstrip()}…"


def _is_length(value: Any) -> bool:
    """Whether it is a whole number; 4096.0 is one, since JSON does not distinguish them."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return value >= 0 and value == int(value)
