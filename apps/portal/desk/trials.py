"""Try a registration: choose an endpoint, see what its provider publishes, sign in as a test patient, and read how each
step went. The browser goes to the provider and back by the same views as a patient's (`connections.views`).
"""

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts import reauthentication
from apps.accounts.current_user import current_user
from apps.connections import clocks
from apps.connections.authorization_requests import binding, creating
from apps.connections.models import Trial
from apps.connections.trials import beginning, issuing, signing_in, trial_page
from apps.connections.views import browser_cookie, waiting_room
from apps.directory import import_waits, registration_overview
from apps.directory.models import ClientRegistration
from apps.portal.desk.staff import actor, staff_only

BUSY = gettext_lazy("Many people are waiting for providers right now. Press the button again in a few seconds.")
MOST_LISTED = 50
_MOST_EARLIER = 10


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def try_out(request: HttpRequest, registration_id: UUID) -> HttpResponse:
    """Choose an endpoint, and see the results of earlier trials; POST begins one."""
    rows = ClientRegistration.objects.select_related("authorization_server")
    registration = get_object_or_404(rows, pk=registration_id)
    endpoints = registration_overview.endpoints(registration, most=MOST_LISTED, query=request.GET.get("q", ""))
    if request.method == "POST":
        return _begin(request, registration)
    earlier = trial_page.earlier(registration, most=_MOST_EARLIER, at=clocks.now())
    context = {
        "registration": registration,
        "endpoints": endpoints,
        "chosen": request.GET.get("endpoint", ""),
        "query": request.GET.get("q", ""),
        "earlier": earlier,
    }
    return render(request, "portal/desk/try.html", context)


@require_safe
@staff_only
def show_trial(request: HttpRequest, trial_id: UUID) -> HttpResponse:
    """Every step of one trial, with its result."""
    trial = _trial(trial_id)
    page = trial_page.page(trial, at=clocks.now())
    is_mine = trial.staff_id == current_user(request).pk
    return render(request, "portal/desk/trial.html", {"page": page, "trial": trial, "is_mine": is_mine})


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def sign_in(request: HttpRequest, trial_id: UUID) -> HttpResponse:
    """POST goes on to the provider, by the page "You are leaving". A GET shows the trial."""
    trial = _trial(trial_id)
    if request.method != "POST":
        return redirect("desk-trial", trial_id=trial.pk)
    with waiting_room.seat_to_ask(trial.endpoint) as is_free:
        if not is_free:
            messages.warning(request, BUSY)
            return redirect("desk-trial", trial_id=trial.pk)
        browser = browser_cookie.read(request) or binding.new_browser()
        try:
            departure = signing_in.begin(trial, user=current_user(request), browser=browser, at=clocks.now())
        except (signing_in.NotOpen, creating.CannotLink):  # the page says which
            return redirect("desk-trial", trial_id=trial.pk)
    response = HttpResponseRedirect(reverse("attempt", args=[departure.request_id]))
    response.status_code = 303
    browser_cookie.write(response, browser)
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def allow_issuer(request: HttpRequest, trial_id: UUID) -> HttpResponse:
    """Let ID tokens name the issuer that this trial met. Asks for the password first, at this URL."""
    trial = _trial(trial_id)
    if request.method != "POST":
        reauthentication.require_for_staff(request)
        return redirect("desk-trial", trial_id=trial.pk)
    if not reauthentication.is_recent_for_staff(request):
        messages.info(request, _("Nothing was changed yet. Enter your password again, then do this again."))
        return redirect(request.path)
    try:
        with import_waits.briefly():
            issuing.allow(trial, actor=actor(request), at=clocks.now())
    except issuing.NothingToAllow:
        return redirect("desk-trial", trial_id=trial.pk)
    except ValidationError:
        messages.error(request, _("This issuer is not one that we could ask for its keys."))
        return redirect("desk-trial", trial_id=trial.pk)
    messages.success(request, _("The issuer is allowed. Try again from the start."))
    return redirect("desk-trial", trial_id=trial.pk)


def _begin(request: HttpRequest, registration: ClientRegistration) -> HttpResponse:
    endpoint = registration_overview.endpoint(registration, request.POST.get("endpoint", ""))
    if endpoint is None:
        messages.error(request, _("Choose one of these endpoints."))
        return redirect("desk-try", registration_id=registration.pk)
    pressed_before = beginning.just_begun(registration, endpoint, staff_id=current_user(request).pk, at=clocks.now())
    if pressed_before is not None:
        return _see(pressed_before)
    with waiting_room.ROOM.seat(endpoint.pk) as is_free:
        if not is_free:
            messages.warning(request, BUSY)
            return redirect("desk-try", registration_id=registration.pk)
        try:
            trial = beginning.begin(registration, endpoint, staff_id=current_user(request).pk, at=clocks.now())
        except beginning.NotServed:
            messages.error(request, _("This registration does not serve that endpoint any more."))
            return redirect("desk-try", registration_id=registration.pk)
    return _see(trial)


def _see(trial: Trial) -> HttpResponse:
    response = redirect("desk-trial", trial_id=trial.pk)
    response.status_code = 303
    return response


def _trial(trial_id: UUID) -> Trial:
    rows = Trial.objects.select_related(
        "provider", "endpoint__authorization_server", "registration__authorization_server"
    )
    return get_object_or_404(rows, pk=trial_id)
