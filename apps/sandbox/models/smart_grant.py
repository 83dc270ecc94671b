"""What somebody allowed an application of interface B, and its codes and refresh tokens.

Access tokens are signed and not stored: `apps.sandbox.smart.access_tokens` makes and reads them. Codes and refresh
tokens are stored as digests and reference their grant, so ending the grant ends them.
"""

from django.db import models

from apps.sandbox.models.account import Account
from apps.sandbox.models.smart_application import Persona, SmartApplication
from apps.sandbox.models.tenant import Tenant


class RefreshAccess(models.TextChoices):
    """How long a refresh token of the grant lives (specification 5.2.3). Empty: there is none."""

    ONLINE = "online", "As long as the session"
    OFFLINE = "offline", "Until revoked, or unused for three months"


class SmartGrant(models.Model):
    """One "Allow" by one person, for one application at one FHIR root.

    `scopes` are the granted scopes, in the order requested. `aud` is the root as the application wrote it. `patient_id`
    and `encounter_id` are the launch context, empty without one. `fhir_user` is `Patient/…` or `Practitioner/…`.
    `session_key` names the session on which it depends (online access only).
    """

    application = models.ForeignKey(SmartApplication, on_delete=models.CASCADE, related_name="grants")
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="smart_grants")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="grants")
    host = models.CharField(max_length=16)
    version = models.CharField(max_length=5)
    persona = models.CharField(max_length=8, choices=Persona.choices)
    aud = models.TextField()
    scopes = models.JSONField(default=list)
    patient_id = models.CharField(max_length=64, blank=True)
    encounter_id = models.CharField(max_length=64, blank=True)
    fhir_user = models.CharField(max_length=120, blank=True)
    nonce = models.TextField(blank=True)
    session_key = models.CharField(max_length=64, blank=True)
    access = models.CharField(max_length=8, choices=RefreshAccess.choices, blank=True)
    created_at = models.DateTimeField()
    last_used_at = models.DateTimeField(help_text="The latest exchange or refresh.")
    ended_at = models.DateTimeField(null=True, blank=True)
    end_reason = models.CharField(max_length=80, blank=True)

    def __str__(self) -> str:
        return f"SMART grant {self.pk} ({self.version})"


class SmartCode(models.Model):
    """A code; it can be exchanged once. `redirect_uri` and `state` as they were sent."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    grant = models.ForeignKey(SmartGrant, on_delete=models.CASCADE, related_name="codes")
    redirect_uri = models.TextField(blank=True)
    state = models.TextField(blank=True)
    code_challenge = models.CharField(max_length=128, blank=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"code of SMART grant {self.grant_id}"


class SmartRefreshToken(models.Model):
    """Can be exchanged for access tokens as long as its grant lasts."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    grant = models.ForeignKey(SmartGrant, on_delete=models.CASCADE, related_name="refresh_tokens")
    issued_at = models.DateTimeField()
    last_refreshed_at = models.DateTimeField(null=True, blank=True)
    rotated_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"refresh token of SMART grant {self.grant_id}"


class SmartAssertion(models.Model):
    """A client assertion that was used: its `jti` works only once (RFC 7523 section 3)."""

    application = models.ForeignKey(SmartApplication, on_delete=models.CASCADE, related_name="assertions")
    jti_sha256 = models.CharField(max_length=64)
    expires_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["application", "jti_sha256"], name="sandbox_one_assertion")]

    def __str__(self) -> str:
        return f"assertion of application {self.application_id}"
