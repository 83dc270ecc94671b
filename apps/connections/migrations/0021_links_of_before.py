"""What links of before 0013 lack is filled in, and what processes of before go on writing is made whole.

A few hundred rows at a time, each lot in a transaction of its own: nobody waits for more than one lot. It may be
killed and run again, and passes over what is done. The trigger comes first, so that no row can slip in behind it.
"""

from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

AT_ONCE = 250  # Postgres may compare each row of a lot with each link of it
_NOBODY = "00000000-0000-0000-0000-000000000000"

# A token set's registration is its connection's. Who writes it knows that since 0013; who was started before does not.
_TRIGGERS = """
CREATE OR REPLACE FUNCTION connections_copy_registration() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.registration_id IS NULL THEN
        SELECT registration_id INTO NEW.registration_id FROM connections_connection WHERE id = NEW.connection_id;
    END IF;
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER registration_of_its_connection BEFORE INSERT ON connections_storedtokenset
    FOR EACH ROW EXECUTE FUNCTION connections_copy_registration();
CREATE OR REPLACE FUNCTION connections_pass_on_registration() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE connections_storedtokenset SET registration_id = NEW.registration_id
    WHERE connection_id = NEW.id AND registration_id IS DISTINCT FROM NEW.registration_id;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER registration_of_its_token_set AFTER UPDATE OF registration_id ON connections_connection
    FOR EACH ROW WHEN (OLD.registration_id IS DISTINCT FROM NEW.registration_id)
    EXECUTE FUNCTION connections_pass_on_registration();
"""
_NO_TRIGGERS = """
DROP TRIGGER IF EXISTS registration_of_its_connection ON connections_storedtokenset;
DROP TRIGGER IF EXISTS registration_of_its_token_set ON connections_connection;
DROP FUNCTION IF EXISTS connections_copy_registration();
DROP FUNCTION IF EXISTS connections_pass_on_registration();
"""

_NEXT = """
SELECT max(connection_id::text) FROM (
    SELECT connection_id FROM connections_storedtokenset WHERE connection_id > %s ORDER BY connection_id LIMIT %s
) AS lot
"""
# The idle limit is ninety days of interface B, or what the registration says instead; a renewal falls due between a
# quarter and a third of it, by the same share of each link as `refreshing.timing` gives. A session has none of these.
_FILL = """
UPDATE connections_storedtokenset AS stored
SET registration_id = told.registration_id,
    refresh_used_at = stored.refresh_issued_at,
    is_session_bound = told.is_session_bound,
    refresh_deadline_at = LEAST(stored.refresh_deadline_at, stored.refresh_issued_at + told.idle_limit),
    refresh_due_at = CASE WHEN told.is_session_bound THEN NULL WHEN told.is_active
        THEN LEAST(stored.refresh_due_at, stored.refresh_issued_at + told.idle_limit * (1 / 4.0 + told.share / 12))
        ELSE stored.refresh_due_at END
FROM (
    SELECT of.*, CASE WHEN NOT of.is_session_bound THEN of.idle_days * interval '1 day' END AS idle_limit
    FROM (
        SELECT link.id, link.registration_id, link.status = 'active' AS is_active,
            string_to_array(link.granted_scope, ' ') @> '{online_access}'
                AND NOT string_to_array(link.granted_scope, ' ') @> '{offline_access}' AS is_session_bound,
            COALESCE(registration.idle_limit_days, CASE endpoint.dialect WHEN 'smart' THEN 90 END) AS idle_days,
            ('x' || right(link.id::text, 8))::bit(32)::bigint / 4294967296.0 AS share
        FROM connections_connection AS link
        JOIN directory_clientregistration AS registration ON registration.id = link.registration_id
        JOIN directory_endpoint AS endpoint ON endpoint.id = link.endpoint_id
        WHERE link.id > %(after)s AND link.id <= %(until)s
    ) AS of
) AS told
WHERE told.id = stored.connection_id AND stored.connection_id > %(after)s AND stored.connection_id <= %(until)s
    AND (stored.registration_id IS NULL OR stored.refresh_used_at IS NULL AND stored.refresh_issued_at IS NOT NULL)
"""


def fill(_apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """In the order of their ids, from the first: what is filled is not written again."""
    after = _NOBODY
    with schema_editor.connection.cursor() as cursor:
        while True:
            cursor.execute(_NEXT, [after, AT_ONCE])
            until = cursor.fetchone()[0]
            if until is None:
                return
            cursor.execute(_FILL, {"after": after, "until": until})
            after = until


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("connections", "0020_parked_refreshes"), ("directory", "0016_rotation_seen")]

    operations = [
        migrations.RunSQL(_TRIGGERS, _NO_TRIGGERS),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
