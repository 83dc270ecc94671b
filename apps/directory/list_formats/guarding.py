"""The URL guard for lists: which addresses we would connect to, and why not the others, checked a million times.

The guard itself is `apps.wire.addresses`; for the plainest kind of addresses, a host that passed once is remembered.
"""

import re
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError

from apps.directory import consistency
from apps.directory.list_formats.rows import RowRefused
from apps.wire.addresses import AddressPolicy, parse_address
from apps.wire.errors import UnsafeAddress

LONGEST_ADDRESS = 1000  # as long as the columns
_LONGEST_WEBSITE = 500
_MOST_HOSTS = 4096  # remembered at a time
_LONGEST_HOST = 253

# https without a port, and a path without encoding and without segments that begin with a dot: only the host matters.
_PLAIN = re.compile(r"https://([A-Za-z0-9.-]+)(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*/?")
_PLAIN_WEBSITE = re.compile(
    r"https?://((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63})(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*/?"
)


class Guard:
    """The guard of one import: the policy stays as it was when the import began."""

    def __init__(self, policy: AddressPolicy) -> None:
        self._policy = policy
        self._passed: set[str] = set()

    def address(self, given: Mapping[str, Any], field: str) -> str:
        """An address that we would connect to, exactly as written; empty if there is none. Raises RowRefused."""
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
        """As `address`, but refused if there is none."""
        url = self.address(given, field)
        if not url:
            raise RowRefused(f"{field} is missing")
        return url

    def root(self, given: Mapping[str, Any], field: str) -> str:
        """A FHIR base URL, to which paths are appended. Raises RowRefused."""
        url = self.required_address(given, field)
        self.check_root(url, field)
        return url

    def check_root(self, url: str, field: str) -> None:
        """As `check`, for a FHIR base URL."""
        self.check(url, field)
        if "?" in url:
            raise RowRefused(f"{field} has a part behind ?")

    def check(self, url: str, field: str) -> None:
        """Raises RowRefused that says what is wrong with the address."""
        plain = _PLAIN.fullmatch(url)
        if plain is not None and plain[1] in self._passed and len(url) <= LONGEST_ADDRESS:
            return
        fault = None
        try:
            parse_address(url, self._policy, longest=LONGEST_ADDRESS)
        except UnsafeAddress as error:
            fault = error.fault
        if fault is not None:
            raise RowRefused(f"{field} {consistency.FAULTS[fault]}")
        if plain is not None:
            if len(self._passed) >= _MOST_HOSTS:
                self._passed.clear()
            self._passed.add(plain[1])

    def check_same_origin(self, url: str, beside: str) -> None:
        """Tokens are revoked where they were issued. Both addresses have passed. Raises RowRefused."""
        plain, other = _PLAIN.fullmatch(url), _PLAIN.fullmatch(beside)
        if plain is not None and other is not None and plain[1] == other[1]:
            return
        if parse_address(url, self._policy).origin != parse_address(beside, self._policy).origin:
            raise RowRefused("revocation_url has another origin than token_url")


def website(given: str) -> str:
    """A link that may be shown to patients. Raises RowRefused if it is no plain http or https link."""
    url = given.strip()
    if not url:
        return ""
    plain = _PLAIN_WEBSITE.fullmatch(url)
    if plain is None or len(plain[1]) > _LONGEST_HOST or len(url) > _LONGEST_WEBSITE:
        is_link = len(url) <= _LONGEST_WEBSITE
        try:
            consistency.check_website(url)
        except ValidationError:
            is_link = False
        if not is_link:
            raise RowRefused("website is not a link")
    return url


def link(value: Any) -> str:
    """As `website`, for optional values: "" if it is no link. Never raises."""
    try:
        return website(value) if isinstance(value, str) else ""
    except RowRefused:
        return ""
