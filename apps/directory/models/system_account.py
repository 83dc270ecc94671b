"""A system account: by it a SMART deployment knows a confidential application, or a system of ours."""

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _


class SystemAccount(models.Model):
    """Requested with a form and approved by hand (specification 5.2.7). Its id is the GUID of a console, and the client
    id for system access (specification 5.2.5). Several client registrations may use one."""

    class Status(models.TextChoices):
        """The status of the request."""

        REQUESTED = "requested", _("requested")
        APPROVED = "approved", _("approved")
        REJECTED = "rejected", _("rejected")

    MOVES = {
        Status.REQUESTED: {Status.APPROVED, Status.REJECTED},
        Status.APPROVED: {Status.REJECTED},  # an account can be closed there
        Status.REJECTED: set[Status](),  # ask again with a new one
    }

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # Empty until it is approved: the deployment assigns it.
    account_id = models.CharField(_("account id (GUID)"), max_length=100, blank=True)
    status = models.CharField(_("status"), max_length=12, choices=Status, default=Status.REQUESTED)
    # The fields of the request, in the order of its form (specification 5.2.7).
    description = models.CharField(_("description"), max_length=300)
    is_production = models.BooleanField(_("production system"), default=False)
    is_vendor_client = models.BooleanField(_("the vendor's own client"), default=False)
    client_name = models.CharField(_("client name"), max_length=200, blank=True)
    client_number = models.CharField(_("client number"), max_length=60, blank=True)
    client_mnemonic = models.CharField(_("client mnemonic"), max_length=60, blank=True)
    is_platform_system = models.BooleanField(_("a system of the vendor's platform"), default=False)
    requested_at = models.DateTimeField(_("requested"))
    approved_at = models.DateTimeField(_("approved"), null=True, blank=True)
    rejected_at = models.DateTimeField(_("rejected"), null=True, blank=True)

    class Meta:
        verbose_name = _("system account")
        verbose_name_plural = _("system accounts")
        constraints = [
            models.UniqueConstraint(
                fields=["account_id"], condition=~models.Q(account_id=""), name="one_system_account_per_id"
            )
        ]

    class Privacy:
        operational = (
            "id", "account_id", "status", "description", "is_production", "is_vendor_client", "client_name",
            "client_number", "client_mnemonic", "is_platform_system", "requested_at", "approved_at", "rejected_at",
        )  # fmt: skip

    def __str__(self) -> str:
        return self.client_name or self.description
