"""The organizations' desk. Whoever sits at this machine decides for all of them."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from apps.sandbox.models import SmartApplication, Tenant
from apps.sandbox.smart.enabling import deciding


@require_http_methods(["GET", "POST"])
def desk(request: HttpRequest) -> HttpResponse:
    """Every organization with the applications it has enabled and those it has not; and deciding about one."""
    if request.method == "POST":
        return _decide(request)
    tenants = Tenant.objects.filter(is_suspended=False).order_by("name")
    context = {"organizations": [(tenant, deciding.standings(tenant)) for tenant in tenants]}
    return render(request, "sandbox/smart/desk.html", context)


def _decide(request: HttpRequest) -> HttpResponse:
    application = SmartApplication.known(request.POST.get("application", ""))
    tenant = Tenant.known(request.POST.get("tenant", ""))
    if application is None or tenant is None:
        return HttpResponseBadRequest()
    is_enabled = request.POST.get("decision") == "enable"
    deciding.decide(application, tenant.pk, is_enabled=is_enabled)
    told = _("%(tenant)s has enabled %(application)s.") if is_enabled else _("%(tenant)s has disabled %(application)s.")
    messages.success(request, told % {"tenant": tenant.name, "application": application.name})
    return redirect("smart-desk")
