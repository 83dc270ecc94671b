"""Our signing keys: made here, their private half sealed for the installation, opened for one call at a time.

A provider holds the public half (interface facts 3.5, section 8), so a key lives until every registration that names
it has another. Publishing and rotating them as a set is a later concern; nothing here assumes there is only one.
"""

import json
from datetime import datetime

from django.db import transaction
from joserfc.jwk import ECKey, RSAKey

from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact
from apps.directory.models import ClientRegistration, SigningKey
from apps.vault import sealing
from apps.vault.sealing import Holder, Place
from apps.wire import client_authentication
from apps.wire.client_authentication import SigningAlgorithm
from apps.wire.secret import Secret

Algorithm = SigningKey.Algorithm

_RSA_BITS = 3072  # NIST SP 800-57 part 1: equivalent to the 128 bits that outlast 2030


class KeyInUse(Exception):
    """A registration that stands still proves itself with this key."""


def make(algorithm: str = Algorithm.ES384, *, actor: Actor, at: datetime) -> SigningKey:
    """A new pair. Its id is the thumbprint of its public half (RFC 7638), so that equal ids mean equal keys."""
    pair = _generate(Algorithm(algorithm))
    kid = pair.thumbprint()
    public = {**pair.as_dict(private=False), "kid": kid, "alg": str(algorithm), "use": "sig"}
    private = json.dumps(pair.as_dict(private=True))
    with transaction.atomic():
        row = SigningKey.objects.create(
            kid=kid,
            algorithm=algorithm,
            public_jwk=public,
            sealed_private_jwk=sealing.seal(private.encode(), holder=Holder.installation(), place=_place(kid)),
            created_at=at,
        )
        _record(row, "made", actor=actor, at=at)
    return row


def newest(algorithm: str = Algorithm.ES384) -> SigningKey | None:
    """The key to register with a provider today, if there is one."""
    return SigningKey.objects.filter(algorithm=algorithm, retired_at__isnull=True).order_by("-created_at", "pk").first()


def retire(row: SigningKey, *, actor: Actor, at: datetime) -> None:
    """Sign nothing with it any more. Raises KeyInUse while a registration that stands names it."""
    with transaction.atomic():
        locked = SigningKey.objects.select_for_update().get(pk=row.pk)
        over = (ClientRegistration.Status.REJECTED, ClientRegistration.Status.RETIRED)
        if locked.registrations.exclude(status__in=over).exists():
            raise KeyInUse
        if locked.retired_at is None:
            locked.retired_at = at
            locked.save(update_fields=["retired_at"])
            _record(locked, "retired", actor=actor, at=at)
    row.refresh_from_db()


def open_key(row: SigningKey) -> client_authentication.SigningKey:
    """The key as the wire takes it. Raises what opening a sealed value raises."""
    opened = sealing.open_sealed(bytes(row.sealed_private_jwk), holder=Holder.installation(), place=_place(row.kid))
    return client_authentication.SigningKey(row.kid, SigningAlgorithm(row.algorithm), Secret(opened.decode()))


def _generate(algorithm: Algorithm) -> ECKey | RSAKey:
    if algorithm is Algorithm.RS384:
        return RSAKey.generate_key(_RSA_BITS)
    return ECKey.generate_key("P-384")


def _place(kid: str) -> Place:
    return Place("signing_key", "sealed_private_jwk", (kid,))


def _record(row: SigningKey, action: str, *, actor: Actor, at: datetime) -> None:
    recording.record(
        EventType.REGISTRATION_SECRET_CHANGED,
        actor=actor,
        at=at,
        subject="signing key",
        subject_id=str(row.pk),
        facts={Fact.ACTION: action, Fact.METHOD: row.algorithm},
    )
