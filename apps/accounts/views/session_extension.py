"""The button that extends a session which is about to end."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from apps.accounts import destinations, session_expiry


@require_POST
def stay(request: HttpRequest) -> HttpResponse:
    """Extend the session and return to the page. A script that sends `here` gets an empty response and shows the result
    itself. If the session has ended, the page leads to signing in, and back."""
    if request.user.is_authenticated and session_expiry.keep(request.session):
        if "here" in request.POST:
            return HttpResponse(status=204)
        messages.success(request, _("You are still signed in."))
    return HttpResponseRedirect(destinations.own_path(request.POST.get("next", ""), otherwise=reverse("home")))
