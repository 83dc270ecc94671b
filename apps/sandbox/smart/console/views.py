"""The console's pages. A developer sees the applications they registered, and no others."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.sandbox import clock, fields
from apps.sandbox.developers.signed_in import for_developers
from apps.sandbox.models import Developer, SmartApplication, Tenant
from apps.sandbox.registration import RequestRefused
from apps.sandbox.smart.console import registering
from apps.sandbox.smart.console.forms import ChangeForm, RegisterForm

_CHANGEABLE = tuple(ChangeForm.base_fields)


@require_GET
@for_developers
def applications(request: HttpRequest, developer: Developer) -> HttpResponse:
    """The developer's applications, and what each still needs."""
    rows = [(row, registering.missing(row)) for row in developer.smartapplication_set.order_by("-pk")]
    return _page(request, "console", developer, applications=rows)


@require_http_methods(["GET", "POST"])
@for_developers
def register(request: HttpRequest, developer: Developer) -> HttpResponse:
    """The form, and submitting it."""
    form = RegisterForm(fields.posted(request))
    if form.is_valid():
        try:
            row = registering.register(form.fixed(), form.changeable(), developer=developer, at=clock.now())
            messages.success(
                request, _("Registered. Here that takes effect at once; elsewhere it takes about 15 minutes.")
            )
            return redirect("console-application", row.pk)
        except RequestRefused as refused:
            fields.blame(form, refused)
    return _page(request, "console_register", developer, form=form)


@require_GET
@for_developers
def application(request: HttpRequest, developer: Developer, pk: int) -> HttpResponse:
    """One application: its client id, what it still needs, and its registration."""
    row = _own(developer, pk)
    tenants = Tenant.objects.filter(is_suspended=False).order_by("name")
    return _page(
        request,
        "console_application",
        developer,
        application=row,
        missing=registering.missing(row),
        account=row.system_account,
        enabled_at=[tenant for tenant in tenants if row.is_enabled_at(tenant.pk)],
    )


@require_http_methods(["GET", "POST"])
@for_developers
def change(request: HttpRequest, developer: Developer, pk: int) -> HttpResponse:
    """Change what can be changed, including the GUID field."""
    row = _own(developer, pk)
    initial = {name: getattr(row, name) for name in _CHANGEABLE}
    form = ChangeForm(fields.posted(request), initial=initial, client_type=row.client_type)
    if form.is_valid():
        try:
            registering.change(row, form.changeable())
            messages.success(
                request, _("Changed. Here that takes effect at once; elsewhere it takes about 15 minutes.")
            )
            return redirect("console-application", pk)
        except RequestRefused as refused:
            fields.blame(form, refused)
    return _page(request, "console_change", developer, form=form, application=row)


@require_POST
@for_developers
def retire(request: HttpRequest, developer: Developer, pk: int) -> HttpResponse:
    """Retire the application."""
    row = _own(developer, pk)
    registering.retire(row)
    messages.success(request, _("%(name)s is retired.") % {"name": row.name})
    return redirect("console-application", pk)


def _own(developer: Developer, pk: int) -> SmartApplication:
    """One of the developer's own; 404 for another developer's."""
    return get_object_or_404(developer.smartapplication_set, pk=pk)


def _page(request: HttpRequest, name: str, developer: Developer, **context: object) -> HttpResponse:
    return render(request, f"sandbox/smart/{name}.html", {"developer": developer, **context})
