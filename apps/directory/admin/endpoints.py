"""Endpoints in the admin: where records are, whether patients can link them, their state, and how attempts ended."""

from datetime import date
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from apps.audit.concurrent_edits import ChangedFieldsForm
from apps.directory import consistency, discovering, import_waits, registering, switching, trusting
from apps.directory.admin import endpoint_pages
from apps.directory.admin.auditing import AuditedAdmin, SwitchedAdmin, staff
from apps.directory.admin.beside_imports import SavesAfterImports
from apps.directory.admin.endpoint_list_filters import (
    CanBeLinked,
    DidLastCheckFail,
    DoDocumentsDisagree,
    DoesCertificateEndSoon,
    IsOnItsList,
)
from apps.directory.admin.list_filters import IsOfSandbox, IsSwitchedOff
from apps.directory.models import Endpoint, EndpointCheck, ProviderPortal
from apps.directory.monitoring import checking
from apps.wire.dialects import DIALECTS
from apps.wire.errors import WireError

MOST_ASKED = 10  # at once
WAITS_SECONDS = 30  # for checks, of which one may take a minute


class EndpointForm(ChangedFieldsForm):
    """Refuses invalid combinations, with a message."""

    dialect = forms.ChoiceField(label=capfirst(_("dialect")), choices=[(name, name) for name in DIALECTS])

    class Meta:
        model = Endpoint
        fields = ()  # the admin below lists them
        help_texts = {
            "fhir_base_url": _(
                "The address its requests start with. Like every address, it must be one that we connect to."
            ),
            "authorization_server": _(
                "Of the same FHIR version and no other. Without one, nobody can link here. For a SMART deployment it "
                "is discovered: empty it, and the next discovery takes whatever addresses the deployment names."
            ),
            "is_switched_on": _(
                "Off stops linking, refreshing and copying at once. Patients are told so, and keep everything. The "
                "actions of the list switch it on and off."
            ),
        }

    def clean(self) -> dict[str, Any]:
        """Validate as an import does."""
        cleaned = super().clean()
        if not self.errors:
            for column, value in cleaned.items():
                setattr(self.instance, column, value)
            consistency.check_endpoint(self.instance)
        return cleaned


class ProviderPortalFormSet(forms.BaseInlineFormSet):  # type: ignore[type-arg]  # generic in the stubs alone
    """Refuses invalid pairs, with a message."""

    def clean(self) -> None:
        """Practice providers need practice endpoints, and real ones real ones."""
        super().clean()
        kept = [form for form in self.forms if form not in self.deleted_forms]
        chosen = [form.cleaned_data.get("provider") for form in kept]
        if any(provider.is_sandbox != self.instance.is_sandbox for provider in chosen if provider):
            raise ValidationError(_("Sandbox and production cannot be mixed: endpoint and providers differ."))


class ProviderPortalInline(admin.StackedInline):  # type: ignore[type-arg]  # generic in the stubs alone
    """The providers whose patients use this endpoint, and the name of the sign-in that they know."""

    model = ProviderPortal
    form = ChangedFieldsForm
    formset = ProviderPortalFormSet
    autocomplete_fields = ("provider",)
    formfield_overrides = AuditedAdmin.formfield_overrides
    extra = 0


@admin.register(Endpoint)
class EndpointAdmin(SavesAfterImports, SwitchedAdmin):
    """Where records are, and why patients cannot link there."""

    subject = "endpoint"
    form = EndpointForm
    list_display = ("fhir_base_url", "linking_in_short", "last_check", "certificate_ends", "fhir_version", "interface")
    list_filter = (
        CanBeLinked, DidLastCheckFail, DoesCertificateEndSoon, DoDocumentsDisagree, IsOnItsList, IsSwitchedOff,
        "fhir_version", "interface", IsOfSandbox,
    )  # fmt: skip
    list_select_related = ("authorization_server",)
    search_fields = ("fhir_base_url", "tenant", "providers__name", "providers__city")
    search_help_text = _("Host or address, tenant, or name or city of a provider.")
    ordering = ("fhir_base_url",)
    list_per_page = 50
    autocomplete_fields = ("authorization_server",)
    inlines = (ProviderPortalInline,)
    fieldsets = (
        (_("Where it is"), {"fields": ("fhir_base_url", "fhir_version", "interface", "dialect", "tenant")}),
        (_("Can patients link it?"), {"fields": (
            "linking", "is_switched_on", "switched_off_at", "authorization_server", "is_sandbox",
        )}),
        (_("How it is doing"), {"fields": (
            "check_history", "software", "kinds", "which_certificates", "all_checks", "how_others_fared",
        )}),
        (_("What it says about itself"), {"fields": (
            "discovered_at", "discovery_tried_at", "discovery_fault", "what_disagrees", "which_move",
        )}),
        (_("Where it comes from"), {"fields": ("imported_at", "vanished_at")}),
    )  # fmt: skip
    readonly_fields = (
        "switched_off_at", "linking", "discovered_at", "discovery_tried_at", "discovery_fault", "what_disagrees",
        "imported_at", "vanished_at", "check_history", "software", "kinds", "which_certificates", "all_checks",
        "how_others_fared", "which_move",
    )  # fmt: skip
    fixed = ("fhir_base_url",)
    goes_along = (EndpointCheck,)
    actions = ("check_now", "discover_again", *SwitchedAdmin.actions)
    only_looking = ("check_now",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Endpoint]:
        """With everything that decides whether it can be linked, and its last check, prefetched for all rows of a
        page."""
        rows: QuerySet[Endpoint] = super().get_queryset(request)
        latest = EndpointCheck.objects.filter(is_latest=True).defer("types", "changes")
        return rows.prefetch_related(
            "authorization_server__registrations",
            Prefetch("enablements", registering.enablements()),
            Prefetch("checks", latest, to_attr="latest_checks"),
        )

    def save_model(
        self,
        request: HttpRequest,
        obj: models.Model,
        form: "forms.ModelForm[Any]",
        change: bool,  # noqa: FBT001 - Django's signature
    ) -> None:
        """With another authorization server the endpoint may be a stranger, whoever chose it."""
        super().save_model(request, obj, form, change)
        assert isinstance(obj, Endpoint)  # noqa: S101 - this admin's model
        if "authorization_server" not in form.changed_data:
            return
        if trusting.examine(obj, actor=staff(request), at=timezone.now()):
            self.message_user(request, endpoint_pages.to_look_at(obj), messages.WARNING)

    @admin.action(description=_("Switch on"), permissions=["change"])
    def switch_on(self, request: HttpRequest, rows: QuerySet[Endpoint]) -> None:
        """All but strangers: staff must review both hosts of each first."""
        for endpoint in rows.filter(is_stranger=True):
            self.message_user(request, endpoint_pages.to_look_at(endpoint), messages.ERROR)
        super().switch_on(request, rows.filter(is_stranger=False))

    def turn(self, request: HttpRequest, obj: Endpoint, *, is_on: bool) -> None:
        """Of one endpoint."""
        switching.switch_endpoint(obj, is_on=is_on, actor=staff(request), at=timezone.now())

    @admin.display(description=_("linking"))
    def linking(self, endpoint: Endpoint) -> str:
        """On, or the reason why it is off."""
        return endpoint_pages.linking(endpoint, at=timezone.now())

    @admin.display(description=_("linking"))
    def linking_in_short(self, endpoint: Endpoint) -> str:
        """The same in a few words: rows stay low."""
        return endpoint_pages.linking_in_short(endpoint, at=timezone.now())

    @admin.display(description=_("last check"))
    def last_check(self, endpoint: Endpoint) -> str:
        """Well, or the first thing that is wrong."""
        check = endpoint_pages.latest_check(endpoint)
        if check is None:
            return str(_("never checked"))
        return str(check.findings[0] if check.outcome == EndpointCheck.Outcome.ILL else check.get_outcome_display())

    @admin.display(description=_("certificate ends"))
    def certificate_ends(self, endpoint: Endpoint) -> date | None:
        """The first of its hosts."""
        check = endpoint_pages.latest_check(endpoint)
        return check.certificate_ends_at.date() if check and check.certificate_ends_at else None

    @admin.display(description=_("last checks"))
    def check_history(self, endpoint: Endpoint) -> SafeString | str:
        """The latest, and those before it that found or changed anything."""
        return endpoint_pages.history(endpoint)

    @admin.display(description=_("software"))
    def software(self, endpoint: Endpoint) -> str:
        """As its capability statement names it."""
        check = endpoint_pages.latest_check(endpoint)
        return (check and check.software) or endpoint_pages.NOTHING

    @admin.display(description=_("kinds of entries it states"))
    def kinds(self, endpoint: Endpoint) -> str:
        """By the names that FHIR has for them."""
        check = endpoint_pages.latest_check(endpoint)
        return ", ".join(check.types if check else ()) or endpoint_pages.NOTHING

    @admin.display(description=_("certificates"))
    def which_certificates(self, endpoint: Endpoint) -> SafeString | str:
        """Of each host."""
        check = endpoint_pages.latest_check(endpoint)
        return endpoint_pages.listed(endpoint_pages.certificates(check) if check else [])

    @admin.display(description=_("all checks"))
    def all_checks(self, endpoint: Endpoint) -> SafeString | str:
        """A list of its own."""
        return endpoint_pages.list_of_checks(endpoint)

    @admin.display(description=_("attempts to connect in the last 30 days"))
    def how_others_fared(self, endpoint: Endpoint) -> SafeString | str:
        """In numbers, and nobody's."""
        return endpoint_pages.fared(endpoint)

    @admin.display(description=_("disagreements found"))
    def what_disagrees(self, endpoint: Endpoint) -> str:
        """Between its documents, and with what was known."""
        return "; ".join(endpoint.disagreements) or endpoint_pages.NOTHING

    @admin.display(description=_("moved to another origin"))
    def which_move(self, endpoint: Endpoint) -> SafeString | str:
        """Approved there, or to be."""
        return endpoint_pages.move(endpoint)

    @admin.action(description=_("Check now: statement, sign-in and certificates"), permissions=["change"])
    def check_now(self, request: HttpRequest, rows: QuerySet[Endpoint]) -> None:
        """Check a few endpoints now, and show the findings."""
        import_waits.wait()
        few = self._few(request, rows, command="check_endpoints")
        checked = checking.check_each(few, at=timezone.now(), actor=staff(request), seconds=WAITS_SECONDS)
        for made in checked:
            level = messages.ERROR if made.faults else messages.WARNING if made.warnings else messages.SUCCESS
            found = " ".join([str(sentence) for sentence in (*made.findings, *endpoint_pages.changes(made))])
            sentence = f"{made.get_outcome_display()}: {made.endpoint.fhir_base_url} {found}"
            self.message_user(request, sentence.rstrip(), level)
        for endpoint in few[len(checked) :]:
            late = _("Not checked, because the others took too long: %(endpoint)s")
            self.message_user(request, late % {"endpoint": endpoint.fhir_base_url}, messages.WARNING)

    @admin.action(description=_("Discover again: ask the deployment for its addresses"), permissions=["change"])
    def discover_again(self, request: HttpRequest, rows: QuerySet[Endpoint]) -> None:
        """Discover a few endpoints now, and show the results."""
        import_waits.wait()
        for endpoint in self._few(request, rows, command="discover_endpoints"):
            try:
                server = discovering.discover(endpoint, at=timezone.now(), actor=staff(request))
                sentence, level = _("Discovered: people of %(endpoint)s sign in at %(found)s"), messages.SUCCESS
                found = server.authorize_url
            except WireError as error:
                sentence, level = _("Not discovered: %(endpoint)s: %(found)s"), messages.ERROR
                found = f"{error} ({error.code.value})"
            self.message_user(request, sentence % {"endpoint": endpoint.fhir_base_url, "found": found}, level)

    def _few(self, request: HttpRequest, rows: QuerySet[Endpoint], *, command: str) -> list[Endpoint]:
        """The rows; none, with a message, if there are more than a page can wait for."""
        chosen = list(rows[: MOST_ASKED + 1])
        if len(chosen) <= MOST_ASKED:
            return chosen
        sentence = _("At most %(count)d at once: for more, use the command %(command)s.")
        self.message_user(request, sentence % {"count": MOST_ASKED, "command": command}, messages.ERROR)
        return []
