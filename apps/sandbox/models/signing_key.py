"""Interface B's signing keys. The private halves are invented, like everything else here."""

from django.db import models


class KeyPurpose(models.TextChoices):
    """What a key signs."""

    ACCESS = "access", "Access tokens (ES256)"
    IDENTITY = "identity", "ID tokens (RS256)"


class SigningKey(models.Model):
    """One key pair. `private_jwk` is the complete JSON Web Key; a retired key signs nothing new."""

    kid = models.CharField(max_length=120, unique=True)
    kty = models.CharField(max_length=4)
    private_jwk = models.JSONField(editable=False)
    purpose = models.CharField(max_length=8, choices=KeyPurpose.choices)
    created_at = models.DateTimeField()
    retired_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.kid} ({self.purpose})"
