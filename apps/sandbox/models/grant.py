"""What a patient allowed an application, and its codes and tokens. Only digests are stored.

Every code and token references its grant, so ending the grant ends them all: when a code is used twice (RFC 6749
section 4.1.2), and when the patient or an administrator withdraws access.
"""

from django.db import models

from apps.sandbox.models.account import Account
from apps.sandbox.models.application import Application


class Grant(models.Model):
    """One "Allow" by one patient for one application and one FHIR version."""

    application = models.ForeignKey(Application, on_delete=models.CASCADE, related_name="grants")
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="grants")
    version = models.CharField(max_length=5)
    patient_ids = models.JSONField(default=list)
    denied_types = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    end_reason = models.CharField(max_length=80, blank=True)

    def __str__(self) -> str:
        return f"grant {self.pk} ({self.version})"


class AuthorizationCode(models.Model):
    """A code; it can be exchanged once."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    grant = models.ForeignKey(Grant, on_delete=models.CASCADE, related_name="codes")
    redirect_uri = models.TextField()
    code_challenge = models.CharField(max_length=128, blank=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"code of grant {self.grant_id}"


class AccessToken(models.Model):
    """Permits the data routes of one FHIR version until it expires."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    grant = models.ForeignKey(Grant, on_delete=models.CASCADE, related_name="access_tokens")
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"access token of grant {self.grant_id}"


class RefreshToken(models.Model):
    """Can be exchanged for access tokens until `expires_at`: 48 hours after it was issued, whether used or not."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    grant = models.ForeignKey(Grant, on_delete=models.CASCADE, related_name="refresh_tokens")
    issued_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    rotated_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"refresh token of grant {self.grant_id}"
