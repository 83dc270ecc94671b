"""Know which hosts staff have looked at, so that switching a registration on asks about the others alone.

Of before, the audit log tells: whoever switched an endpoint on, or wrote its addresses, had it before them.
"""

from django.db import migrations, models

MARK = """
UPDATE directory_endpoint AS endpoint SET host_seen_at = seen.at
FROM (
    SELECT event.subject_id, max(event.at) AS at FROM audit_auditevent AS event
    WHERE event.subject = 'endpoint' AND event.actor_kind = 'staff'
        AND event.facts ->> 'action' IN ('switched on', 'added', 'addresses entered')
    GROUP BY event.subject_id
) AS seen
WHERE endpoint.id::text = seen.subject_id AND endpoint.is_switched_on
"""


class Migration(migrations.Migration):
    dependencies = [("directory", "0022_revokes_replaced"), ("audit", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="endpoint",
            name="host_seen_at",
            field=models.DateTimeField(blank=True, editable=False, null=True, verbose_name="host looked at"),
        ),
        migrations.RunSQL(MARK, migrations.RunSQL.noop),
    ]
