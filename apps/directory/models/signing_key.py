"""A signing key: the key pair with which we sign client assertions."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class SigningKey(models.Model):
    """Made and decrypted by `directory.signing`, replaced by `directory.rotating`. The private half is sealed for the
    installation, never shown, and deleted when the key is retired; providers have the public half (RFC 7523, interface
    facts 3.5). It is published from its creation until it is retired."""

    class Algorithm(models.TextChoices):
        """The two that every SMART server must accept (SMART App Launch 2.2, asymmetric authentication)."""

        ES384 = "ES384", _("ES384: elliptic curve P-384")
        RS384 = "RS384", _("RS384: RSA")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kid = models.CharField(_("key id"), max_length=100, unique=True, editable=False)
    algorithm = models.CharField(_("algorithm"), max_length=10, choices=Algorithm, default=Algorithm.ES384)
    public_jwk = models.JSONField(_("public half"), editable=False)
    sealed_private_jwk = models.BinaryField(null=True, editable=False)
    created_at = models.DateTimeField(_("made and published"), editable=False)
    # Before that, a provider may still have a copy of our key set without it.
    signs_from_at = models.DateTimeField(_("signs from"), editable=False)
    # Since when it no longer signs; what it signed may still be on its way.
    superseded_at = models.DateTimeField(_("superseded"), null=True, blank=True, editable=False)
    retired_at = models.DateTimeField(_("retired"), null=True, blank=True, editable=False)

    class Meta:
        verbose_name = _("signing key")
        verbose_name_plural = _("signing keys")
        constraints = [
            models.CheckConstraint(
                condition=Q(retired_at__isnull=True, sealed_private_jwk__isnull=False)
                | Q(retired_at__isnull=False, sealed_private_jwk__isnull=True),
                name="signing_key_has_a_private_half_until_it_is_retired",
            )
        ]

    class Privacy:
        secret = ("sealed_private_jwk",)
        operational = (
            "id", "kid", "algorithm", "public_jwk", "created_at", "signs_from_at", "superseded_at", "retired_at",
        )  # fmt: skip

    def __str__(self) -> str:
        return f"{self.algorithm} {self.kid}"
