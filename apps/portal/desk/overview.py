"""The desk's first page: what needs staff now, what patients wish for, and every registration."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from apps.connections import moving
from apps.directory.desk import attention, hosts, wanted_providers
from apps.portal.desk import registration_status
from apps.portal.desk.staff import staff_only

_MOST_NEEDS = 20
_MOST_FOUND = 50
_MOST_WISHES = 5


@require_safe
@staff_only
def show_overview(request: HttpRequest) -> HttpResponse:
    """What needs staff first, then every registration, or those that a search found."""
    query = request.GET.get("q", "").strip()
    at = timezone.now()
    found = attention.find(query, most=_MOST_FOUND)
    registration_status.show_on(found, at=at)
    context = {
        "needs": () if query else attention.needs(at=at, most=_MOST_NEEDS),
        "strangers": () if query else hosts.waiting(most=_MOST_NEEDS),
        "moves": () if query else moving.waiting(),
        "wished": () if query else wanted_providers.wished(at=at, most=_MOST_WISHES),
        "unlisted": () if query else wanted_providers.unlisted(most=_MOST_WISHES),
        "wished_once": 0 if query else wanted_providers.wished_once(),
        "found": found,
        "query": query,
        "most": _MOST_FOUND,
    }
    return render(request, "portal/desk/overview.html", context)
