"""The pages of one connection's record, which only its owner can reach; no title or address says anything clinical."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts.current_user import current_user
from apps.connections.models import Connection
from apps.records import tasks
from apps.records.presenters.datatypes import dates
from apps.records.syncing import NoLongerThere, NotSyncable, checking_again, progress
from apps.records.syncing.progress import Outlook
from apps.records.viewing import visit_of_launch
from apps.records.viewing.opening import looking, overview
from apps.records.viewing.opening.overview import Overview, State


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def show_record(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    """Show the record's first page: who it is, how current it is, what came and what did not."""
    connection = _connection(request, connection_id)
    if connection.status == Connection.Status.AWAITING_CONFIRMATION:
        return redirect("confirm", connection_id=connection.id)
    now = timezone.now()
    try:
        view = looking.look(connection, session=request.session, at=now)
    except Connection.DoesNotExist:
        raise Http404 from None
    context = {
        "connection": connection,
        "standing": view.standing,
        "overview": view.overview,
        "outlook": _outlook(connection, view.overview),
        "visit": visit_of_launch.find(connection, at=now),
        "now": now,
    }
    return render(request, "records/record.html", context)


@require_safe
@login_required
@cache_control(no_store=True, private=True)
def show_progress(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    """Show the part of that page that changes while a sync runs. The address says what the page has already: `state`,
    and if that has changed, the whole page is requested again; and `done`, the number of kinds done, and if that has
    changed, it is announced to screen readers, and the visit of the launch is looked for: it may have come with that
    kind, and is not decrypted every three seconds."""
    connection = _connection(request, connection_id)
    now = timezone.now()
    found = overview.of(connection, at=now)
    is_news = request.GET.get("done") != str(found.kinds_done)
    context = {
        "connection": connection,
        "overview": found,
        "outlook": _outlook(connection, found),
        "visit": visit_of_launch.find(connection, at=now) if is_news else None,
        "is_news": is_news,
    }
    response = render(request, "records/progress.html", context)
    if request.GET.get("state") != found.state.value:
        response["HX-Refresh"] = "true"
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def check_again(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    """Start a check for the patient, or find that one is already running. A GET means that they had to sign in first;
    they find the button again on the record's page."""
    connection = _connection(request, connection_id)
    if request.method != "POST":
        return redirect("record", connection_id=connection.id)
    try:
        checking_again.check_again(connection, at=timezone.now())
        tasks.enqueue()
    except (checking_again.Stopped, NoLongerThere):
        pass  # the record's page says so at its top, or is gone as well
    except checking_again.TooSoon as error:
        time = dates.time_of_day(error.again_at)
        messages.info(request, _("Checked a moment ago. You can check again at %(time)s.") % {"time": time})
    except NotSyncable:
        messages.warning(request, _("To get updates, sign in at your provider again."))
    return redirect("record", connection_id=connection.id)


def _outlook(connection: Connection, found: Overview) -> Outlook | None:
    """Only while we are requesting: nobody knows how long a provider that does not answer will take."""
    return progress.of(connection) if found.state in {State.FIRST, State.CHECKING} else None


def _connection(request: HttpRequest, connection_id: UUID) -> Connection:
    """A connection of this person; Http404 for anybody else's, and for one that ended unconfirmed."""
    mine = Connection.objects.filter(user=current_user(request)).select_related("provider", "endpoint", "registration")
    return get_object_or_404(mine.confirmed() | mine.unconfirmed(), pk=connection_id)
