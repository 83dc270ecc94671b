"""SQL for the endpoints of one wave: which rows are the same endpoint, what we already have, and why rows are refused.

Statements in order. A file cannot change endpoints that others list too, nor the reverse.
"""

# An address in its normalized form: `reading.addressing.root` in SQL. The index `endpoint_alike` finds candidates.
_ALIKE = "lower(rtrim({url}, '/'))"
_HOST_ENDS = "length(split_part({url}, '/', 1)) + 2 + length(split_part({url}, '/', 3))"
_ROOT = f"lower(left({{url}}, {_HOST_ENDS})) || regexp_replace(substr({{url}}, {_HOST_ENDS} + 1), '/$', '')"

# Rows that name no provider, or one that was refused, are dropped.
NOBODYS = """
INSERT INTO import_refusal (place, reason)
SELECT row.place, 'nobody says whose it is' FROM import_endpoint AS row
WHERE NOT EXISTS (SELECT FROM import_pair AS pair WHERE pair.endpoint = row.number AND pair.provider > 0)
ORDER BY row.number
"""
DROP_NOBODYS = """
DELETE FROM import_endpoint AS row WHERE NOT EXISTS (
    SELECT FROM import_pair AS pair JOIN import_owner AS owner ON owner.number = pair.provider
    WHERE pair.endpoint = row.number
)
"""
# `takes_server`: the authorization server becomes the one that the row states, or none. No file changes what the SMART
# deployment itself said, and what a row does not state stays.
JUDGE = f"""
INSERT INTO import_judged (number, first, endpoint_id, is_held, held_server_id, server_id, takes_server, reason)
SELECT row.number, first.number,
    coalesce(held.id, (%(endpoint_ids)s || lpad(to_hex(first.number), 8, '0'))::uuid), held.id IS NOT NULL,
    held.authorization_server_id, CASE WHEN takes.server THEN stated.id ELSE held.authorization_server_id END,
    takes.server,
    CASE
        WHEN first.is_sandbox <> row.is_sandbox OR held.is_sandbox <> row.is_sandbox
            THEN 'a sandbox row and a production row name the same endpoint'
        WHEN (
            row.fhir_version, row.interface, row.dialect, row.states_tenant, row.tenant, row.states_server,
            row.authorize_url, row.token_url
        ) <> (
            first.fhir_version, first.interface, first.dialect, first.states_tenant, first.tenant, first.states_server,
            first.authorize_url, first.token_url
        ) OR (differs.it_does AND (SELECT true FROM import_met WHERE endpoint_id = held.id LIMIT 1))
            THEN 'an earlier row describes the same endpoint differently'
        WHEN differs.it_does AND (
            SELECT true FROM directory_providerportal AS portal, LATERAL (
                SELECT directory, vanished_at FROM directory_provider WHERE id = portal.provider_id OFFSET 0
            ) AS provider
            WHERE portal.endpoint_id = held.id AND provider.directory <> %(directory)s AND provider.vanished_at IS NULL
            LIMIT 1
        ) THEN 'another directory describes the same endpoint differently'
        WHEN takes.server AND stated.is_sandbox <> row.is_sandbox
            THEN 'sandbox and production cannot be mixed: endpoint and authorization server differ'
    END
FROM import_endpoint AS row
JOIN (SELECT root, min(number) AS number FROM import_endpoint GROUP BY root) AS roots USING (root)
JOIN import_endpoint AS first ON first.number = roots.number
LEFT JOIN LATERAL (
    SELECT endpoint.* FROM directory_endpoint AS endpoint
    WHERE {_ALIKE.format(url="endpoint.fhir_base_url")} = {_ALIKE.format(url="row.fhir_base_url")}
        AND {_ROOT.format(url="endpoint.fhir_base_url")} = row.root
    ORDER BY endpoint.fhir_base_url <> row.fhir_base_url, endpoint.id LIMIT 1
) AS held ON true
LEFT JOIN LATERAL (
    SELECT authorize_url, token_url FROM directory_authorizationserver WHERE id = held.authorization_server_id LIMIT 1
) AS held_server ON true
LEFT JOIN LATERAL (
    SELECT server.id, server.is_sandbox FROM directory_authorizationserver AS server
    WHERE row.authorize_url <> '' AND server.authorize_url = row.authorize_url AND server.token_url = row.token_url
    LIMIT 1
) AS stated ON true
CROSS JOIN LATERAL (
    SELECT row.states_server AND NOT coalesce(
        row.interface = 'smart' AND held.interface = 'smart' AND held.authorization_server_id IS NOT NULL, false
    ) AS server
) AS takes
CROSS JOIN LATERAL (
    SELECT coalesce(
        held.fhir_version <> row.fhir_version OR held.interface <> row.interface OR held.dialect <> row.dialect
        OR (row.states_tenant AND held.tenant <> row.tenant)
        OR (takes.server AND (coalesce(held_server.authorize_url, ''), coalesce(held_server.token_url, ''))
            <> (row.authorize_url, row.token_url)), false
    ) AS it_does
) AS differs
"""  # noqa: S608 # nosec B608 - of constants
# Specification 4.1 rule 1: each version has its own authentication base address. The first row of a server counts.
REFUSE_CROSSING = """
WITH stated AS MATERIALIZED (
    SELECT judged.number, judged.endpoint_id, judged.server_id, row.interface, row.fhir_version,
        first_value(row.fhir_version) OVER (PARTITION BY row.authorize_url, row.token_url ORDER BY row.number) AS first
    FROM import_endpoint AS row JOIN import_judged AS judged USING (number)
    WHERE judged.reason IS NULL AND judged.takes_server AND row.authorize_url <> ''
), held AS MATERIALIZED (
    SELECT server.server_id, version.* FROM (SELECT DISTINCT server_id FROM stated) AS server, LATERAL (
        SELECT fhir_version, count(*) AS endpoints, min(id::text)::uuid AS one_id FROM directory_endpoint
        WHERE authorization_server_id = server.server_id AND vanished_at IS NULL GROUP BY fhir_version
    ) AS version
), crossing AS MATERIALIZED (
    SELECT stated.number FROM stated WHERE stated.interface = 'patient-access' AND stated.fhir_version <> stated.first
    UNION
    SELECT stated.number FROM stated JOIN held USING (server_id)
    WHERE stated.interface = 'patient-access' AND held.fhir_version <> stated.fhir_version
        AND (held.endpoints > 1 OR held.one_id <> stated.endpoint_id)
)
UPDATE import_judged AS judged SET reason = 'its authorization server belongs to the other FHIR version'
FROM crossing WHERE judged.number = crossing.number
"""
REFUSE = """
INSERT INTO import_refusal (place, reason)
SELECT row.place, judged.reason FROM import_judged AS judged JOIN import_endpoint AS row USING (number)
WHERE judged.reason IS NOT NULL ORDER BY row.number
"""
# Whoever lists an endpoint for one provider twice learns of it; the row before is kept, and the provider lacks nothing.
# Several providers of one endpoint, and several sign-ins of one provider at it, are no such rows.
REFUSE_REPEATED = """
WITH named AS MATERIALIZED (
    SELECT pair.endpoint AS number, owner.provider_id, judged.first, pair.name, pair.url
    FROM import_judged AS judged
    JOIN import_pair AS pair ON pair.endpoint = judged.number
    JOIN import_owner AS owner ON owner.number = pair.provider
    WHERE judged.reason IS NULL AND judged.first IN (SELECT first FROM import_judged WHERE number <> first)
), told AS (
    SELECT number, number > min(number) OVER (PARTITION BY provider_id, first, name, url) AS is_again FROM named
)
INSERT INTO import_refusal (place, reason)
SELECT row.place, 'an earlier row lists the same endpoint for the same provider'
FROM (SELECT number FROM told GROUP BY number HAVING bool_and(is_again)) AS again JOIN import_endpoint AS row
USING (number) ORDER BY row.number
"""
