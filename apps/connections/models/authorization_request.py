"""An authorization request: one attempt to send one person to one authorization server."""

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.connections.models.connection import Connection
from apps.connections.models.trial import Trial
from apps.connections.outcomes import Outcome
from apps.directory.models import ClientRegistration, Endpoint, Provider


class AuthorizationRequest(models.Model):
    """Claimed once, by a conditional UPDATE. Its outcome is stored, so that a second tab shows the same."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="authorization_requests",
        verbose_name=_("user"),
    )
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="+", verbose_name=_("endpoint"))
    provider = models.ForeignKey(Provider, on_delete=models.PROTECT, related_name="+", verbose_name=_("provider"))
    registration = models.ForeignKey(
        ClientRegistration, on_delete=models.PROTECT, related_name="+", verbose_name=_("client registration")
    )
    # The connection that it is to renew (reauthorization), or else the one that it made.
    connection = models.ForeignKey(Connection, on_delete=models.SET_NULL, null=True, related_name="+")
    is_reauthorization = models.BooleanField(_("reauthorization"), default=False)
    # Set if staff are trying out a registration: the tokens are inspected and revoked, and make no connection.
    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, null=True, related_name="authorization_requests")
    # The state itself is stored nowhere: it is derived from the browser's cookie and this id
    # (`authorization_requests.binding`).
    state_hash = models.BinaryField(max_length=32, unique=True)
    browser_hash = models.BinaryField(max_length=32)
    sealed_pkce_verifier = models.BinaryField(null=True)
    # The scope as sent, to compare with what is granted. Empty if the interface has no scopes.
    requested_scope = models.CharField(max_length=4000, blank=True)
    # The launch of a sign-in that began in the provider's own portal, sealed for the user.
    sealed_launch = models.BinaryField(null=True)
    launched_from = models.CharField(max_length=1000, blank=True)  # the FHIR base URL as that portal wrote it
    prompts_for_consent = models.BooleanField(default=False)
    created_at = models.DateTimeField(_("begun"))
    expires_at = models.DateTimeField()
    # When its page first showed the way to the provider.
    left_at = models.DateTimeField(_("left for the provider"), null=True)
    claimed_at = models.DateTimeField(_("came back"), null=True)
    outcome = models.CharField(_("outcome"), max_length=24, choices=Outcome, blank=True)
    error_uri = models.URLField(max_length=1000, blank=True)  # the provider's own help page, on its own host only

    class Meta:
        verbose_name = _("authorization request")
        verbose_name_plural = _("authorization requests")
        indexes = [models.Index(fields=["user", "created_at"], name="requests_of_a_user")]

    class Privacy:
        secret = ("state_hash", "browser_hash", "sealed_pkce_verifier", "sealed_launch")
        personal = ("requested_scope",)
        operational = (
            "id", "user", "endpoint", "provider", "registration", "connection", "is_reauthorization",
            "trial", "launched_from", "prompts_for_consent", "created_at", "expires_at", "left_at", "claimed_at",
            "outcome", "error_uri",
        )  # fmt: skip

    def __str__(self) -> str:
        return f"authorization request {self.pk}"
