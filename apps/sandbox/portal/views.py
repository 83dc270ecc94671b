"""The developer portal's pages. A developer sees the applications they requested, and no others."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.sandbox import clock, fields
from apps.sandbox.developers.signed_in import for_developers
from apps.sandbox.models import Application, Developer
from apps.sandbox.models.decided import MoveRefused
from apps.sandbox.portal import registering
from apps.sandbox.portal.forms import AddressesForm, ApplicationForm
from apps.sandbox.registration import VERSIONS, RequestRefused

_SHOWN = "shown_secret"


@require_GET
@for_developers
def applications(request: HttpRequest, developer: Developer) -> HttpResponse:
    """The developer's applications, and the status of each."""
    rows = developer.application_set.order_by("-pk")
    return render(request, "sandbox/portal.html", {"applications": rows, "developer": developer})


@require_http_methods(["GET", "POST"])
@for_developers
def request_application(request: HttpRequest, developer: Developer) -> HttpResponse:
    """The form, and submitting it."""
    form = ApplicationForm(fields.posted(request))
    if form.is_valid():
        try:
            row = registering.request_application(**form.cleaned_data, developer=developer, at=clock.now())
            return redirect("portal-application", row.pk)
        except RequestRefused as refused:
            fields.blame(form, refused)
    return render(request, "sandbox/portal_request.html", {"form": form, "developer": developer})


@require_GET
@for_developers
def application(request: HttpRequest, developer: Developer, pk: int) -> HttpResponse:
    """One application: status, credentials, versions, and the URLs to use. The secret is shown once."""
    row = _own(developer, pk)
    context = {
        "application": row,
        "developer": developer,
        "secret": request.session.pop(f"{_SHOWN}_{pk}", ""),
        "versions": [(key, name, key in row.versions) for key, name in VERSIONS.items()],
    }
    return render(request, "sandbox/portal_application.html", context)


@require_POST
@for_developers
def issue(request: HttpRequest, developer: Developer, pk: int) -> HttpResponse:
    """Issue provisional credentials, or a new secret for existing ones."""
    row = _own(developer, pk)
    try:
        if row.client_id:
            credentials = registering.replace_secret(row)
        else:
            credentials = registering.issue_credentials(row, at=clock.now())
        request.session[f"{_SHOWN}_{pk}"] = credentials.secret
    except MoveRefused:
        messages.error(request, _("An application that has ended gets no new credentials."))
    return redirect("portal-application", pk)


@require_POST
@for_developers
def add_version(request: HttpRequest, developer: Developer, pk: int) -> HttpResponse:
    """Add one FHIR version."""
    row = _own(developer, pk)
    try:
        registering.add_version(row, request.POST.get("version", ""))
    except RequestRefused as refused:
        messages.error(request, str(refused))
    return redirect("portal-application", pk)


@require_http_methods(["GET", "POST"])
@for_developers
def change_addresses(request: HttpRequest, developer: Developer, pk: int) -> HttpResponse:
    """Replace the redirect URIs."""
    row = _own(developer, pk)
    form = AddressesForm(fields.posted(request), initial={"redirect_uris": row.redirect_uris})
    if form.is_valid():
        try:
            registering.change_addresses(row, form.cleaned_data["redirect_uris"])
            messages.success(request, _("The redirect addresses are changed."))
            return redirect("portal-application", pk)
        except RequestRefused as refused:
            fields.blame(form, refused)
    context = {"form": form, "application": row, "developer": developer}
    return render(request, "sandbox/portal_addresses.html", context)


@require_POST
@for_developers
def retire(request: HttpRequest, developer: Developer, pk: int) -> HttpResponse:
    """Retire the application."""
    row = _own(developer, pk)
    try:
        registering.retire(row, at=clock.now())
        messages.success(request, _("%(name)s is retired.") % {"name": row.name})
    except MoveRefused:
        messages.error(request, _("This application has already ended."))
    return redirect("portal-application", pk)


def _own(developer: Developer, pk: int) -> Application:
    """One of the developer's own; 404 for another developer's."""
    return get_object_or_404(developer.application_set, pk=pk)
