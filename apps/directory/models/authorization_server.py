"""An authorization server: who shows consent and issues tokens for an endpoint."""

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _


class AuthorizationServer(models.Model):
    """Addresses, configured (interface A, specification 4.1 rule 4) or discovered (interface B)."""

    class Source(models.TextChoices):
        """How we know its addresses."""

        CONFIGURED = "configured", _("configured")
        DISCOVERED = "discovered", _("discovered")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    source = models.CharField(_("how we know it"), max_length=12, choices=Source)
    authorize_url = models.URLField(_("authorize address"), max_length=1000)
    token_url = models.URLField(_("token address"), max_length=1000)
    revocation_url = models.URLField(_("revocation address"), max_length=1000, blank=True)
    issuer = models.CharField(_("issuer, if it declares one"), max_length=1000, blank=True)
    is_sandbox = models.BooleanField(_("belongs to the sandbox"), default=False)
    found_at = models.DateTimeField(_("addresses found"))

    class Meta:
        verbose_name = _("authorization server")
        verbose_name_plural = _("authorization servers")
        constraints = [
            models.UniqueConstraint(fields=["authorize_url", "token_url"], name="one_row_per_authorization_server")
        ]

    class Privacy:
        operational = (
            "id", "source", "authorize_url", "token_url", "revocation_url", "issuer", "is_sandbox", "found_at",
        )  # fmt: skip

    def __str__(self) -> str:
        return self.authorize_url
