"""Our signing keys: made here, with the private half sealed for the installation and decrypted for one call at a time.

Providers have the public half (interface facts 3.5, section 8), so a key lives until every registration with it has
another, and what it signed has arrived: `rotating` decides when.
"""

import json
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from joserfc.jwk import ECKey, RSAKey

from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact
from apps.directory import published_keys
from apps.directory.models import ClientRegistration, SigningKey
from apps.vault import sealing
from apps.vault.sealing import Holder, Place
from apps.wire import client_authentication
from apps.wire.client_authentication import SigningAlgorithm
from apps.wire.secret import Secret

Algorithm = SigningKey.Algorithm

LONGEST_ASSERTION = timedelta(minutes=5)  # SMART App Launch 2.2: no assertion lives longer
LEAVES_WITHIN = LONGEST_ASSERTION + published_keys.SPREADS_WITHIN  # how long a key stays published that signs no more

_RSA_BITS = 3072  # NIST SP 800-57 part 1: equivalent to the 128 bits that outlast 2030
_OVER = (ClientRegistration.Status.REJECTED, ClientRegistration.Status.RETIRED)


class KeyInUse(Exception):
    """A standing registration authenticates with this key."""


class StillNeeded(Exception):
    """What the key signed may still be on its way, or be verified with an older copy of our key set."""


def make(
    algorithm: str = Algorithm.ES384, *, actor: Actor, at: datetime, signs_from_at: datetime | None = None
) -> SigningKey:
    """Make a key pair, published from now on. Its id is the thumbprint of the public half (RFC 7638), so equal ids mean
    equal keys.

    Unless specified, it signs once every copy of our key set has it; immediately if nobody can have a copy.
    """
    pair = _generate(Algorithm(algorithm))
    while pair.thumbprint().startswith("-"):  # a command would take it for an option; happens once in 64
        pair = _generate(Algorithm(algorithm))
    kid = pair.thumbprint()
    public = {**pair.as_dict(private=False), "kid": kid, "alg": str(algorithm), "use": "sig"}
    private = json.dumps(pair.as_dict(private=True))
    usual_at = at if published_keys.was_empty(at=at) else at + published_keys.SPREADS_WITHIN
    with transaction.atomic():
        row = SigningKey.objects.create(
            kid=kid,
            algorithm=algorithm,
            public_jwk=public,
            sealed_private_jwk=sealing.seal(private.encode(), holder=Holder.installation(), place=place_of(kid)),
            created_at=at,
            signs_from_at=signs_from_at or usual_at,
        )
        _record(row, "made", actor=actor, at=at)
    return row


def current(algorithm: str = Algorithm.ES384, *, at: datetime) -> SigningKey | None:
    """The key to register with a provider today: the newest that signs, or else the one that will; None if there is
    none. Keys that are leaving are not offered."""
    rows = may_be_chosen().filter(algorithm=algorithm)
    return rows.filter(signs_from_at__lte=at).first() or rows.order_by("signs_from_at", "pk").first()


def may_be_chosen() -> QuerySet[SigningKey]:
    """Keys that a registration may be given: neither leaving nor retired, the newest first."""
    rows = SigningKey.objects.filter(retired_at__isnull=True, superseded_at__isnull=True)
    return rows.order_by("-created_at", "pk")


def is_in_use(row: SigningKey) -> bool:
    """Whether a standing registration authenticates with it."""
    return row.registrations.exclude(status__in=_OVER).exists()


def supersede(row: SigningKey, *, actor: Actor, at: datetime) -> bool:
    """Stop signing with it; it stays published until `leaves_at`. Raises KeyInUse while a standing registration has it.
    False if it was superseded before."""
    with transaction.atomic():
        locked = _unused(row)
        is_news = locked.superseded_at is None
        if is_news:
            locked.superseded_at = at
            locked.save(update_fields=["superseded_at"])
            _record(locked, "superseded", actor=actor, at=at)
    row.refresh_from_db()
    return is_news


def take_back(row: SigningKey, *, actor: Actor, at: datetime) -> None:
    """It is in use after all: when it is superseded again, its time starts again."""
    with transaction.atomic():
        locked = SigningKey.objects.select_for_update().get(pk=row.pk)
        if locked.superseded_at is not None and locked.retired_at is None:
            locked.superseded_at = None
            locked.save(update_fields=["superseded_at"])
            _record(locked, "in use again", actor=actor, at=at)
    row.refresh_from_db()


def leaves_at(row: SigningKey) -> datetime | None:
    """When nobody needs it to verify anything any more; None while it may sign."""
    return None if row.superseded_at is None else row.superseded_at + LEAVES_WITHIN


def retire(row: SigningKey, *, actor: Actor, at: datetime) -> bool:
    """Remove it from our key set and delete its private half. Raises KeyInUse as `supersede` does, and StillNeeded
    before `leaves_at`. False if it was retired before."""
    with transaction.atomic():
        locked = _unused(row)
        needed_until = leaves_at(locked)
        is_news = locked.retired_at is None
        if is_news:
            if needed_until is None or at < needed_until:
                raise StillNeeded
            _end(locked, "retired", actor=actor, at=at)
    row.refresh_from_db()
    return is_news


def give_up(row: SigningKey, *, actor: Actor, at: datetime) -> None:
    """Somebody else may have its private half: retire it at once, whoever signs with it. Its registrations have no key
    until they are given another one. Does nothing if it was retired before."""
    with transaction.atomic():
        locked = SigningKey.objects.select_for_update().get(pk=row.pk)
        if locked.retired_at is None:
            _end(locked, "given up", actor=actor, at=at)
    row.refresh_from_db()


def open_key(row: SigningKey) -> client_authentication.SigningKey | None:
    """The key in the wire's type, or None if it is retired. Raises the errors of opening a sealed value."""
    if row.sealed_private_jwk is None:
        return None
    opened = sealing.open_sealed(bytes(row.sealed_private_jwk), holder=Holder.installation(), place=place_of(row.kid))
    return client_authentication.SigningKey(row.kid, SigningAlgorithm(row.algorithm), Secret(opened.decode()))


def _unused(row: SigningKey) -> SigningKey:
    """The locked row, unless a standing registration has it. Whoever gives this key to a registration meanwhile waits
    for the lock at commit (foreign keys are checked then), and is not prevented: a superseded key may be taken back,
    and a retired one signs nothing."""
    locked = SigningKey.objects.select_for_update().get(pk=row.pk)
    if is_in_use(locked):
        raise KeyInUse
    return locked


def _end(locked: SigningKey, action: str, *, actor: Actor, at: datetime) -> None:
    locked.superseded_at = locked.superseded_at or at
    locked.retired_at = at
    locked.sealed_private_jwk = None
    locked.save(update_fields=["superseded_at", "retired_at", "sealed_private_jwk"])
    _record(locked, action, actor=actor, at=at)


def _generate(algorithm: Algorithm) -> ECKey | RSAKey:
    if algorithm is Algorithm.RS384:
        return RSAKey.generate_key(_RSA_BITS)
    return ECKey.generate_key("P-384")


def place_of(kid: str) -> Place:
    """The place of `SigningKey.sealed_private_jwk`."""
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
