"""Rules for every registration, at the portal and at the console: names, FHIR versions, URLs."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

VERSIONS = {"dstu2": "FHIR DSTU2", "r4": "FHIR R4"}
MOST_ADDRESSES = 20
_PLAIN = re.compile(r"[\x21\x22\x24-\x7e]{1,2000}")  # printable ASCII without "#"
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


class RequestRefused(Exception):
    """Something cannot be registered as requested. The text says why, for whoever fills in the form; `field` is the
    form's field that has to change, or ""."""

    def __init__(self, text: str, field: str = "") -> None:
        super().__init__(text)
        self.field = field


def checked_name(name: str) -> str:
    """The name without surrounding space. Raises RequestRefused."""
    if not name.strip() or "\0" in name or len(name) > 120:
        raise RequestRefused("The application needs a name of at most 120 characters.", "name")
    return name.strip()


def checked_addresses(addresses: Sequence[str], field: str = "redirect_uris") -> list[str]:
    """The URLs: absolute, https (or http to this machine), without a fragment. Raises RequestRefused."""
    if not addresses or len(addresses) > MOST_ADDRESSES:
        raise RequestRefused(f"One address is needed, and {MOST_ADDRESSES} are the most.", field)
    if not all(_is_fine(address) for address in addresses):
        raise RequestRefused("An address is absolute, https (or http on this machine), without #.", field)
    return list(dict.fromkeys(addresses))


def is_of_this_machine(address: str) -> bool:
    """Whether it is an http or https URL of this machine, written so that no name server is asked."""
    return _is_fine(address) and urlsplit(address).hostname in _LOOPBACK


def _is_fine(address: str) -> bool:
    if not _PLAIN.fullmatch(address):
        return False
    try:
        parts = urlsplit(address)
        _ = parts.port  # raises for a port that is none
    except ValueError:
        return False
    is_ours = parts.scheme == "http" and parts.hostname in _LOOPBACK
    return bool(parts.hostname) and "@" not in parts.netloc and (parts.scheme == "https" or is_ours)
