"""Launches: an application started from the provider's portal, with the context it was started in."""

from django.db import models

from apps.sandbox.models.account import Account
from apps.sandbox.models.smart_application import SmartApplication
from apps.sandbox.models.tenant import Tenant


class Launch(models.Model):
    """One launch. The `launch` value is stored as a digest; it says what to open, and authenticates nobody."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    application = models.ForeignKey(SmartApplication, on_delete=models.CASCADE, related_name="launches")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="launches")
    host = models.CharField(max_length=16)
    version = models.CharField(max_length=5)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="launches")
    patient_id = models.CharField(max_length=64, blank=True)
    encounter_id = models.CharField(max_length=64, blank=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"launch of application {self.application_id}"
