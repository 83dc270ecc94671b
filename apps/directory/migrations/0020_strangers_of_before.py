"""Endpoints that were switched off as strangers before their rows said so (0013).

What can be told: an endpoint is off, at another origin than its authorization server, and of what the audit log says
last of its switch nothing is staff's. An import that switched off wrote nothing down then; staff always did. Where this
takes too many, staff look at a host once more, and nobody is let in meanwhile: the endpoint is off already.
"""

from django.db import migrations

_ORIGIN = "lower(split_part({url}, '/', 1) || '//' || split_part({url}, '/', 3))"
MARK = f"""
UPDATE directory_endpoint AS endpoint SET is_stranger = true
FROM directory_authorizationserver AS server
WHERE server.id = endpoint.authorization_server_id AND NOT endpoint.is_switched_on AND NOT endpoint.is_stranger
    AND {_ORIGIN.format(url="endpoint.fhir_base_url")} NOT IN (
        {_ORIGIN.format(url="server.authorize_url")}, {_ORIGIN.format(url="server.token_url")}
    )
    AND NOT coalesce((
        SELECT event.actor_kind = 'staff' AND event.facts ->> 'action' IN ('switched off', 'added')
        FROM audit_auditevent AS event
        WHERE event.subject_id = endpoint.id::text AND event.subject = 'endpoint' AND event.facts ->> 'action' IN (
            'switched on', 'switched off', 'added', 'addresses entered and switched off'
        )
        ORDER BY event.id DESC LIMIT 1
    ), false)
"""  # noqa: S608 # nosec B608 - of constants


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0019_second_look"),
        ("audit", "0001_initial"),
    ]

    operations = [
        migrations.RunSQL(MARK, migrations.RunSQL.noop),
    ]
