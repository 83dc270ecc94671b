"""The control page for people: every switch, fault and recorded request, as forms. For this machine only."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from apps.sandbox import clock, faults, recorder, scenarios
from apps.sandbox.control import resetting, snapshots
from apps.sandbox.control.json_views import is_local

_SHOWN_REQUESTS = 40
_BACK = {"start": "start", "control": "control", "approvals": "approvals"}


@require_GET
def page(request: HttpRequest) -> HttpResponse:
    """Everything that can be switched, and recent requests."""
    if not is_local(request):
        return HttpResponseForbidden()
    context = {
        "clock": clock.now(),
        "offset": clock.offset(),
        "switches": snapshots.switches(),
        "scenarios": scenarios.SCENARIOS,
        "faults": faults.armed(),
        "routes": faults.ROUTES,
        "kinds": faults.KINDS,
        "requests": recorder.requests()[: -_SHOWN_REQUESTS - 1 : -1],
    }
    return render(request, "sandbox/control.html", context)


@require_POST
def pull(request: HttpRequest) -> HttpResponse:
    """One action, from a form of the start page or of the control page."""
    if not is_local(request):
        return HttpResponseForbidden()
    lever = _LEVERS.get(request.POST.get("lever", ""))
    try:
        if lever is not None:
            messages.success(request, lever(request))
    except (scenarios.UnknownChoice, ValueError) as wrong:
        messages.error(request, str(wrong))
    return redirect(_BACK.get(request.POST.get("back", ""), "control"))


def _play(request: HttpRequest) -> str:
    name = request.POST.get("name", "")
    scenario = scenarios.play(name)
    return f"{name}: {scenario.explains}"


def _choose(request: HttpRequest) -> str:
    for name in scenarios.SWITCHES:
        if name in request.POST:
            scenarios.choose(name, request.POST[name])
    return _("Switched.")


def _move(request: HttpRequest) -> str:
    hours = float(request.POST.get("hours", "") or 0)
    if not abs(hours) <= 24 * 366 * 10:
        raise ValueError(_("Ten years at most."))
    now = clock.move(hours * 3_600)
    return _("It is %(now)s here now.") % {"now": f"{now:%Y-%m-%d %H:%M} UTC"}


def _arm(request: HttpRequest) -> str:
    count = request.POST.get("count", "1")
    fault = faults.Fault(
        route=request.POST.get("route", ""),
        kind=request.POST.get("kind", ""),
        count=int(count) if count else None,
        path=request.POST.get("path", ""),
    )
    faults.arm(fault)
    return _("Armed.")


def _disarm(_request: HttpRequest) -> str:
    faults.disarm()
    return _("Nothing goes wrong any longer.")


def _reset(_request: HttpRequest) -> str:
    resetting.reset()
    return _("Back to the beginning.")


_LEVERS = {"play": _play, "choose": _choose, "move": _move, "arm": _arm, "disarm": _disarm, "reset": _reset}
