"""The approval desk. Whoever sits at this machine is the administrator."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from apps.sandbox import clock, scenarios
from apps.sandbox.approving import deciding
from apps.sandbox.registration import RequestRefused


@require_http_methods(["GET", "POST"])
def desk(request: HttpRequest) -> HttpResponse:
    """Everything that waits, and deciding about one request."""
    if request.method == "POST":
        return _decide(request)
    context = {"pending": deciding.pending(), "is_instant": scenarios.chosen("approval") == "instant"}
    return render(request, "sandbox/approvals.html", context)


def _decide(request: HttpRequest) -> HttpResponse:
    number, decision = request.POST.get("id", ""), request.POST.get("decision", "")
    try:
        name = deciding.decide(
            request.POST.get("kind", ""),
            int(number) if number.isdecimal() and number.isascii() and len(number) < 16 else 0,
            decision,
            reason=request.POST.get("reason", ""),
            at=clock.now(),
        )
        told = _("%(name)s is approved.") if decision == "approve" else _("%(name)s is rejected.")
        messages.success(request, told % {"name": name})
    except RequestRefused as refused:
        messages.error(request, str(refused))
    return redirect("approvals")
