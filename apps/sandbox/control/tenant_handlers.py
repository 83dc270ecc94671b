"""The control address of the organizations of interface B: list them, and suspend one."""

from django.http import QueryDict

from apps.sandbox.control.json_views import Answer, Body, Wrong, only, take
from apps.sandbox.models import Tenant


def tenants(_query: QueryDict) -> Answer:
    """Every organization."""
    rows = Tenant.objects.order_by("pk")
    return {"tenants": [_tenant(row) for row in rows]}, 200


def suspend(body: Body) -> Answer:
    """Suspend or reinstate the organization `id`, by `is_suspended`."""
    only(body, "id", "is_suspended")
    tenant = Tenant.objects.filter(pk=take(body, "id", str, "")).first()
    if tenant is None:
        raise Wrong("there is no such tenant")
    tenant.is_suspended = take(body, "is_suspended", bool, default=True)
    tenant.save(update_fields=["is_suspended"])
    return _tenant(tenant), 200


def _tenant(tenant: Tenant) -> dict[str, str | bool]:
    return {
        "id": tenant.pk,
        "name": tenant.name,
        "practice": tenant.practice,
        "is_suspended": tenant.is_suspended,
    }
