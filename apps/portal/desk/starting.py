"""Find a provider that we want, and begin a registration there."""

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from apps.connections.views import waiting_room
from apps.directory import enabling, import_waits, registering, registration_overview
from apps.directory.desk import beginning, wanted_providers
from apps.directory.models import ClientRegistration, Endpoint
from apps.portal.desk import registration_status
from apps.portal.desk.forms import AddressesForm
from apps.portal.desk.staff import actor, staff_only

_MOST_FOUND = 30


@require_safe
@staff_only
def find(request: HttpRequest) -> HttpResponse:
    """Search providers and addresses; each endpoint says where we stand there."""
    query = request.GET.get("q", "").strip()
    at = timezone.now()
    found = wanted_providers.find(query, at=at, most=_MOST_FOUND + 1)
    has_more, found = len(found) > _MOST_FOUND, found[:_MOST_FOUND]
    endpoints = (one for provider in found for one in provider.endpoints)
    registration_status.show_on([one.registration for one in endpoints if one.registration is not None], at=at)
    context = {"query": query, "found": found, "has_more": has_more, "most": _MOST_FOUND}
    return render(request, "portal/desk/start.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def begin(request: HttpRequest, endpoint_id: UUID) -> HttpResponse:
    """One endpoint: begin a registration, or use an existing one of the same server."""
    endpoint = _endpoint(endpoint_id)
    if request.method != "POST":
        if endpoint.is_stranger:
            return redirect("desk-look", endpoint_id=endpoint.pk)
        context = {"endpoint": endpoint, "registration": registering.standing_at(endpoint)}
        return render(request, "portal/desk/begin.html", context)
    import_waits.wait()
    if request.POST.get("registration"):
        return _serve(request, endpoint)
    with waiting_room.seat_to_ask(endpoint) as is_free:
        return _begin(request, endpoint) if is_free else waiting_room.come_again(request)


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def name_addresses(request: HttpRequest, endpoint_id: UUID) -> HttpResponse:
    """Enter the sign-in URLs of an endpoint of the patient access API."""
    endpoint = _endpoint(endpoint_id)
    if endpoint.authorization_server is not None or not beginning.is_configured(endpoint):
        return redirect("desk-begin", endpoint_id=endpoint.pk)
    form = AddressesForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            import_waits.wait()
            beginning.name_addresses(endpoint, **form.cleaned_data, actor=actor(request), at=timezone.now())
        except ValidationError as refusal:
            form.add_error(None, refusal)
        except import_waits.StillImporting:  # what was typed stays
            form.add_error(None, str(import_waits.NOT_DONE_YET))
        else:
            return _begin(request, _endpoint(endpoint_id))
    status = 422 if form.errors else 200
    return render(request, "portal/desk/addresses.html", {"endpoint": endpoint, "form": form}, status=status)


def _begin(request: HttpRequest, endpoint: Endpoint) -> HttpResponse:
    try:
        begun = beginning.begin(endpoint, wants_own="own" in request.POST, actor=actor(request), at=timezone.now())
    except beginning.AddressesMissing:
        return redirect("desk-addresses", endpoint_id=endpoint.pk)
    except beginning.NotFound:
        return render(request, "portal/desk/not_found.html", {"endpoint": _endpoint(endpoint.pk)}, status=409)
    if begun.registration is None:
        context = {"endpoint": endpoint, "neighbors": begun.neighbors}
        return render(request, "portal/desk/begin.html", context)
    return _on_to(begun.registration, endpoint)


def _serve(request: HttpRequest, endpoint: Endpoint) -> HttpResponse:
    registration = registration_overview.find(request.POST["registration"])
    if registration is None:
        return redirect("desk-begin", endpoint_id=endpoint.pk)
    try:
        beginning.serve(endpoint, registration, actor=actor(request), at=timezone.now())
    except enabling.Unsuited:
        messages.error(
            request, _("That registration is over, or was made for another kind of server: it cannot be used.")
        )
        return redirect("desk-begin", endpoint_id=endpoint.pk)
    except enabling.NotBeside:
        messages.error(request, _("That registration was made for another sign-in, so it cannot be used here."))
        return redirect("desk-begin", endpoint_id=endpoint.pk)
    return _on_to(registration, endpoint)


def _endpoint(endpoint_id: UUID) -> Endpoint:
    rows = registration_overview.with_names(Endpoint.objects.select_related("authorization_server"))
    return get_object_or_404(rows, pk=endpoint_id, vanished_at__isnull=True)


def _on_to(registration: ClientRegistration, endpoint: Endpoint) -> HttpResponse:
    """Go on to the registration, or first to the review of the endpoint's host, if that is due."""
    endpoint.refresh_from_db()
    response = redirect("desk-registration", registration_id=registration.pk)
    if endpoint.is_stranger:
        response = redirect("desk-look", endpoint_id=endpoint.pk)
    response.status_code = 303
    return response
