"""EHR launch: the URL that a provider's portal opens, and the pages from there to the sign-in.

The link contains a value that the authorization server wants back. It is read once, never shown, and gone from the
address bar after the 303. The next page has its own URL, which is useless in another browser. Opening a link begins
nothing: a sign-in begins with a POST by somebody who is signed in and sees for which account.
"""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_safe

from apps.accounts import consenting
from apps.accounts.current_user import current_user
from apps.connections import clocks
from apps.connections.authorization_requests import binding, launching
from apps.connections.authorization_requests.launching import Refusal
from apps.connections.grants import permission_terms
from apps.connections.models import PendingLaunch
from apps.connections.presenting import launch_pages
from apps.connections.views import browser_cookie, launch_limit, refusals, waiting_room
from apps.directory.linkability import Obstacle
from apps.directory.models import Provider
from apps.directory.monitoring import link_statistics


@never_cache
@require_GET
def launch(request: HttpRequest, launch_id: UUID) -> HttpResponse:
    """The launch URL that is registered with providers. For anybody: the person may have no account yet."""
    if launch_limit.is_one_too_many(request):
        return _clean(reverse("launch-refused", args=[Refusal.TOO_MANY.value]))
    browser = browser_cookie.read(request) or binding.new_browser()
    try:
        pending = launching.arrive(
            launch_id=launch_id, unverified_query=dict(request.GET.lists()), browser=browser, at=clocks.now()
        )
    except launching.Refused as refusal:
        return _clean(reverse("launch-refused", args=[refusal.why.value]))
    response = _clean(reverse("launched", args=[pending.pk]))
    browser_cookie.write(response, browser)
    return response


@never_cache
@require_safe
def refused(request: HttpRequest, why: str) -> HttpResponse:
    """The page of a link that was not taken. For anybody, and always the same."""
    if why not in set(Refusal):
        raise Http404
    status = 429 if why == Refusal.TOO_MANY else 200
    return render(request, "connections/outcome.html", {"page": launch_pages.refused(Refusal(why))}, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def launched(request: HttpRequest, pending_id: UUID) -> HttpResponse:
    """Who sent the person, what we will ask for, and which account it is for; POST begins. For its browser alone."""
    pending = launching.find(pending_id, browser_cookie.read(request))
    senders = launching.providers(pending) if pending is not None else []
    if pending is None or not senders:
        page = launch_pages.refused(Refusal.ELSEWHERE) if pending is None else launch_pages.vanished()
        return render(request, "connections/outcome.html", {"page": page}, status=404)
    provider = senders[0] if len(senders) == 1 else _chosen(request, senders)
    if not launching.is_open(pending, at=clocks.now()):
        return _over(request, pending, provider or senders[0])
    if not request.user.is_authenticated:
        return render(request, "connections/launch_sign_in.html", {"provider": provider, "path": request.path})
    if consenting.needs_consent(current_user(request)):
        return refusals.ask_for_consent(request)
    if provider is None:
        return render(request, "connections/launch_sender.html", {"senders": senders})
    if request.method == "POST":
        return _begin(request, pending, provider)
    at = clocks.now()
    asked = permission_terms.for_endpoint(pending.endpoint, provider, at=at)
    if isinstance(asked, Obstacle):
        return refusals.cannot_link(request, provider, asked)
    others_fared = link_statistics.words(pending.endpoint, at=at)
    context = {"provider": provider, "asked": asked, "path": request.path, "others_fared": others_fared}
    return render(request, "connections/launched.html", context)


def _begin(request: HttpRequest, pending: PendingLaunch, provider: Provider) -> HttpResponse:
    with waiting_room.seat_to_ask(pending.endpoint) as is_free:
        return _begun(request, pending, provider) if is_free else waiting_room.come_again(request)


def _begun(request: HttpRequest, pending: PendingLaunch, provider: Provider) -> HttpResponse:
    browser = browser_cookie.read(request)
    assert browser is not None  # noqa: S101 - the launch was found by it
    try:
        departure = launching.begin(
            pending,
            user=current_user(request),
            provider=provider,
            browser=browser,
            closes_others="close_others" in request.POST,
            at=clocks.now(),
        )
    except launching.NotOpen:
        return redirect(request.path)
    except refusals.NOT_BEGUN as refusal:
        return refusals.not_begun(request, provider, refusal)
    response = _clean(reverse("attempt", args=[departure.request_id]))
    browser_cookie.write(response, browser)
    return response


def _over(request: HttpRequest, pending: PendingLaunch, provider: Provider) -> HttpResponse:
    """For its own user, the sign-in that it became; for everybody else in this browser, a page that says it is over."""
    begun = pending.authorization_request
    if begun is not None and begun.user_id == request.user.pk:
        return redirect("attempt", request_id=begun.pk)
    return render(request, "connections/outcome.html", {"page": launch_pages.over(pending, provider)})


def _chosen(request: HttpRequest, senders: list[Provider]) -> Provider | None:
    """If several providers share the endpoint, the one that the person chose."""
    return next((sender for sender in senders if str(sender.pk) == request.GET.get("provider")), None)


def _clean(address: str) -> HttpResponse:
    """Redirect to a URL without the launch value, and do not send it as a referrer."""
    response = HttpResponseRedirect(address)
    response.status_code = 303
    response["Referrer-Policy"] = "no-referrer"
    return response
