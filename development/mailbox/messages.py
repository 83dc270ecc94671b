"""The kept messages, read back as plain text."""

import email
import email.policy
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path


@dataclass(frozen=True)
class Message:
    """One kept message."""

    name: str
    to: str
    subject: str
    text: str
    kept_at: datetime


def newest_first(folder: Path) -> list[Message]:
    """Every message in the folder; empty if the folder does not exist yet."""
    return [_read(path) for path in sorted(folder.glob("*.eml"), reverse=True)]


def _read(path: Path) -> Message:
    parsed = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    assert isinstance(parsed, EmailMessage)
    body = parsed.get_body(preferencelist=("plain",))
    return Message(
        name=path.stem,
        to=str(parsed["To"]),
        subject=str(parsed["Subject"]),
        text=str(body.get_content()) if body else "",
        kept_at=datetime.fromtimestamp(int(path.stem.split("-")[0]) / 1e9, tz=UTC),
    )
