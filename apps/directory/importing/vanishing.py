"""Mark what the list no longer has. It is never deleted, because connections live on, and never marked if the list was
cut short."""

from datetime import datetime

from django.db import connection

_GONE = """
CREATE TEMPORARY TABLE import_gone ON COMMIT DROP AS
SELECT id FROM directory_provider AS provider WHERE directory = %s AND vanished_at IS NULL
    AND NOT EXISTS (SELECT FROM import_listed AS listed WHERE listed.directory_id = provider.directory_id)
    AND NOT EXISTS (SELECT FROM import_kept AS kept WHERE kept.directory_id = provider.directory_id)
"""
# An endpoint has vanished only if no provider that is still listed, here or elsewhere, has it.
_ORPHANED = """
CREATE TEMPORARY TABLE import_orphaned ON COMMIT DROP AS
SELECT id FROM directory_endpoint AS endpoint
WHERE vanished_at IS NULL AND id IN (
    SELECT endpoint_id FROM directory_providerportal WHERE provider_id IN (TABLE import_gone)
    UNION SELECT endpoint_id FROM import_left
) AND NOT EXISTS (SELECT FROM import_met WHERE endpoint_id = endpoint.id) AND NOT EXISTS (
    SELECT FROM directory_providerportal AS portal
    JOIN directory_provider AS provider ON provider.id = portal.provider_id
    WHERE portal.endpoint_id = endpoint.id AND provider.vanished_at IS NULL
        AND NOT EXISTS (SELECT FROM import_gone WHERE id = provider.id)
        AND NOT EXISTS (
            SELECT FROM import_left AS gone
            WHERE gone.provider_id = portal.provider_id AND gone.endpoint_id = portal.endpoint_id
        )
)
"""
_PART = """
DELETE FROM directory_providerportal AS portal USING import_left AS gone
WHERE portal.provider_id = gone.provider_id AND portal.endpoint_id = gone.endpoint_id
"""
_MARK_ENDPOINTS = "UPDATE directory_endpoint SET vanished_at = %s WHERE id IN (TABLE import_orphaned)"
_MARK_PROVIDERS = "UPDATE directory_provider SET vanished_at = %s WHERE id IN (TABLE import_gone)"


def mark(directory: str, *, is_spared: bool, at: datetime) -> tuple[int, int]:
    """Returns how many rows were marked as vanished, and how many were spared because the list is not believed."""
    with connection.cursor() as cursor:
        cursor.execute(_GONE, [directory])
        gone = int(cursor.rowcount)
        cursor.execute(_ORPHANED)
        gone += int(cursor.rowcount)
        if is_spared:
            return 0, gone
        cursor.execute(_PART)
        cursor.execute(_MARK_ENDPOINTS, [at])
        cursor.execute(_MARK_PROVIDERS, [at])
    return gone, 0
