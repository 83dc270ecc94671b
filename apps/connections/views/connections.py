"""My connections: the list, and one of them. To disconnect needs the copy's app too: `apps.portal.views.parting`."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.current_user import current_user
from apps.connections import asking, sharing, standing
from apps.connections.models import Connection


@login_required
@never_cache
@require_safe
def show_list(request: HttpRequest) -> HttpResponse:
    """Every connection, those that need the patient first."""
    standings = standing.of_user(current_user(request), at=timezone.now())
    return render(request, "connections/list.html", {"standings": standings})


@login_required
@never_cache
@require_safe
def show_one(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    """One connection: how it stands, its dates, and what can be done."""
    connection = _mine(request, connection_id)
    found = standing.of_connection(connection, at=timezone.now())
    context = {
        "standing": found,
        "sharing": sharing.of_connection(connection),
        "lasts": asking.lasts_for(found.connection),
    }
    return render(request, "connections/one.html", context)


def _mine(request: HttpRequest, connection_id: UUID) -> Connection:
    mine = (
        current_user(request)
        .connections.confirmed()
        .select_related("provider", "endpoint__authorization_server", "registration__authorization_server")
    )
    return get_object_or_404(mine, pk=connection_id)
