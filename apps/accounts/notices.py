"""The versions of our privacy notice, oldest first. The text of each is `templates/accounts/notices/<version>.html`.

A published version is never changed, because people agreed to exactly that text. A change is a new row here and a new
template; whoever agreed to an earlier version is asked again before their next link.
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


NOTICES = (Notice("2026-11", date(2026, 11, 20)),)


def current_notice() -> Notice:
    """The version in force."""
    return NOTICES[-1]
