"""My connections: the list, and one of them. To disconnect needs the copy's app too: `apps.portal.views.parting`."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.current_user import current_user
from apps.connections import showing, standing
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
    try:
        shown = showing.show(current_user(request), connection_id, at=timezone.now())
    except Connection.DoesNotExist:
        raise Http404 from None
    context = {"standing": shown.standing, "sharing": shown.sharing, "lasts": shown.lasts}
    return render(request, "connections/one.html", context)
