"""A FHIR root that lies about its authorization server, for attack tests (interface facts 3.4: why `aud`).

Metadata and the SMART configuration can be made to announce another origin, usually a second sandbox's: for the sign-in
page only, for the token endpoint only (a mix-up attack, RFC 9700 section 4.4), or both. Stored in the process.
"""

import re
from dataclasses import dataclass

from django.conf import settings


@dataclass(frozen=True)
class Elsewhere:
    """Origins announced instead of our own; empty for our own. Everything but token and revocation follows sign-in."""

    authorize_origin: str = ""
    token_origin: str = ""


_announced = [Elsewhere()]


def announce(elsewhere: Elsewhere) -> None:
    """Announce these from now on; `Elsewhere()` is the truth."""
    _announced[0] = elsewhere


def announced() -> Elsewhere:
    """The origins announced now."""
    return _announced[0]


def told(document: str) -> str:
    """A discovery document as JSON text, with the announced URLs of the authorization server."""
    if _announced[0] == Elsewhere():
        return document
    ours = re.escape(f"{settings.SANDBOX_ORIGIN}/b/authorization/")
    return re.sub(rf'{ours}[^"]*', lambda found: _moved(found[0]), document)


def _moved(address: str) -> str:
    is_token = address.endswith(("/token", "/token/revoke"))
    origin = _announced[0].token_origin if is_token else _announced[0].authorize_origin
    return (origin or settings.SANDBOX_ORIGIN) + address.removeprefix(settings.SANDBOX_ORIGIN)
