"""Signing keys and enablements in the admin: a key is made here and its private half never shown."""

import json
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db import models
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.directory import enabling, pinning, signing
from apps.directory.admin.auditing import AuditedAdmin, staff
from apps.directory.models import Enablement, SigningKey


@admin.register(SigningKey)
class SigningKeyAdmin(AuditedAdmin):
    """Adding makes a pair; nothing is typed in, and the private half never leaves the vault but to sign."""

    subject = "signing key"
    list_display = ("kid", "algorithm", "created_at", "retired_at")
    list_filter = ("algorithm", ("retired_at", admin.EmptyFieldListFilter))
    search_fields = ("kid",)
    ordering = ("-created_at",)
    readonly_fields = ("kid", "public_key", "created_at", "retired_at")
    fixed = ("algorithm",)
    actions = ("supersede",)

    def get_fields(self, request: HttpRequest, obj: models.Model | None = None) -> tuple[str, ...]:
        """One thing to choose, then what there is to copy."""
        return ("algorithm", "kid", "public_key", "created_at", "retired_at") if obj else ("algorithm",)

    @admin.display(description=_("public half, to register"))
    def public_key(self, key: SigningKey) -> str:
        """As the developer console takes it (RFC 7517)."""
        return json.dumps({"keys": [key.public_jwk]})

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Keys are retired: what was signed with them stays explainable."""
        return False

    def save_model(
        self,
        request: HttpRequest,
        obj: models.Model,
        form: "forms.ModelForm[Any]",
        change: bool,  # noqa: FBT001 - Django's signature
    ) -> None:
        """Make a pair; there is nothing to change afterwards."""
        if not change:
            made = signing.make(form.cleaned_data["algorithm"], actor=staff(request), at=timezone.now())
            obj.pk = made.pk
            obj.refresh_from_db()

    @admin.action(description=_("Take out of use: sign nothing with it any more"))
    def supersede(self, request: HttpRequest, rows: models.QuerySet[SigningKey]) -> None:
        """Unless a registration that stands still needs it. It is retired by itself, once nobody verifies with it."""
        for key in rows.filter(retired_at__isnull=True):
            try:
                signing.supersede(key, actor=staff(request), at=timezone.now())
            except signing.KeyInUse:
                sentence = _("%(key)s is still the key of a client registration: give that one another first.")
                self.message_user(request, sentence % {"key": key.kid}, messages.ERROR)


class EnablementForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """Refuses what would send a secret to another origin than it was given for."""

    class Meta:
        model = Enablement
        fields = ("registration", "endpoint")

    def clean(self) -> dict[str, Any] | None:
        """Ask what the domain asks, in words."""
        cleaned = super().clean()
        if not self.errors and cleaned is not None and "endpoint" in cleaned:
            own = cleaned["endpoint"].authorization_server
            if own is None or not pinning.share_origins(own, cleaned["registration"].authorization_server):
                raise ValidationError(
                    _("People of this endpoint sign in elsewhere than where the registration was made, or it was not "
                      "discovered yet.")
                )  # fmt: skip
        return cleaned


@admin.register(Enablement)
class EnablementAdmin(AuditedAdmin):
    """Which organizations turned a registration on. Adding a row lets a registration serve an organization beside it;
    whether it is enabled there is what its answers say."""

    subject = "enablement"
    form = EnablementForm
    list_display = ("registration", "endpoint", "is_enabled", "since_at", "refused_at", "staff_told_at")
    list_filter = ("is_enabled",)
    list_select_related = ("registration", "endpoint")
    search_fields = ("registration__label", "endpoint__fhir_base_url")
    autocomplete_fields = ("registration", "endpoint")
    fields = ("registration", "endpoint", "is_enabled", "since_at", "refused_at", "staff_told_at")
    readonly_fields = ("is_enabled", "since_at", "refused_at", "staff_told_at")
    fixed = ("registration", "endpoint")

    def save_model(
        self,
        request: HttpRequest,
        obj: models.Model,
        form: "forms.ModelForm[Any]",
        change: bool,  # noqa: FBT001 - Django's signature
    ) -> None:
        """Let the registration serve the endpoint; there is nothing to change afterwards."""
        if not change:
            chosen = form.cleaned_data
            row = enabling.serve(chosen["registration"], chosen["endpoint"], actor=staff(request), at=timezone.now())
            obj.pk = row.pk
            obj.refresh_from_db()
