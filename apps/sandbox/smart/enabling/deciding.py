"""An organization enables or disables an application. The switch `not_enabled` says which endpoint then refuses."""

from dataclasses import dataclass

from django.db import transaction

from apps.sandbox.models import ApplicationStatus, SmartApplication, Tenant


@dataclass(frozen=True)
class Standing:
    """One application at one organization."""

    application: SmartApplication
    is_enabled: bool


def decide(application: SmartApplication, tenant_id: str, *, is_enabled: bool) -> None:
    """Enable or disable the application at the organization. Existing grants stay as they are."""
    with transaction.atomic():
        row = SmartApplication.objects.select_for_update().get(pk=application.pk)
        kept = [known for known in row.enabled_tenants if known != tenant_id]
        row.enabled_tenants = [*kept, tenant_id] if is_enabled else kept
        row.save(update_fields=["enabled_tenants"])


def standings(tenant: Tenant) -> tuple[Standing, ...]:
    """Every application that is not retired, with its standing at the organization, by name."""
    rows = SmartApplication.objects.filter(status=ApplicationStatus.APPROVED).select_related("developer")
    return tuple(Standing(row, row.is_enabled_at(tenant.pk)) for row in rows.order_by("name", "pk"))
