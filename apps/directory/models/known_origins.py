"""Further origins of a client registration, which staff approved when a provider moved there."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.directory.models.client_registration import ClientRegistration
from apps.directory.models.endpoint import Endpoint


class KnownOrigins(models.Model):
    """Codes, tokens and secrets for the origins of its authorization server may also be sent to these: where patients
    sign in, and where tokens are issued. Only as a pair: one of them with another origin is not known (`pinning`)."""

    registration = models.ForeignKey(
        ClientRegistration,
        on_delete=models.CASCADE,
        related_name="known_origins",
        verbose_name=_("client registration"),
    )
    endpoint = models.ForeignKey(
        Endpoint, on_delete=models.SET_NULL, related_name="+", null=True, verbose_name=_("endpoint that named them")
    )
    authorize_origin = models.CharField(_("where patients sign in"), max_length=300)
    token_origin = models.CharField(_("where tokens are given"), max_length=300)
    approved_at = models.DateTimeField(_("approved"))
    withdrawn_at = models.DateTimeField(_("withdrawn"), null=True)

    class Meta:
        verbose_name = _("known origins")
        verbose_name_plural = _("known origins")
        constraints = [
            models.UniqueConstraint(
                fields=["registration", "authorize_origin", "token_origin"],
                condition=models.Q(withdrawn_at=None),
                name="approved_once",
            )
        ]

    class Privacy:
        operational = (
            "id", "registration", "endpoint", "authorize_origin", "token_origin", "approved_at", "withdrawn_at",
        )  # fmt: skip

    def __str__(self) -> str:
        return f"{self.authorize_origin} {self.token_origin}"
