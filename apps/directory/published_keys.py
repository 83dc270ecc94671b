"""Our key set: the public halves of our signing keys, which providers read at one address (RFC 7517, section 5).

A provider keeps its copy for as long as we say, so that `rotating` never signs with a key before every copy has it, and
drops none before nobody needs it. Nothing here opens anything: the vault may be locked.
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.urls import reverse

from apps.directory.models import SigningKey

# How long a provider may keep its copy: short enough that a rotation takes hours, and a key in wrong hands no day.
MAX_AGE = timedelta(hours=1)

# As long again, for a cache on the way that does not say how old its copy is; and what clocks and commits take.
MARGIN = MAX_AGE + timedelta(minutes=10)

# When a key that was published is in every copy that may still be used, and one that was taken out in none.
SPREADS_WITHIN = MAX_AGE + MARGIN

# RFC 7517, sections 4 and 6, RFC 7518, section 6: what describes a public key. Every other member stays here.
_PUBLIC = ("kty", "kid", "alg", "use", "crv", "x", "y", "n", "e")


@dataclass(frozen=True)
class KeySet:
    """What is published: JSON (UTF-8), and a tag that is equal where it is equal."""

    body: bytes
    etag: str
    is_empty: bool


def key_set() -> KeySet:
    """Every key that was made and is not retired, those that sign soon and those that signed until now included; the
    newest first."""
    rows = SigningKey.objects.filter(retired_at__isnull=True).order_by("-created_at", "pk")
    keys = [public_members(row) for row in rows.only("public_jwk")]
    body = json.dumps({"keys": keys}, separators=(",", ":")).encode()
    return KeySet(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"', is_empty=not keys)


def key_set_url() -> str:
    """The address to register with a provider: our configured origin, nothing from a request."""
    return f"{settings.SITE_ORIGIN}{reverse('key-set')}"


def public_members(key: SigningKey) -> dict[str, str]:
    """The key as a provider may have it."""
    return {name: key.public_jwk[name] for name in _PUBLIC if name in key.public_jwk}


def was_empty(*, at: datetime) -> bool:
    """Whether no copy of our key set can be anywhere: none was published, for longer than a copy may be kept."""
    recent = SigningKey.objects.exclude(retired_at__lte=at - SPREADS_WITHIN)
    return not recent.exists()
