"""The developer portal's pages. Whoever sits at this machine is the developer: nobody signs in."""

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.sandbox import clock
from apps.sandbox.models import Application
from apps.sandbox.models.application import MoveRefused
from apps.sandbox.portal import registering

_SHOWN = "shown_secret"


@require_GET
def applications(request: HttpRequest) -> HttpResponse:
    """All applications and where each stands."""
    return render(request, "sandbox/portal.html", {"applications": Application.objects.order_by("-pk")})


@require_http_methods(["GET", "POST"])
def request_application(request: HttpRequest) -> HttpResponse:
    """The form, and filing it."""
    problem = ""
    if request.method == "POST":
        try:
            application = registering.request_application(
                request.POST.get("name", ""), request.POST.get("redirect_uris", "").split(), at=clock.now()
            )
            return redirect("portal-application", application.pk)
        except registering.RequestRefused as refused:
            problem = str(refused)
    return render(request, "sandbox/portal_request.html", {"problem": problem, "given": request.POST})


@require_GET
def application(request: HttpRequest, pk: int) -> HttpResponse:
    """One application: status, credentials, versions, and the addresses to use. The secret is shown once."""
    row = get_object_or_404(Application, pk=pk)
    context = {
        "application": row,
        "secret": request.session.pop(f"{_SHOWN}_{pk}", ""),
        "versions": [(key, name, key in row.versions) for key, name in registering.VERSIONS.items()],
        "origin": request.build_absolute_uri("/").rstrip("/"),
    }
    return render(request, "sandbox/portal_application.html", context)


@require_POST
def issue(request: HttpRequest, pk: int) -> HttpResponse:
    """Provisional credentials, or a new secret for credentials that exist."""
    row = get_object_or_404(Application, pk=pk)
    try:
        credentials = registering.replace_secret(row) if row.client_id else registering.issue_credentials(row)
    except MoveRefused:
        return HttpResponseBadRequest()
    request.session[f"{_SHOWN}_{pk}"] = credentials.secret
    return redirect("portal-application", pk)


@require_POST
def add_version(request: HttpRequest, pk: int) -> HttpResponse:
    """Add one FHIR version."""
    row = get_object_or_404(Application, pk=pk)
    try:
        registering.add_version(row, request.POST.get("version", ""))
    except registering.RequestRefused:
        return HttpResponseBadRequest()
    return redirect("portal-application", pk)
