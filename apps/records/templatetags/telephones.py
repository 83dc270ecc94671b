"""Telephone numbers of a care team, an insurer or a practice, as links that call them (patient experience 3.9)."""

import re
from collections.abc import Iterable
from html import escape
from typing import Final

from django.utils.safestring import SafeString

from apps.records.presenters.care_teams import CareTeamEntry
from apps.records.presenters.devices import DeviceEntry
from apps.records.presenters.entry import Entry
from apps.records.presenters.insurance import CoverageEntry
from apps.records.presenters.persons.patient import Contact

_CALLED: Final = frozenset({"phone", "sms"})
_NUMBER: Final = re.compile(r"\+?[\d().\s/-]{5,30}", re.ASCII)
_UNDIALED: Final = re.compile(r"[^\d+]", re.ASCII)


def of(entry: Entry) -> tuple[str, ...]:
    """The numbers of an entry, as sent."""
    contacts: list[Contact] = []
    if isinstance(entry, CareTeamEntry):
        contacts = [*entry.contacts, *(contact for member in entry.members for contact in member.contacts)]
    elif isinstance(entry, CoverageEntry | DeviceEntry):
        contacts = list(entry.contacts)
    numbers = (contact.value for contact in contacts if contact.system in _CALLED and _is_number(contact.value))
    return tuple(dict.fromkeys(numbers))


def to_call(markup: SafeString, numbers: Iterable[str]) -> SafeString:
    """The markup, with each of these numbers as a link that calls it if it is a separate part of a line."""
    linked = {escape(number): link(number) for number in numbers}
    if not linked:
        return markup
    longest_first = "|".join(re.escape(number) for number in sorted(linked, key=len, reverse=True))
    alone = re.compile(rf"(?<![^\s,:])(?:{longest_first})(?![^\s,])")
    return SafeString(alone.sub(lambda found: linked[found[0]], markup))  # nosec B703 - digits, and `escape`


def link(number: str) -> SafeString:
    """A number as a link that calls it; a number that cannot be dialed as it is, as text."""
    if not _is_number(number):
        return SafeString(escape(number))  # nosec B703 - escaped
    dialed = _UNDIALED.sub("", number)
    return SafeString(f'<a href="tel:{dialed}">{escape(number)}</a>')  # nosec B703 - digits, and `escape`


def _is_number(written: str) -> bool:
    """Whether it can be dialed as it is: one with an extension is only text."""
    return _NUMBER.fullmatch(written) is not None and sum(letter.isdigit() for letter in written) >= 5
