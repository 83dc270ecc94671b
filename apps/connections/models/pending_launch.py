"""A pending launch: the provider's own portal sent somebody here, who has not begun the sign-in yet."""

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.connections.models.authorization_request import AuthorizationRequest
from apps.directory.models import ClientRegistration, Endpoint


class PendingLaunch(models.Model):
    """Bound to a browser and to no user: whoever signs in there decides, with a POST, whether it becomes a request.
    Claimed once, by a conditional UPDATE. The launch value is sealed for the installation, because no user is known
    yet."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    registration = models.ForeignKey(ClientRegistration, on_delete=models.CASCADE, related_name="+")
    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="+")
    iss = models.CharField(max_length=1000, blank=True)  # the FHIR base URL as the portal wrote it
    browser_hash = models.BinaryField(max_length=32)
    launch_hash = models.BinaryField(max_length=32)
    sealed_launch = models.BinaryField(null=True)  # None once it was claimed
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)
    claimed_at = models.DateTimeField(null=True)
    # The sign-in that it became, so that its user finds the way back to it.
    authorization_request = models.ForeignKey(
        AuthorizationRequest, on_delete=models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        verbose_name = _("pending launch")
        verbose_name_plural = _("pending launches")
        indexes = [
            models.Index(fields=["launch_hash"], name="launches_by_value"),
            models.Index(fields=["browser_hash"], name="launches_of_a_browser"),
        ]

    class Privacy:
        secret = ("browser_hash", "launch_hash", "sealed_launch")
        operational = (
            "id", "registration", "endpoint", "iss", "created_at", "expires_at", "claimed_at", "authorization_request",
        )  # fmt: skip

    def __str__(self) -> str:
        return f"pending launch {self.pk}"
