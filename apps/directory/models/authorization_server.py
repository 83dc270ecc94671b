"""An authorization server: who shows consent and issues tokens for an endpoint."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _


class AuthorizationServer(models.Model):
    """Addresses, configured (interface A, specification 4.1 rule 4) or discovered (interface B), and the server's
    metadata. An empty list or text means that the server does not say; nothing is guessed."""

    class Source(models.TextChoices):
        """How we know its addresses."""

        CONFIGURED = "configured", _("configured")
        DISCOVERED = "discovered", _("discovered")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    source = models.CharField(_("how we know it"), max_length=12, choices=Source)
    authorize_url = models.URLField(_("authorize address"), max_length=1000)
    token_url = models.URLField(_("token address"), max_length=1000)
    revocation_url = models.URLField(_("revocation address"), max_length=1000, blank=True)
    introspection_url = models.URLField(_("introspection address"), max_length=1000, blank=True)
    # A page where patients manage the apps that may read their record. Only linked to, never requested by us.
    management_url = models.URLField(_("address where patients manage permissions"), max_length=1000, blank=True)
    jwks_url = models.URLField(_("key set address"), max_length=1000, blank=True)
    issuer = models.CharField(_("issuer, if it declares one"), max_length=1000, blank=True)
    # The issuers that ID tokens may name: the declared one, and those that staff add. None is derived from another.
    id_token_issuers = ArrayField(
        models.CharField(max_length=1000), verbose_name=_("issuers its ID tokens may name"), default=list, blank=True
    )
    names_issuer = models.BooleanField(_("promises to name itself in authorization responses"), default=False)
    capabilities = ArrayField(
        models.CharField(max_length=100), verbose_name=_("capabilities it declares"), default=list, blank=True
    )
    scopes_supported = ArrayField(
        models.CharField(max_length=300), verbose_name=_("scopes it declares"), default=list, blank=True
    )
    pkce_methods = ArrayField(
        models.CharField(max_length=20), verbose_name=_("PKCE methods it declares"), null=True, blank=True
    )
    is_sandbox = models.BooleanField(_("belongs to the sandbox"), default=False)
    found_at = models.DateTimeField(_("addresses found"))
    checked_at = models.DateTimeField(_("last confirmed by discovery"), null=True, blank=True)

    class Meta:
        verbose_name = _("authorization server")
        verbose_name_plural = _("authorization servers")
        constraints = [
            models.UniqueConstraint(fields=["authorize_url", "token_url"], name="one_row_per_authorization_server")
        ]

    class Privacy:
        operational = (
            "id", "source", "authorize_url", "token_url", "revocation_url", "introspection_url", "management_url",
            "jwks_url", "issuer", "id_token_issuers", "names_issuer", "capabilities", "scopes_supported",
            "pkce_methods", "is_sandbox", "found_at", "checked_at",
        )  # fmt: skip

    def __str__(self) -> str:
        return self.authorize_url

    @property
    def disagreements(self) -> list[str]:
        """Disagreements that discovery found at its endpoints: the documents belong to a FHIR base URL."""
        return sorted({note for endpoint in self.endpoints.all() for note in endpoint.disagreements})
