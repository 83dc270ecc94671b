"""Whether a tenant exists and has enabled an application: checked at every request, so that a change
applies at once.
"""

from enum import Enum, auto

from apps.sandbox import raw_sql


class Standing(Enum):
    """The standing of an application with an organization."""

    LET_IN = auto()
    SHUT_OUT = auto()
    OVER = auto()  # it was retired, wherever it had been let in


def is_open(tenant: str) -> bool:
    """Whether there is such a tenant, and it is not suspended. Postgres cannot store NUL, so no id has one."""
    statement = "SELECT 1 FROM sandbox_tenant WHERE id = %(tenant)s AND NOT is_suspended"
    return "\0" not in tenant and bool(raw_sql.rows(statement, {"tenant": tenant}))


def standing(client_id: str, tenant: str) -> Standing:
    """Whether the organization has enabled the application (specification 1.6), and whether it is recognized at all
    (5.2.7): it is public, or has an approved system account of its own developer."""
    statement = (
        "SELECT a.status = 'approved', jsonb_exists(a.enabled_tenants, %(tenant)s)"
        " AND (a.client_type = 'public' OR EXISTS (SELECT 1 FROM sandbox_systemaccount s WHERE s.client_id = a.guid"
        " AND s.status = 'approved' AND s.developer_id IS NOT DISTINCT FROM a.developer_id))"
        " FROM sandbox_smartapplication a WHERE a.client_id = %(client)s"
    )
    for is_in_use, is_let_in in raw_sql.rows(statement, {"client": client_id, "tenant": tenant}):
        if not is_in_use:
            return Standing.OVER
        return Standing.LET_IN if is_let_in else Standing.SHUT_OUT
    return Standing.SHUT_OUT


def standing_of_system(account_id: str, tenant: str) -> Standing:
    """The same for a system account: it is approved, and the organization has enabled an approved application of its
    own developer that names it."""
    statement = (
        "SELECT 1 FROM sandbox_systemaccount s JOIN sandbox_smartapplication a ON a.guid = s.client_id"
        " AND a.developer_id IS NOT DISTINCT FROM s.developer_id WHERE s.client_id = %(account)s::uuid"
        " AND s.status = 'approved' AND a.status = 'approved' AND jsonb_exists(a.enabled_tenants, %(tenant)s)"
    )
    return Standing.LET_IN if raw_sql.rows(statement, {"account": account_id, "tenant": tenant}) else Standing.SHUT_OUT
