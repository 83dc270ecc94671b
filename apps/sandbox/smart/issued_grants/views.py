"""Introspection and revocation, for programs; the manage page, for patients."""

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotFound, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from apps.sandbox import clock, scenarios
from apps.sandbox.models import SmartApplication, Tenant
from apps.sandbox.sign_in import signed_in
from apps.sandbox.smart import addresses, refusing, sessions
from apps.sandbox.smart.clients import authenticating, posting
from apps.sandbox.smart.issued_grants import introspecting, removing, revoking
from apps.sandbox.smart.refusing import Refusal

Form = dict[str, str]


def tokeninfo(request: HttpRequest) -> HttpResponse:
    """Introspect a token."""
    if scenarios.chosen("introspection") == "off" or not addresses.gives_tokens(request):
        return HttpResponseNotFound()

    def tell(application: SmartApplication, given: Form) -> HttpResponse:
        return JsonResponse(introspecting.told(application, given, at=clock.now()))

    audiences = {addresses.as_asked(addresses.introspection(), request)}
    return _for_application(request, tell, tenant="", audiences=audiences)


def revoke(request: HttpRequest, tenant: str, host: str = "myrecord") -> HttpResponse:
    """Revoke a token. An assertion may be made out to the token URL or to this one."""
    if scenarios.chosen("revocation") == "off" or not addresses.gives_tokens(request):
        return HttpResponseNotFound()

    def end(application: SmartApplication, given: Form) -> HttpResponse:
        revoking.revoke(application, given, tenant=tenant, at=clock.now())
        return HttpResponse(b"", content_type="application/json")

    known = (addresses.token(tenant, host), addresses.revocation(tenant, host))
    audiences = {addresses.as_asked(address, request) for address in known}
    return _for_application(request, end, tenant=tenant, audiences=audiences)


@require_http_methods(["GET", "POST"])
def my_authorizations(request: HttpRequest, tenant: str) -> HttpResponse:
    """Sign in, see which applications may read, remove one, sign out."""
    organization = Tenant.known(tenant)
    if organization is None:
        raise Http404
    step = request.POST.get("step") if request.method == "POST" else None
    if step == "sign-in":
        return _sign_in(request, organization)
    if step == "sign-out":
        sessions.end(request, reason="signed out", at=clock.now())
    account = signed_in.account(request)
    if account is None or account.practitioner_id:
        return _page(request, "manage_sign_in", organization)
    if step == "remove":
        removing.remove(account, tenant, _number(request.POST.get("application")), at=clock.now())
        return redirect(request.path)
    allowed = removing.allowed(account, tenant, at=clock.now())
    return _page(request, "manage", organization, account=account, allowed=allowed)


def _for_application(
    request: HttpRequest,
    act: Callable[[SmartApplication, Form], HttpResponse],
    *,
    tenant: str,
    audiences: set[str],
) -> HttpResponse:
    """The result of `act` for an authenticated application, or an error response."""
    if other := refusing.unless_posted(request):
        return other
    given: Form = {}
    try:
        given = posting.form(request)
        application = authenticating.application_of(request, given, audiences=audiences, at=clock.now())
        if application is None:
            raise refusing.invalid_client()
        return refusing.for_programs(act(application, given))
    except Refusal as refusal:
        return refusing.answer(refusal, client_id=given.get("client_id", ""), tenant=tenant)


def _sign_in(request: HttpRequest, organization: Tenant) -> HttpResponse:
    account = signed_in.check(request.POST.get("username", ""), request.POST.get("password", ""))
    if account is None or not account.tenant_patients.get(organization.pk) or account.practitioner_id:
        return _page(request, "manage_sign_in", organization, problem=True)
    signed_in.remember(request, account, keep=False)
    return redirect(request.path)


def _page(request: HttpRequest, name: str, organization: Tenant, **context: object) -> HttpResponse:
    username = request.POST.get("username", "")
    return render(
        request, f"sandbox/smart/{name}.html", {"organization": organization, "username": username, **context}
    )


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else 0
