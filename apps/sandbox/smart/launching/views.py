"""The provider's portal: sign in as a patient or a clinician, choose what is open, start an application."""

from urllib.parse import urlencode, urlsplit

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from apps.sandbox import clock
from apps.sandbox.models import Account, SmartApplication
from apps.sandbox.sign_in import pages, signed_in
from apps.sandbox.smart import sessions
from apps.sandbox.smart.launching import choices, starting
from apps.sandbox.smart.launching.choices import Organization

_KEY = "launch_account"


@require_http_methods(["GET", "POST"])
def portal(request: HttpRequest) -> HttpResponse:
    """Who is signed in, what is open, and what they can start."""
    step = request.POST.get("step") if request.method == "POST" else None
    if step == "sign-in":
        return _sign_in(request)
    if step == "sign-out":  # and with it whatever was allowed for as long as the person is signed in
        request.session.pop(_KEY, None)
        sessions.end(request, reason="signed out", at=clock.now())
    account = Account.objects.filter(pk=request.session.get(_KEY, 0), is_enrolled=True).first()
    if account is None:
        return _page(request, "launch_sign_in")
    organizations = choices.organizations(account)
    here = next((one for one in organizations if _id(one) == request.GET.get("at")), None)
    if step == "start" and here is not None:
        return _start(request, account, organizations, here)
    return _chooser(request, account, organizations, here)


def _sign_in(request: HttpRequest) -> HttpResponse:
    """Separate from the sign-in at the authorization endpoint on purpose: a launch does not sign anybody in there."""
    account = signed_in.check(request.POST.get("username", ""), request.POST.get("password", ""))
    if account is None or not choices.organizations(account):
        return _page(request, "launch_sign_in", problem=True, username=request.POST.get("username", ""))
    request.session.cycle_key()
    request.session[_KEY] = account.pk
    return redirect(f"{request.path}?{urlencode({'at': _id(choices.organizations(account)[0])})}")


def _start(
    request: HttpRequest, account: Account, organizations: tuple[Organization, ...], here: Organization
) -> HttpResponse:
    patient_id, _, encounter_id = request.POST.get("open", "").partition("|")
    application = SmartApplication.known(request.POST.get("application", ""))
    if application is None:
        return _chooser(request, account, organizations, here, problem=True)
    try:
        started = starting.start(
            application,
            account,
            here.tenant,
            here.version,
            patient_id=patient_id,
            encounter_id=encounter_id,
            at=clock.now(),
        )
    except starting.LaunchRefused:
        return _chooser(request, account, organizations, here, problem=True)
    return pages.leave(started.address)


def _chooser(
    request: HttpRequest,
    account: Account,
    organizations: tuple[Organization, ...],
    here: Organization | None,
    *,
    problem: bool = False,
) -> HttpResponse:
    applications = starting.offered(starting.persona_of(account), here.version, here.tenant) if here else ()
    response = _page(
        request,
        "launch",
        account=account,
        organizations=[(_id(one), one) for one in organizations],
        here=_id(here) if here else "",
        people=choices.people(account, here.tenant.pk, here.version) if here else (),
        applications=applications,
        problem=problem,
    )
    origins = {"{0.scheme}://{0.netloc}".format(urlsplit(application.launch_url)) for application in applications}
    response.form_action = " ".join(["'self'", *sorted(origins)])  # type: ignore[attr-defined]  # PageHeadersMiddleware
    return response


def _id(one: Organization) -> str:
    return f"{one.version}/{one.tenant.pk}"


def _page(request: HttpRequest, name: str, **context: object) -> HttpResponse:
    return render(request, f"sandbox/smart/{name}.html", context)
