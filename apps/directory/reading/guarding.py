"""Which addresses of a list we would connect to, and why not the others: the URL guard, asked a million times.

The guard itself is `apps.wire.addresses`; a host that passed it once is remembered for addresses of the plainest kind.
"""

import re
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError

from apps.directory import pairing
from apps.directory.reading.rows import RowRefused
from apps.wire.addresses import AddressPolicy, parse_address
from apps.wire.errors import UnsafeAddress

LONGEST_ADDRESS = 1000  # the columns'
_LONGEST_WEBSITE = 500
_MOST_HOSTS = 4096  # remembered at a time
_LONGEST_HOST = 253

# https without a port, and a path in which nothing is encoded and no segment begins with a dot: the host decides.
_PLAIN = re.compile(r"https://([A-Za-z0-9.-]+)(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*/?")
_PLAIN_WEBSITE = re.compile(
    r"https?://((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63})(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*/?"
)


class Guard:
    """One import's guard: the policy is what it was when the import began."""

    def __init__(self, policy: AddressPolicy) -> None:
        self._policy = policy
        self._passed: set[str] = set()

    def address(self, given: Mapping[str, Any], field: str) -> str:
        """An address we would connect to, as it is written and never mended; empty where there is none. Raises
        RowRefused."""
        value = given.get(field)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise RowRefused(f"{field} is not text")
        url = value.strip()
        if url:
            self.check(url, field)
        return url

    def required_address(self, given: Mapping[str, Any], field: str) -> str:
        """As `address`, and refused where there is none."""
        url = self.address(given, field)
        if not url:
            raise RowRefused(f"{field} is missing")
        return url

    def root(self, given: Mapping[str, Any], field: str) -> str:
        """A FHIR base URL, which is an address that paths are put behind. Raises RowRefused."""
        url = self.required_address(given, field)
        self.check_root(url, field)
        return url

    def check_root(self, url: str, field: str) -> None:
        """As `check`, for a FHIR base URL."""
        self.check(url, field)
        if "?" in url:
            raise RowRefused(f"{field} has a part behind ?")

    def check(self, url: str, field: str) -> None:
        """Raises RowRefused, saying what is wrong with the writing of it."""
        plain = _PLAIN.fullmatch(url)
        if plain is not None and plain[1] in self._passed and len(url) <= LONGEST_ADDRESS:
            return
        fault = None
        try:
            parse_address(url, self._policy, longest=LONGEST_ADDRESS)
        except UnsafeAddress as error:
            fault = error.fault
        if fault is not None:
            raise RowRefused(f"{field} {pairing.FAULTS[fault]}")
        if plain is not None:
            if len(self._passed) >= _MOST_HOSTS:
                self._passed.clear()
            self._passed.add(plain[1])

    def check_same_origin(self, url: str, beside: str) -> None:
        """Tokens are revoked where they were issued. Both addresses passed. Raises RowRefused."""
        plain, other = _PLAIN.fullmatch(url), _PLAIN.fullmatch(beside)
        if plain is not None and other is not None and plain[1] == other[1]:
            return
        if parse_address(url, self._policy).origin != parse_address(beside, self._policy).origin:
            raise RowRefused("revocation_url has another origin than token_url")


def website(given: str) -> str:
    """A link that patients may be shown. Raises RowRefused where it is not a plain http or https link."""
    url = given.strip()
    if not url:
        return ""
    plain = _PLAIN_WEBSITE.fullmatch(url)
    if plain is None or len(plain[1]) > _LONGEST_HOST or len(url) > _LONGEST_WEBSITE:
        is_link = len(url) <= _LONGEST_WEBSITE
        try:
            pairing.check_website(url)
        except ValidationError:
            is_link = False
        if not is_link:
            raise RowRefused("website is not a link")
    return url


def link(value: Any) -> str:
    """As `website`, for what may be left out: nothing where it is none. Never raises."""
    try:
        return website(value) if isinstance(value, str) else ""
    except RowRefused:
        return ""
