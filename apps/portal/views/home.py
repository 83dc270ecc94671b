"""Home: a welcome page for visitors; for signed-in users what needs them and what is new."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.accounts import breaches
from apps.accounts.current_user import current_user
from apps.accounts.models import User
from apps.connections import clocks
from apps.connections.presenting import standing
from apps.portal import homepage
from apps.records.subjects import LISTED
from apps.records.viewing import news, queries
from apps.records.viewing.opening import whole
from apps.records.views.trying import tried
from apps.vault import sealing
from apps.vault.sealing import Holder


@require_safe
def show_home(request: HttpRequest) -> HttpResponse:
    """The page to which the site's name in the header leads."""
    if not request.user.is_authenticated:
        return render(request, "portal/welcome.html")
    user = current_user(request)
    context = {"breach_notices": breaches.unread(user), **_context(request, user)}
    return render(request, "portal/home.html", context)


def _context(request: HttpRequest, user: User) -> dict[str, Any]:
    """The contents of Home. If there is no record, nothing is opened."""
    now = clocks.now()
    with sealing.key_ring(Holder.user(user.pk)) as ring:
        found = standing.of_user(user, at=now, ring=ring)
        kept = [one.connection for one in found if one.connection.confirmed_at]
        if not kept:
            return {"home": homepage.of(found, None, None, at=now), "now": now}
        everything = whole.opened_with(ring, kept, user, LISTED, session=request.session, at=now)
        record, owner = everything.of_one(queries.person(request.GET))
        return {
            "home": homepage.of(found, record, owner, at=now),
            "whole": record,
            "owners": everything.owners,
            "owner": owner,
            "of_one": queries.kept(owner),
            "news": tried(record, news.of),
            "now": now,
        }
