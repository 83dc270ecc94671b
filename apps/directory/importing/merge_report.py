"""Add to the report what the database found while merging."""

from django.db import connection

from apps.directory import registering
from apps.directory.importing.reporting import MOST_LINES, Refusal, Report
from apps.directory.models import Endpoint

_LINES = "SELECT place, reason FROM import_refusal WHERE reason <> '' ORDER BY number LIMIT %s"
_REASONS = "SELECT reason, count(*) FROM import_refusal WHERE reason <> '' GROUP BY reason"
_WAITING = """
SELECT endpoint.fhir_base_url FROM directory_endpoint AS endpoint
JOIN import_met AS met ON met.endpoint_id = endpoint.id
WHERE NOT endpoint.is_switched_on ORDER BY endpoint.fhir_base_url LIMIT %s
"""
_PARTED = """
SELECT endpoint_id FROM import_parted JOIN import_relied USING (server_id) WHERE is_standing
ORDER BY endpoint_id LIMIT %s
"""


def tell(report: Report) -> None:
    """Add refused rows, endpoints that staff have to switch on, and endpoints that left a server where we are
    registered."""
    with connection.cursor() as cursor:
        cursor.execute(_LINES, [MOST_LINES - len(report.refusals)])
        report.refusals += [Refusal(place, reason) for place, reason in cursor.fetchall()]
        cursor.execute(_REASONS)
        report.reasons.update(dict(cursor.fetchall()))
        cursor.execute(_WAITING, [MOST_LINES])
        report.waiting = [url for (url,) in cursor.fetchall()]
        cursor.execute(_PARTED, [MOST_LINES])
        parted = Endpoint.objects.filter(pk__in=[pk for (pk,) in cursor.fetchall()])
    rows = parted.select_related("authorization_server").order_by("fhir_base_url")
    report.parted = [row.fhir_base_url for row in rows if registering.standing_at(row) is None]
