"""What a program posts to the address in a link: who it says it is, the passcode, and how much it takes at once.

By "SMART Health Link Manifest Request": JSON, an object. `recipient` is required, words to show to a person; nobody can
check them. `passcode` is required where the link asks for one, `embeddedLengthMax` is an integer, and optional. What
else there is has to be ignored. Whatever comes, nothing is raised, and no answer repeats what was sent.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import msgspec

from apps.directory.reading.texts import on_one_line

LONGEST_BODY: Final = 16 * 1024
LONGEST_RECIPIENT: Final = 100


class Refusal(Enum):
    """Why a request cannot be answered: a word for its program's author, and the status to answer with."""

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
    """What was asked. `recipient` is on one line and short enough to keep, `passcode` empty where none was sent,
    `embedded_length_max` None where the program takes any length."""

    recipient: str
    passcode: str
    embedded_length_max: int | None

    def __repr__(self) -> str:
        """Say nothing of it."""
        return "<ManifestRequest>"


def read(unverified: bytes) -> ManifestRequest | Refusal:
    """The request in this body, or why there is none in it."""
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
    """Empty where there is none. A long one is cut: who it is stands first."""
    if not isinstance(value, str):
        return ""
    recipient = on_one_line(value)
    if len(recipient) <= LONGEST_RECIPIENT:
        return recipient
    return f"{recipient[: LONGEST_RECIPIENT - 1].rstrip()}…"


def _is_length(value: Any) -> bool:
    """Whether it is a whole number, also one written as 4096.0: to JSON they are the same."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return value >= 0 and value == int(value)
