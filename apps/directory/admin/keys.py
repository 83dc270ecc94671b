"""Signing keys and enablements in the admin. A key pair is made here, and its private half is never shown."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy as _

from apps.audit.concurrent_edits import ChangedFieldsForm
from apps.directory import enabling, key_outlook, published_keys, signing
from apps.directory.admin.auditing import AuditedAdmin, staff
from apps.directory.admin.list_filters import Question
from apps.directory.key_outlook import State
from apps.directory.models import ClientRegistration, Enablement, SigningKey


class InWhichState(Question):
    """By the state in the column."""

    title = _("What state is it in?")
    parameter_name = "state"
    answers = dict(State.choices)

    def narrow(self, rows: models.QuerySet[Any], answer: str) -> models.QuerySet[Any]:
        """Computes the state of each: there are few."""
        at = timezone.now()
        return rows.filter(pk__in=[row.pk for row in rows if key_outlook.of(row, at=at).state == answer])


@admin.register(SigningKey)
class SigningKeyAdmin(AuditedAdmin):
    """Adding makes a pair; nothing is typed in, and the private half is only used to sign."""

    subject = "signing key"
    list_display = ("short_id", "state", "next_step", "created_at")
    list_filter = (InWhichState,)
    search_fields = ("kid",)
    ordering = ("-created_at",)
    readonly_fields = (
        "kid", "state", "next_step", "used_by", "key_set_address", "public_key", "created_at", "signs_from_at",
        "superseded_at", "retired_at",
    )  # fmt: skip
    fixed = ("algorithm",)
    actions = ("supersede",)

    def get_fieldsets(self, request: HttpRequest, obj: models.Model | None = None) -> Any:
        """One choice at first; later what to know and to copy, and the history."""
        if obj is None:
            return ((None, {"fields": ("algorithm",)}),)
        return (
            (None, {"fields": ("state", "next_step", "used_by")}),
            (_("What to register with a provider"), {"fields": ("key_set_address", "public_key", "kid", "algorithm")}),
            (_("What happened"), {"fields": ("created_at", "signs_from_at", "superseded_at", "retired_at")}),
        )

    @admin.display(description=_("key"), ordering="algorithm")
    def short_id(self, key: SigningKey) -> str:
        """Enough of the id to distinguish it."""
        return f"{key.algorithm} {key.kid[:11]}…"

    @admin.display(description=_("state"))
    def state(self, key: SigningKey) -> str:
        """In words."""
        return str(key_outlook.of(key, at=timezone.now()).state.label)

    @admin.display(description=_("what comes next"))
    def next_step(self, key: SigningKey) -> str:
        """And when, or who must act."""
        return key_outlook.of(key, at=timezone.now()).sentence

    @admin.display(description=_("used by"))
    def used_by(self, key: SigningKey) -> str:
        """Standing registrations that sign with it."""
        users = key_outlook.of(key, at=timezone.now()).users
        address = "admin:directory_clientregistration_change"
        links = ((reverse(address, args=[row.pk]), f"{row}: {_how(row)}") for row in users)
        between = mark_safe("<br>")  # nosec B308 B703 - a constant
        return format_html_join(between, '<a href="{}">{}</a>', links) or str(_("no client registration"))

    @admin.display(description=_("address of our key set"))
    def key_set_address(self, _key: SigningKey) -> str:
        """For a provider that reads our keys there, and then needs nothing else from us."""
        return published_keys.key_set_url()

    @admin.display(description=_("our key set, to upload"))
    def public_key(self, _key: SigningKey) -> str:
        """The whole key set, for a provider that keeps a copy: it verifies what the old key signed until that key is
        dropped."""
        area = '<textarea class="vLargeTextField" rows="10" readonly aria-label="{}">{}</textarea>'
        return format_html(area, _("our key set, to upload"), published_keys.key_set().body.decode())

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Without buttons to save it: nothing of a key changes by hand."""
        buttons = dict.fromkeys(("show_save", "show_save_and_continue", "show_save_and_add_another"), False)
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **buttons})

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Keys are retired instead, so that what they signed can still be explained."""
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

    @admin.action(description=_("Take out of use: sign nothing more with it"), permissions=["change"])
    def supersede(self, request: HttpRequest, rows: models.QuerySet[SigningKey]) -> None:
        """Unless a standing registration still needs it. It is retired by itself, once nobody verifies with it.
        Messages begin with the algorithm, because the admin would capitalize the first letter of a key id."""
        for key in rows.filter(retired_at__isnull=True):
            try:
                signing.supersede(key, actor=staff(request), at=timezone.now())
            except signing.KeyInUse:
                sentence = _(
                    "%(key)s is still the key of a client registration: give that registration another key first."
                )
                self.message_user(request, sentence % {"key": key}, messages.ERROR)
            else:
                self.message_user(request, f"{key}: {self.next_step(key)}", messages.SUCCESS)


def _how(row: ClientRegistration) -> str:
    fetched, uploaded = _("its provider reads our key set at its address"), _("its provider holds an uploaded copy")
    return str(fetched if row.key_set_is_fetched else uploaded)


class EnablementForm(ChangedFieldsForm):
    """Refuses what would send a secret to another origin than the one that it was issued for."""

    class Meta:
        model = Enablement
        fields = ("registration", "endpoint")

    def clean(self) -> dict[str, Any]:
        """Validate as the domain does, with messages."""
        cleaned = super().clean()
        if not self.errors and "endpoint" in cleaned:
            try:
                enabling.check_beside(cleaned["registration"], cleaned["endpoint"])
            except enabling.Unsuited:
                raise ValidationError(
                    _(
                        "The registration was rejected or retired, or it is for another interface, or one of the two "
                        "belongs to the sandbox."
                    )
                ) from None  # fmt: skip
            except enabling.NotBeside:
                raise ValidationError(
                    _(
                        "People of this endpoint do not sign in where the registration was made, or the endpoint has "
                        "not been discovered yet."
                    )
                ) from None  # fmt: skip
        return cleaned


@admin.register(Enablement)
class EnablementAdmin(AuditedAdmin):
    """Which organizations turned a registration on. Adding a row lets a registration serve another organization's
    endpoint; the server's responses show whether it is enabled there."""

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
