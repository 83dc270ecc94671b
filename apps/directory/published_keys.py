"""Our key set: the public halves of our signing keys, which providers fetch (RFC 7517, section 5).

Providers cache it for as long as we say. So `rotating` never signs with a key before every copy has it, and removes
none while it is needed. Nothing is decrypted here: the vault may be locked.
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.urls import reverse

from apps.directory.models import SigningKey

# How long a provider may cache it: so short that a rotation takes hours, and a stolen key is not trusted for a day.
MAX_AGE = timedelta(hours=1)

# As long again, for a cache in between that does not tell the age of its copy; and a margin for clocks and commits.
MARGIN = MAX_AGE + timedelta(minutes=10)

# After this time every copy in use contains a published key, and none a removed one.
SPREADS_WITHIN = MAX_AGE + MARGIN

# The members of a public key (RFC 7517, sections 4 and 6; RFC 7518, section 6). No other member is published.
_PUBLIC = ("kty", "kid", "alg", "use", "crv", "x", "y", "n", "e")


@dataclass(frozen=True)
class KeySet:
    """The published document: JSON (UTF-8), and its entity tag."""

    body: bytes
    etag: str
    is_empty: bool


def key_set() -> KeySet:
    """Every key that is not retired, including keys that will sign soon and those that signed until now, newest
    first."""
    rows = SigningKey.objects.filter(retired_at__isnull=True).order_by("-created_at", "pk")
    keys = [public_members(row) for row in rows.only("public_jwk")]
    body = json.dumps({"keys": keys}, separators=(",", ":")).encode()
    return KeySet(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"', is_empty=not keys)


def key_set_url() -> str:
    """The URL to register with a provider: our configured origin, nothing from a request."""
    return f"{settings.SITE_ORIGIN}{reverse('key-set')}"


def public_members(key: SigningKey) -> dict[str, str]:
    """The public members of a key."""
    return {name: key.public_jwk[name] for name in _PUBLIC if name in key.public_jwk}


def was_empty(*, at: datetime) -> bool:
    """Whether no copy of our key set can be in use, because none was published for longer than copies may be cached."""
    recent = SigningKey.objects.exclude(retired_at__lte=at - SPREADS_WITHIN)
    return not recent.exists()
