"""The versions of our privacy notice, oldest first. The text of each is `templates/accounts/notices/<version>.html`.

A published version is never changed, because people agreed to exactly that text. A change is a new row here, a new
template, and beside it `<version>-new.html`, which says what is new. Whoever agreed to an earlier version is shown it,
and asked again before their next link.
"""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Notice:
    """One version. Consent rows store `version`."""

    version: str
    published_date: date

    @property
    def template_name(self) -> str:
        """Where its text is."""
        return f"accounts/notices/{self.version}.html"

    @property
    def news_template_name(self) -> str:
        """Where it says what is new in it. The first version has no such text."""
        return f"accounts/notices/{self.version}-new.html"


NOTICES = (Notice("2026-11", date(2026, 11, 20)),)


def current_notice() -> Notice:
    """The version in force."""
    return NOTICES[-1]


def newer_than(version: str) -> tuple[Notice, ...]:
    """The versions that were published after this one, oldest first."""
    versions = [notice.version for notice in NOTICES]
    return NOTICES[versions.index(version) + 1 :]
