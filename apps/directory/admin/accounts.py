"""System accounts in the admin: the fields in the order of the form, the id that came back, and the history."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db import models
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from apps.audit.concurrent_edits import ChangedFieldsForm
from apps.directory.admin.auditing import AuditedAdmin, staff
from apps.directory.admin.list_filters import Question
from apps.directory.desk import system_accounts
from apps.directory.models import SystemAccount

Status = SystemAccount.Status


class IsWaiting(Question):
    """Whether the deployment has yet to decide."""

    title = _("Is it waiting for approval?")
    parameter_name = "waiting"

    def narrow(self, rows: "models.QuerySet[Any]", answer: str) -> "models.QuerySet[Any]":
        """Requested, and neither approved nor rejected."""
        waiting = models.Q(status=Status.REQUESTED)
        return rows.filter(waiting if answer == "yes" else ~waiting)


class SystemAccountForm(ChangedFieldsForm):
    """Everything but the status, which only actions change."""

    class Meta:
        model = SystemAccount
        fields = ()  # the admin below lists them
        help_texts = {
            "description": _("As written in the request."),
            "is_production": _("No, unless this installation serves patients."),
            "is_vendor_client": _("No: the application is our own."),
            "client_number": _("Only if they gave you one."),
            "client_mnemonic": _("Only if they gave you one."),
            "is_platform_system": _("No: we are not one of their systems."),
            "account_id": _(
                "As it appears in their e-mail or console: it goes into the GUID field when the application is "
                "registered, and is the client id for system access. Enter it here, save, then approve."
            ),
        }

    def clean_account_id(self) -> str:
        """Without the whitespace that copying adds."""
        return str(self.cleaned_data["account_id"]).strip()


@admin.register(SystemAccount)
class SystemAccountAdmin(AuditedAdmin):
    """The accounts under which SMART deployments know our confidential applications."""

    subject = "system account"
    ordering = ("-pk",)  # as the admin has it of lists; what is chosen by typing has pages, too
    form = SystemAccountForm
    list_display = ("__str__", "account_id", "status", "is_production", "requested_at")
    list_filter = (IsWaiting, "is_production")
    search_fields = ("account_id", "description", "client_name", "client_number", "client_mnemonic")
    search_help_text = _("Account id, description, or client name.")
    fieldsets = (
        (_("What the request says"), {"fields": (
            "description", "is_production", "is_vendor_client", "client_name", "client_number", "client_mnemonic",
            "is_platform_system",
        )}),
        (_("What they gave us"), {"fields": ("account_id",)}),
        (_("What happened"), {"fields": ("status", "requested_at", "approved_at", "rejected_at", "used_by")}),
    )  # fmt: skip
    readonly_fields = ("status", "requested_at", "approved_at", "rejected_at", "used_by")
    actions = ("approve", "reject")

    @admin.display(description=_("client registrations under it"))
    def used_by(self, account: SystemAccount) -> str:
        """By their labels."""
        return ", ".join(account.registrations.order_by("label").values_list("label", flat=True)) or "-"

    def save_model(
        self,
        request: HttpRequest,
        obj: models.Model,
        form: "forms.ModelForm[Any]",
        change: bool,  # noqa: FBT001 - Django's signature
    ) -> None:
        """A new account is stored as requested now."""
        assert isinstance(obj, SystemAccount)  # noqa: S101 - this admin's model
        if not change:
            obj.requested_at = timezone.now()
        super().save_model(request, obj, form, change)

    @admin.action(description=_("Approve: it was approved, and its id is written here"), permissions=["change"])
    def approve(self, request: HttpRequest, rows: "models.QuerySet[SystemAccount]") -> None:
        """Move to approved."""
        refused = 0
        for row in rows:
            try:
                system_accounts.approve(row, account_id=row.account_id, actor=staff(request), at=timezone.now())
            except system_accounts.AccountNotMoved:
                refused += 1
        self.say_done(request, len(rows) - refused)
        self._say_refused(request, refused)

    @admin.action(description=_("Reject: it was refused or closed there"), permissions=["change"])
    def reject(self, request: HttpRequest, rows: "models.QuerySet[SystemAccount]") -> None:
        """Move to rejected."""
        refused = 0
        for row in rows:
            try:
                system_accounts.reject(row, actor=staff(request), at=timezone.now())
            except system_accounts.AccountNotMoved:
                refused += 1
        self.say_done(request, len(rows) - refused)
        self._say_refused(request, refused)

    def _say_refused(self, request: HttpRequest, refused: int) -> None:
        if refused:
            sentence = ngettext(
                "%(count)d system account cannot move there from its status, or has no id yet.",
                "%(count)d system accounts cannot move there from their status, or have no id yet.",
                refused,
            )
            self.message_user(request, sentence % {"count": refused}, messages.ERROR)
