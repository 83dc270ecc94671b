"""Client registrations in the admin, in the order of the work: where it is, what to copy there, what they gave us, how
we communicate, limits, the switch, and the history. The secret is write-only; actions change the status."""

from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.db import models
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils import formats, timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from apps.directory import credentials, linkability, published_keys, registering, signing, switching, trusting
from apps.directory.admin import ending, endpoint_pages, handing_over
from apps.directory.admin.auditing import SwitchedAdmin, staff
from apps.directory.admin.list_filters import IsOfSandbox, IsSwitchedOff
from apps.directory.admin.registration_form import ClientRegistrationForm
from apps.directory.admin.registration_list_filters import IsSecretDue, IsSomethingWrong, IsWaiting
from apps.directory.credentials import Due
from apps.directory.models import ClientRegistration, Endpoint
from apps.directory.registering import Terms
from apps.wire.secret import Secret

Status = ClientRegistration.Status

_MOST_ENDPOINTS = 5  # told one by one
_DUE = {Due.OVERDUE: _("overdue"), Due.SOON: _("within a month"), Due.LATER: _("no"), Due.NEVER: "-"}

_WORDS = {
    Status.REQUESTED: _("requested"),
    Status.PROVISIONAL: _("provisional"),
    Status.APPROVED: _("approved"),
    Status.REJECTED: _("rejected"),
    Status.RETIRED: _("retired"),
}

_WHERE = (
    "authorization_server", "label", "desk_url", "developer_email", "support_contact", "is_sandbox",
)  # fmt: skip
_TO_COPY = ("redirect_uri", "launch_url", "key_set_address", "key_set_is_fetched")
_GIVEN = (
    "application_name", "application_id", "client_id", "new_secret", "secret_set_at", "secret_rotation_due_date",
    "system_account", "versions_added",
)  # fmt: skip
_HOW = (
    "authentication", "signing_key", "smart_version", "scope", "refresh_scope", "asks_identity", "prompts_for_consent",
    "uses_pkce", "system_authentication", "token_parameters", "sends_state", "sends_aud", "accept",
)  # fmt: skip
_LIMITS = (
    "refresh_window_hours", "idle_limit_days", "minimum_refresh_seconds", "assumed_lifetime_seconds",
    "requests_per_minute", "parallel_requests", "runs_at_once", "revokes_replaced",
)  # fmt: skip
_HAPPENED = (
    "status", "linking", "also_known", "requested_at", "provisional_at", "approved_at", "rejected_at", "retired_at",
    "trouble", "trouble_at", "trouble_seen_at",
)  # fmt: skip


@admin.register(ClientRegistration)
class ClientRegistrationAdmin(SwitchedAdmin):
    """Our status at authorization servers, from the request at a developer portal to retirement."""

    subject = "client registration"
    ordering = ("-pk",)  # as the admin has it of lists; what is chosen by typing has pages, too
    form = ClientRegistrationForm
    list_display = ("label", "stands", "is_switched_on", "trouble", "secret_is_due", "in_sandbox")
    list_filter = (
        IsWaiting, IsSomethingWrong, IsSecretDue, handing_over.NeedsNewKey, IsSwitchedOff, IsOfSandbox,
    )  # fmt: skip
    list_select_related = ("authorization_server",)
    search_fields = (
        "label", "client_id", "application_name", "application_id", "system_account__account_id",
        "authorization_server__authorize_url", "authorization_server__token_url",
        "authorization_server__endpoints__fhir_base_url",
    )  # fmt: skip
    search_help_text = _("Label, client id, application, system account id, or host.")
    autocomplete_fields = ("authorization_server", "system_account")
    readonly_fields = (
        "redirect_uri", "launch_url", "key_set_address", "secret_set_at", "switched_off_at", "is_sandbox", *_HAPPENED,
    )  # fmt: skip
    fixed = ("authorization_server",)
    actions = ("approve", "reject", "retire", *SwitchedAdmin.actions, "clear_trouble", handing_over.ACTION)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """A row that is not saved yet has nothing to copy, and no history."""
        fieldsets = (
            (_("Where it is"), {"fields": _WHERE}),
            (_("What to copy there"), {"fields": _TO_COPY}),
            (_("What they gave us"), {"fields": _GIVEN}),
            (_("How we speak there"), {"fields": _HOW}),
            (_("Limits"), {"fields": _LIMITS}),
            (_("Switch"), {"fields": ("is_switched_on", "switched_off_at")}),
            (_("What happened"), {"fields": _HAPPENED}),
        )
        return fieldsets if obj else (fieldsets[0], *fieldsets[2:5])

    @admin.display(description=_("status"), ordering="status")
    def stands(self, registration: ClientRegistration) -> str:
        """In one word; the page of one says more."""
        return str(_WORDS[Status(registration.status)])

    @admin.display(description=_("sandbox"), boolean=True)
    def in_sandbox(self, registration: ClientRegistration) -> bool:
        """Whether it is the sandbox's."""
        return registration.is_sandbox

    @admin.display(description=_("known at other origins, too"))
    def also_known(self, registration: ClientRegistration) -> Any:
        """Origins that staff approved when endpoints moved, withdrawn ones included."""
        rows = registration.known_origins.order_by("-pk")[:_MOST_ENDPOINTS]
        return endpoint_pages.listed([endpoint_pages.approval(row) for row in rows])

    @admin.display(description=_("redirect URI to register"))
    def redirect_uri(self, registration: ClientRegistration) -> str:
        """To copy into the developer portal, character by character."""
        return registering.redirect_uri(registration)

    @admin.display(description=_("launch URL to register"))
    def launch_url(self, registration: ClientRegistration) -> str:
        """To copy, for launches from a provider's own portal."""
        return registering.launch_url(registration)

    @admin.display(description=_("address of our key set"))
    def key_set_address(self, _registration: ClientRegistration) -> str:
        """To copy, for a client that authenticates with a signing key."""
        return published_keys.key_set_url()

    @admin.display(description=_("Is its secret due for replacement?"), ordering="secret_rotation_due_date")
    def secret_is_due(self, registration: ClientRegistration) -> str:
        """By its rotation date."""
        return str(_DUE[credentials.due(registration, today=timezone.localdate())])

    @admin.display(description=_("Can patients link through it?"))
    def linking(self, registration: ClientRegistration) -> str:
        """For each of its first endpoints: on, or the reason why it is off."""
        own = Q(authorization_server=registration.authorization_server_id)
        served = Endpoint.objects.filter(own | Q(enablements__registration=registration)).distinct()
        endpoints = served.order_by("fhir_base_url")[: _MOST_ENDPOINTS + 1]
        lines = [f"{endpoint}: {_linking(endpoint)}" for endpoint in endpoints[:_MOST_ENDPOINTS]]
        return "\n".join([*lines, "…"] if len(endpoints) > _MOST_ENDPOINTS else lines) or str(_("It has no endpoint."))

    def formfield_for_foreignkey(
        self, db_field: "models.ForeignKey[Any, Any]", request: HttpRequest, **kwargs: Any
    ) -> Any:
        """Keys that are leaving or retired cannot be chosen."""
        if db_field.name == "signing_key":
            kwargs["queryset"] = signing.may_be_chosen()
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Save a new one after any running import: with it, endpoints of its server may be switched off."""
        answer = partial(super().add_view, request, form_url, extra_context)
        return self.save_after_imports(request, answer) if request.method == "POST" else answer()

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """With a message if the secret is due to be rotated, when the page is only viewed."""
        registration = self.get_object(request, object_id) if request.method == "GET" else None
        if registration is not None:
            self._warn(request, registration)
        return super().change_view(request, object_id, form_url, extra_context)

    def turn(self, request: HttpRequest, obj: ClientRegistration, *, is_on: bool) -> None:
        """Of one registration."""
        switching.switch_registration(obj, is_on=is_on, actor=staff(request), at=timezone.now())

    def save_model(
        self,
        request: HttpRequest,
        obj: models.Model,
        form: Any,
        change: bool,  # noqa: FBT001 - Django's signature
    ) -> None:
        """Save the row, then the secret, if one was given: it is sealed, and moves a request on to provisional."""
        assert isinstance(obj, ClientRegistration)  # noqa: S101 - this admin's model
        if not change:
            obj.requested_at = timezone.now()
            obj.is_sandbox = obj.authorization_server.is_sandbox
            self._ask_about_hosts(request, obj)
        due_date = form.cleaned_data["secret_rotation_due_date"]
        super().save_model(request, obj, form, change)
        secret = form.cleaned_data.get("new_secret")
        if secret:
            actor, at = staff(request), timezone.now()
            registering.store_credentials(obj, client_id=obj.client_id, secret=Secret(secret), actor=actor, at=at)
            if "secret_rotation_due_date" in form.changed_data and due_date is not None:  # theirs, not ours
                registering.set_terms(obj, Terms(secret_rotation_due_date=due_date), actor=actor, at=at)

    def _ask_about_hosts(self, request: HttpRequest, obj: ClientRegistration) -> None:
        """Before it exists: endpoints that lists put at its server have to be reviewed."""
        server = obj.authorization_server
        count = trusting.estrange_listed(server, actor=staff(request), at=timezone.now())
        if count:
            sentence = ngettext(
                "%(count)d endpoint of its authorization server is at another host, and stays off until somebody "
                "looks at it at the registration desk.",
                "%(count)d endpoints of its authorization server are at other hosts, and stay off until somebody "
                "looks at them at the registration desk.",
                count,
            )
            self.message_user(request, sentence % {"count": count}, messages.WARNING)

    @admin.action(description=_("Approve: the developer portal approved the application"), permissions=["change"])
    def approve(self, request: HttpRequest, rows: models.QuerySet[ClientRegistration]) -> None:
        """Change the status to approved."""
        self._move(request, rows, Status.APPROVED)

    @admin.action(description=_("Reject: the developer portal refused the application"), permissions=["change"])
    def reject(self, request: HttpRequest, rows: models.QuerySet[ClientRegistration]) -> HttpResponse | None:
        """Change the status to rejected, after asking."""
        return self._end(request, rows, Status.REJECTED, action="reject")

    @admin.action(description=_("Retire: we no longer use it"), permissions=["change"])
    def retire(self, request: HttpRequest, rows: models.QuerySet[ClientRegistration]) -> HttpResponse | None:
        """Change the status to retired, after asking."""
        return self._end(request, rows, Status.RETIRED, action="retire")

    @admin.action(description=_("The trouble is fixed: let patients link again"), permissions=["change"])
    def clear_trouble(self, request: HttpRequest, rows: models.QuerySet[ClientRegistration]) -> None:
        """Forget what their server answered."""
        for row in rows:
            registering.clear_trouble(row, actor=staff(request), at=timezone.now())
        self.say_done(request, len(rows))

    @admin.action(description=_("The provider has the new key: sign with it"), permissions=["change"])
    def provider_has_new_key(
        self, request: HttpRequest, rows: models.QuerySet[ClientRegistration]
    ) -> HttpResponse | None:
        """For providers that have an uploaded copy of our keys; asks first."""
        return handing_over.answer(self, request, rows)

    def _end(
        self, request: HttpRequest, rows: models.QuerySet[ClientRegistration], status: Status, *, action: str
    ) -> HttpResponse | None:
        question = ending.question(self, request, rows, action=action)
        if question is None:
            self._move(request, rows, status)
        return question

    def _move(self, request: HttpRequest, rows: models.QuerySet[ClientRegistration], status: Status) -> None:
        refused = 0
        for row in rows:
            try:
                registering.move(row, status, actor=staff(request), at=timezone.now())
            except registering.StatusNotAllowed:
                refused += 1
        self.say_done(request, len(rows) - refused)
        if refused:
            sentence = ngettext(
                "%(count)d registration cannot move there from its status.",
                "%(count)d registrations cannot move there from their status.",
                refused,
            )
            self.message_user(request, sentence % {"count": refused}, messages.ERROR)

    def _warn(self, request: HttpRequest, registration: ClientRegistration) -> None:
        sentences = {
            Due.OVERDUE: _("Its secret should have been replaced by %(date)s. Patients keep their connections."),
            Due.SOON: _("Its secret is to be replaced by %(date)s. Patients keep their connections."),
        }
        due, by = credentials.due(registration, today=timezone.localdate()), registration.secret_rotation_due_date
        if due in sentences and by is not None:
            day = formats.date_format(by, "DATE_FORMAT")
            self.message_user(request, sentences[due] % {"date": day}, messages.WARNING)


def _linking(endpoint: Any) -> str:
    obstacle = linkability.obstacle(endpoint, at=timezone.now())
    return str(obstacle.label) if obstacle else str(_("on"))
