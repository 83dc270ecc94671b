""" "Is this the right person?" Nothing is copied before the answer, which must come within 30 minutes.

Pressing twice, or coming back later, shows the current state: the record, or how the connection ended.
"""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from apps.accounts.current_user import current_user
from apps.connections import clocks
from apps.connections import tasks as connection_tasks
from apps.connections.callback import confirming, known_people
from apps.connections.grants import granted_access, permission_terms
from apps.connections.models import Connection
from apps.portal import ended_connections, starting
from apps.portal.ended_connections import Ending
from apps.portal.forms import CandidateForm, born, described, name
from apps.records import tasks
from apps.records.presenters.datatypes import dates
from apps.records.viewing import queries


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@cache_control(no_store=True, private=True)
def confirm(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    """Ask, and take the answer: `answer=yes` with the person's position in the list, or `answer=no`. Somebody who was
    connected already and came from a visit that is here gets to that visit."""
    mine = Connection.objects.filter(user=current_user(request))
    connection = (
        mine.select_related("provider", "endpoint", "registration", "stored_token_set")
        .defer("stored_token_set__sealed_access_token", "stored_token_set__sealed_refresh_token")
        .filter(pk=connection_id)
        .first()
    )
    if connection is None:
        return _ended(request, connection_id)
    if connection.confirmed_at is not None:
        if request.POST.get("answer") == "no":  # confirmed in another tab: it is being copied
            messages.warning(request, _("You already said yes. You can disconnect, and delete what was copied."))
        return redirect("record", connection_id=connection.pk)
    if connection.confirm_by_at is None or connection.confirm_by_at <= clocks.now():
        return _page(request, Ending.EXPIRED)
    if request.method != "POST":
        return _ask(request, connection)
    if request.POST.get("answer") == "no":
        return _decline(request, connection)
    return _accept(request, connection)


def _ask(request: HttpRequest, connection: Connection, form: CandidateForm | None = None) -> HttpResponse:
    people = confirming.candidates(connection)
    if not people:  # deleted a moment ago, perhaps with the account
        return _page(request, Ending.EXPIRED)
    strangers = known_people.others_than(connection, people[0]) if len(people) == 1 else ()
    context = {
        "connection": connection,
        "name": name(people[0]) if len(people) == 1 else "",
        "born": born(people[0]) if len(people) == 1 else "",
        "people": len(people),
        "others": [described(one) for one in strangers],
        "form": form or CandidateForm(people),
        "sharing": granted_access.of_connection(
            connection, patient_id=people[0].patient_id if len(people) == 1 else ""
        ),
        "lasts": permission_terms.lasts_for(connection),
        "until": dates.time_of_day(connection.confirm_by_at) if connection.confirm_by_at else "",
    }
    return render(request, "portal/confirm.html", context)


def _accept(request: HttpRequest, connection: Connection) -> HttpResponse:
    form = CandidateForm(confirming.candidates(connection), request.POST)
    if not form.is_valid():
        return _ask(request, connection, form)
    try:
        started = starting.confirm_and_start(connection, candidate=form.cleaned_data["candidate"], at=clocks.now())
    except confirming.TooLate:  # expired, or answered in another tab: this page, loaded again, says which
        return redirect(request.path)
    if started.run is not None:
        tasks.enqueue()
    if started.visit is None:
        return redirect("record", connection_id=started.connection.pk)
    _say_reauthorized(request)
    page = reverse("entry", args=[started.visit.subject, started.visit.record])
    return redirect(page + queries.kept_by(started.connection.pk))


def _decline(request: HttpRequest, connection: Connection) -> HttpResponse:
    """It may have expired, or been confirmed in another tab: this page, loaded again, says which."""
    confirming.decline(connection, at=clocks.now())
    connection_tasks.enqueue_telling()
    return redirect(request.path)


def _ended(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    how = ended_connections.how_it_ended(user_id=current_user(request).pk, connection_id=connection_id)
    if how is None:
        raise Http404
    if how is Ending.DISCONNECTED:
        return redirect("connections")
    if how is Ending.REAUTHORIZED:
        _say_reauthorized(request)
        return redirect("connections")
    return _page(request, how)


def _say_reauthorized(request: HttpRequest) -> None:
    messages.info(request, _("You are already connected. We renewed the connection and kept everything."))


def _page(request: HttpRequest, how: Ending) -> HttpResponse:
    return render(request, f"portal/{how.value}.html")
