"""The start page: who you can be, what you can break, what time it is, and where everything is."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from apps.sandbox import clock, faults, scenarios
from apps.sandbox.models import Account, Tenant
from apps.sandbox.practice import listing
from apps.sandbox.practice.practices import PRACTICES
from apps.sandbox.smart.addresses import Place

_MOST_ACCOUNTS = 50


@require_GET
def start(request: HttpRequest) -> HttpResponse:
    """The page for a first visit."""
    accounts = Account.objects.filter(is_enrolled=True).exclude(shown_password="")
    context = {
        "accounts": accounts.order_by("pk")[:_MOST_ACCOUNTS],
        "more_accounts": max(0, accounts.count() - _MOST_ACCOUNTS),
        "scenarios": scenarios.SCENARIO_GROUPS,
        "differing": scenarios.differing(),
        "faults": faults.armed(),
        "clock": clock.now(),
        "offset": clock.offset(),
        "practices": PRACTICES,
        "addresses": [
            listing.endpoint(version, request.build_absolute_uri("/").rstrip("/")) for version in ("dstu2", "r4")
        ],
        "tenants": [(tenant, _roots(tenant)) for tenant in Tenant.objects.order_by("is_suspended", "pk")],
    }
    return render(request, "sandbox/start.html", context)


def _roots(tenant: Tenant) -> list[str]:
    """The FHIR roots of one organization; none while it is suspended."""
    if tenant.is_suspended:
        return []
    return [Place(host, version, tenant.pk).root for host in ("myrecord", "ehr", "open") for version in ("dstu2", "r4")]
