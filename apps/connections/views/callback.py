"""The redirect URI: one domain call, then a redirect to a clean URL.

The query contains a code and a state. It is read once, never shown, never logged, and gone from the address bar after
the 303, which always leads to a page of ours (interface facts, section 6, rows 9 to 11).
"""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from apps.accounts.models import User
from apps.connections import clocks
from apps.connections.callback import completing
from apps.connections.callback.completing import CallbackResult
from apps.connections.outcomes import Outcome
from apps.connections.presenting import attempts
from apps.connections.views import browser_cookie, waiting_room

# Outcomes that belong to no request of this browser and user have pages of their own.
_ANSWERS = frozenset({Outcome.FORGED, Outcome.OTHER_BROWSER, Outcome.OTHER_ACCOUNT, Outcome.ACCOUNT_CLOSED})


@csrf_exempt  # a provider's form has no CSRF token; a POST changes nothing, because only GET is processed
@never_cache
def come_back(request: HttpRequest, redirect_id: UUID) -> HttpResponse:
    """The redirect URI. For anybody: the session may have expired while the patient was at the provider."""
    if request.method != "GET":  # HEAD must not use up a code
        return _not_followed(request)
    if _is_prefetch(request):
        return HttpResponse(status=425)  # Too Early: a real visit may follow
    with waiting_room.ROOM.seat(redirect_id) as is_free:
        return _finish(request, redirect_id) if is_free else waiting_room.come_again(request)


@never_cache
@require_safe
def answer(request: HttpRequest, outcome: str) -> HttpResponse:
    """The page of an outcome that names nobody. For anybody, and always the same."""
    if outcome not in _ANSWERS:
        raise Http404
    page = attempts.page_without_request(Outcome(outcome))
    return render(request, "connections/outcome.html", {"page": page})


def _finish(request: HttpRequest, redirect_id: UUID) -> HttpResponse:
    result = completing.complete(
        redirect_id=redirect_id,
        unverified_query=dict(request.GET.lists()),
        browser=browser_cookie.read(request),
        signed_in_user_id=request.user.pk if isinstance(request.user, User) else None,
        at=clocks.now(),
    )
    response = HttpResponseRedirect(_destination(result))
    response.status_code = 303
    return response


def _not_followed(request: HttpRequest) -> HttpResponse:
    """For an answer that was posted, which we never ask for. It is not processed, and may still be sent as a GET."""
    response = render(request, "connections/outcome.html", {"page": attempts.page_of_posted()}, status=405)
    response["Allow"] = "GET"
    return response


def _destination(result: CallbackResult) -> str:
    if result.request is None:
        return reverse("answer", args=[result.outcome.value])
    page = reverse("attempt", args=[result.request.pk])
    return f"{page}?again" if result.outcome is Outcome.USED_TWICE else page


def _is_prefetch(request: HttpRequest) -> bool:
    """Whether the browser only prefetches what the user may open next."""
    return "prefetch" in request.headers.get("Sec-Purpose", "") or "prefetch" in request.headers.get("Purpose", "")
