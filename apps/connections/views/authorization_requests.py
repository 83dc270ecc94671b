"""The page "before you go", which says what we ask for, and the page that sends the browser to the provider.

A POST may not redirect to another site (form-action), so it answers 303 to the request's own page, which leads there by
a link and an immediate refresh. That page is never stored, and contains the state only in that link. Later it shows
what became of the request, at the same URL.
"""

from urllib.parse import urlsplit
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts import consenting
from apps.accounts.current_user import current_user
from apps.connections import clocks
from apps.connections.authorization_requests import authorization_url, binding, creating
from apps.connections.authorization_requests.authorization_url import Departure
from apps.connections.grants import permission_terms
from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.presenting import attempts
from apps.connections.views import browser_cookie, refusals, waiting_room
from apps.directory import switching
from apps.directory.linkability import Obstacle
from apps.directory.models import Endpoint, Provider
from apps.directory.monitoring import link_statistics
from apps.wire.dialects import Interface


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def before_you_go(request: HttpRequest, provider_id: UUID, endpoint_id: UUID) -> HttpResponse:
    """What we will ask this provider for, and why; a POST begins."""
    endpoint = get_object_or_404(Endpoint, pk=endpoint_id, providers=provider_id)
    return _before_you_go(request, endpoint.providers.get(pk=provider_id), endpoint)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def reauthorize(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    """The same page for an existing connection, which is to be reauthorized."""
    connection = _reauthorizable(request, connection_id)
    return _before_you_go(request, connection.provider, connection.endpoint, connection)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def change_sharing(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    """The same again, to be asked anew what to share, if the interface asks at all."""
    connection = _reauthorizable(request, connection_id)
    if connection.endpoint.interface != Interface.SMART:
        raise Http404
    return _before_you_go(request, connection.provider, connection.endpoint, connection, extends_consent=True)


@login_required
@never_cache
@require_safe
def attempt(request: HttpRequest, request_id: UUID) -> HttpResponse:
    """One authorization request of this user, whatever its outcome."""
    rows = AuthorizationRequest.objects.filter(user=current_user(request))
    row = get_object_or_404(
        rows.select_related("provider", "connection", "endpoint", "registration__authorization_server"), pk=request_id
    )
    at = clocks.now()
    departure = authorization_url.departure(row, browser_cookie.read(request), at=at)
    if row.trial_id is not None and (departure is None or row.left_at is not None):
        return redirect("desk-trial", trial_id=row.trial_id)  # a trial by staff has pages of its own
    if departure is not None and row.trial_id is None and not switching.is_on(row.endpoint, row.registration):
        return refusals.cannot_link(request, row.provider, Obstacle.SWITCHED_OFF)  # a sign-in would be in vain
    if departure is not None:
        return _leaving(request, row, departure, is_first=authorization_url.note_left(row, at=at))
    unconfirmed = attempts.awaits_confirmation(row)
    if unconfirmed is not None:
        return redirect("confirm", connection_id=unconfirmed.pk)
    page = attempts.page(row, is_second_arrival="again" in request.GET, at=at)
    return render(request, "connections/outcome.html", {"page": page, "row": row})


def _reauthorizable(request: HttpRequest, connection_id: UUID) -> Connection:
    mine = current_user(request).connections.confirmed().exclude(status=Connection.Status.DISCONNECTED)
    return get_object_or_404(mine.select_related("provider", "endpoint"), pk=connection_id)


def _before_you_go(
    request: HttpRequest,
    provider: Provider,
    endpoint: Endpoint,
    connection: Connection | None = None,
    *,
    extends_consent: bool = False,
) -> HttpResponse:
    if request.method == "POST":
        return _begin(request, provider, endpoint, connection, extends_consent=extends_consent)
    if consenting.needs_consent(current_user(request)):
        return refusals.ask_for_consent(request)
    at = clocks.now()
    asked = permission_terms.for_endpoint(endpoint, provider, at=at)
    if isinstance(asked, Obstacle):
        return refusals.cannot_link(request, provider, asked)
    context = {
        "provider": provider,
        "asked": asked,
        "connection": connection,
        "extends_consent": extends_consent,
        "others_fared": link_statistics.words(endpoint, at=at),
    }
    return render(request, "connections/before_you_go.html", context)


def _begin(
    request: HttpRequest,
    provider: Provider,
    endpoint: Endpoint,
    connection: Connection | None,
    *,
    extends_consent: bool,
) -> HttpResponse:
    with waiting_room.seat_to_ask(endpoint) as is_free:
        if not is_free:
            return waiting_room.come_again(request)
        try:
            browser = browser_cookie.read(request) or binding.new_browser()
            departure = creating.create(
                user=current_user(request),
                provider=provider,
                endpoint=endpoint,
                browser=browser,
                at=clocks.now(),
                connection=connection,
                closes_others="close_others" in request.POST,
                extends_consent=extends_consent,
            )
        except creating.NothingToReauthorize:
            return redirect("connections")
        except refusals.NOT_BEGUN as refusal:
            return refusals.not_begun(request, provider, refusal)
    response = HttpResponseRedirect(reverse("attempt", args=[departure.request_id]))
    response.status_code = 303
    browser_cookie.write(response, browser)
    return response


def _leaving(request: HttpRequest, row: AuthorizationRequest, departure: Departure, *, is_first: bool) -> HttpResponse:
    context = {
        "provider": row.provider,
        "host": urlsplit(departure.url).netloc,
        "url": departure.url,
        "is_first": is_first,
        "waiting": attempts.page(row, is_second_arrival=False, at=clocks.now()),
    }
    return render(request, "connections/leaving.html", context)
