"""The button that adopts the device's time zone."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from apps.accounts import destinations, preferences
from apps.accounts.current_user import current_user


@login_required
@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    """Store the device's zone and return to the page; if the name is unknown, redirect to the list of zones."""
    try:
        preferences.choose_time_zone(current_user(request), request.POST.get("zone", ""), at=timezone.now())
    except ValueError:
        messages.error(request, _("We do not know the time zone of this device. Please choose it from the list."))
        return HttpResponseRedirect(reverse("warnings"))  # at its top, where the message is
    messages.success(request, _("Saved. Times are now in the time zone of this device."))
    return HttpResponseRedirect(destinations.own_path(request.POST.get("next", ""), otherwise=reverse("home")))
