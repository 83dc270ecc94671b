"""Which SMART deployments are discovered unasked: those that a registration of ours could serve.

A list names tens of thousands of hosts, and its author may name any. Our worker contacts only hosts where patients can
sign in with us, or other endpoints on such hosts; all others only when somebody wants to go there.
"""

from datetime import datetime

from apps.directory import registering
from apps.directory.models import Endpoint
from apps.wire.dialects import Interface

# Every endpoint that is served is on one of these hosts. The host of an endpoint that is switched off does not count:
# a list may have paired it with a server that patients trust. `0` follows `/`, so all addresses of a host are one range
# of the index `endpoint_alike`, which compares bytes; addresses of hosts that only begin alike are filtered out.
_DUE = """
WITH standing AS MATERIALIZED (
    SELECT id, authorization_server_id FROM directory_clientregistration WHERE status <> ALL(%(over)s)
), enabled AS MATERIALIZED (
    SELECT endpoint.fhir_base_url, endpoint.authorization_server_id, endpoint.is_switched_on FROM standing
    JOIN directory_enablement AS enablement ON enablement.registration_id = standing.id
    JOIN directory_endpoint AS endpoint ON endpoint.id = enablement.endpoint_id
), server AS MATERIALIZED (
    SELECT authorization_server_id AS id FROM standing UNION SELECT authorization_server_id FROM enabled
), host AS MATERIALIZED (
    SELECT DISTINCT lower(split_part(url, '/', 1) || '//' || split_part(url, '/', 3)) AS root FROM (
        SELECT fhir_base_url AS url FROM enabled WHERE is_switched_on
        UNION ALL
        SELECT endpoint.fhir_base_url FROM server
        JOIN directory_endpoint AS endpoint ON endpoint.authorization_server_id = server.id AND endpoint.is_switched_on
        UNION ALL
        SELECT unnest(ARRAY[address.authorize_url, address.token_url]) FROM server
        JOIN directory_authorizationserver AS address ON address.id = server.id
    ) AS known
)
SELECT endpoint.* FROM host CROSS JOIN LATERAL (
    SELECT * FROM directory_endpoint AS beside
    WHERE lower(rtrim(beside.fhir_base_url, '/')) ~>=~ host.root
        AND lower(rtrim(beside.fhir_base_url, '/')) ~<~ (host.root || '0')
        AND split_part(lower(rtrim(beside.fhir_base_url, '/')), '/', 3) = split_part(host.root, '/', 3) OFFSET 0
) AS endpoint
WHERE endpoint.interface = %(interface)s AND endpoint.vanished_at IS NULL
    AND (endpoint.discovery_tried_at IS NULL OR endpoint.discovery_tried_at <= %(tried_before)s)
    AND (endpoint.discovery_fault <> '' OR endpoint.discovered_at IS NULL OR endpoint.discovered_at <= %(found_before)s)
ORDER BY endpoint.discovery_tried_at ASC NULLS FIRST, endpoint.id LIMIT %(most)s
"""


def due(*, tried_before: datetime, found_before: datetime, most: int) -> list[Endpoint]:
    """At most so many endpoints that were not tried lately and are in doubt, or were discovered long ago: the longest
    untried first. Only where there is a standing registration: made for that server, serving it, or on the same
    host."""
    wanted = {
        "over": [status.value for status in registering.OVER],
        "interface": Interface.SMART.value,
        "tried_before": tried_before,
        "found_before": found_before,
        "most": most,
    }
    return list(Endpoint.objects.raw(_DUE, wanted))
