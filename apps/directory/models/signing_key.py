"""A signing key: the pair with which we sign assertions, one half of it public."""

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _


class SigningKey(models.Model):
    """Made and opened by `directory.signing`. The private half is sealed for the installation and never shown; the
    public half is what a provider keeps of us (RFC 7523, interface facts 3.5)."""

    class Algorithm(models.TextChoices):
        """The two that every SMART server must take (SMART App Launch 2.2, asymmetric authentication)."""

        ES384 = "ES384", _("ES384: elliptic curve P-384")
        RS384 = "RS384", _("RS384: RSA")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kid = models.CharField(_("key id"), max_length=100, unique=True, editable=False)
    algorithm = models.CharField(_("algorithm"), max_length=10, choices=Algorithm, default=Algorithm.ES384)
    public_jwk = models.JSONField(_("public half"), editable=False)
    sealed_private_jwk = models.BinaryField(editable=False)
    created_at = models.DateTimeField(_("made"), editable=False)
    retired_at = models.DateTimeField(_("retired"), null=True, blank=True, editable=False)

    class Meta:
        verbose_name = _("signing key")
        verbose_name_plural = _("signing keys")

    class Privacy:
        secret = ("sealed_private_jwk",)
        operational = ("id", "kid", "algorithm", "public_jwk", "created_at", "retired_at")

    def __str__(self) -> str:
        return f"{self.algorithm} {self.kid}"
