"""An enablement: whether one organization has enabled a client registration."""

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.directory.models.client_registration import ClientRegistration
from apps.directory.models.endpoint import Endpoint


class Enablement(models.Model):
    """Each tenant of a SMART deployment decides for itself (interface facts, section 8). A row says what was last
    observed; it also says that the registration, made for another authorization server of the deployment, serves this
    endpoint. Without a row nothing is known, and the endpoint's own registration is tried."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    registration = models.ForeignKey(
        ClientRegistration, on_delete=models.CASCADE, related_name="enablements", verbose_name=_("client registration")
    )
    endpoint = models.ForeignKey(
        Endpoint, on_delete=models.CASCADE, related_name="enablements", verbose_name=_("endpoint")
    )
    is_enabled = models.BooleanField(_("the organization has turned it on"), default=True)
    since_at = models.DateTimeField(_("since"))
    refused_at = models.DateTimeField(_("last refused"), null=True, blank=True)
    staff_told_at = models.DateTimeField(_("staff told"), null=True, blank=True)

    class Meta:
        verbose_name = _("enablement")
        verbose_name_plural = _("enablements")
        indexes = [
            models.Index(fields=["registration", "since_at"], condition=models.Q(is_enabled=False), name="refusals")
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["registration", "endpoint"], name="one_enablement_per_registration_and_endpoint"
            )
        ]

    class Privacy:
        operational = ("id", "registration", "endpoint", "is_enabled", "since_at", "refused_at", "staff_told_at")

    def __str__(self) -> str:
        return f"{self.registration_id} at {self.endpoint_id}"
