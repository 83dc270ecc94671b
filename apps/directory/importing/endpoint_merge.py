"""SQL for the accepted endpoints of one wave, their authorization servers, and their providers.

Statements in order; each takes the parameters of `waves`. Unchanged rows are not written.
"""

# The revocation address follows the list, unless the server said it itself or another directory lists it too. Of
# servers that were there before: others have it of the list already.
FIND_REVOCATIONS = """
WITH differing AS MATERIALIZED (
    SELECT stated.* FROM (
        SELECT DISTINCT ON (judged.server_id) judged.server_id, row.revocation_url
        FROM import_judged AS judged JOIN import_endpoint AS row USING (number)
        WHERE judged.reason IS NULL AND judged.takes_server AND judged.server_id IS NOT NULL
        ORDER BY judged.server_id, row.number
    ) AS stated, LATERAL (
        SELECT true FROM directory_authorizationserver AS known
        WHERE known.id = stated.server_id AND known.source = 'configured'
            AND known.revocation_url <> stated.revocation_url LIMIT 1
    ) AS differs
)
INSERT INTO import_revocation (server_id, revocation_url)
SELECT differing.server_id, differing.revocation_url FROM differing
LEFT JOIN LATERAL (
    SELECT true AS it_is FROM directory_endpoint AS endpoint, LATERAL (
        SELECT provider_id FROM directory_providerportal WHERE endpoint_id = endpoint.id OFFSET 0
    ) AS portal, LATERAL (
        SELECT directory, vanished_at FROM directory_provider WHERE id = portal.provider_id OFFSET 0
    ) AS provider
    WHERE endpoint.authorization_server_id = differing.server_id AND provider.directory <> %(directory)s
        AND provider.vanished_at IS NULL
    LIMIT 1
) AS elsewhere ON true
WHERE elsewhere.it_is IS NULL
"""
CHANGE_REVOCATIONS = """
UPDATE directory_authorizationserver AS server SET revocation_url = stated.revocation_url
FROM import_revocation AS stated WHERE server.id = stated.server_id
"""
ADD_SERVERS = """
WITH added AS (
    INSERT INTO directory_authorizationserver (
        id, source, authorize_url, token_url, revocation_url, introspection_url, management_url, jwks_url, issuer,
        id_token_issuers, names_issuer, capabilities, scopes_supported, is_sandbox, found_at
    )
    SELECT (%(server_ids)s || lpad(to_hex(number), 8, '0'))::uuid, 'configured', authorize_url, token_url,
        revocation_url, '', '', '', '', '{}', false, '{}', '{}', is_sandbox, %(at)s
    FROM (
        SELECT DISTINCT ON (row.authorize_url, row.token_url) row.*
        FROM import_judged AS judged JOIN import_endpoint AS row USING (number)
        WHERE judged.reason IS NULL AND judged.takes_server AND judged.server_id IS NULL AND row.authorize_url <> ''
        ORDER BY row.authorize_url, row.token_url, row.number
    ) AS stated
    ON CONFLICT (authorize_url, token_url) DO NOTHING
    RETURNING id, authorize_url, token_url
)
UPDATE import_judged AS judged SET server_id = added.id
FROM added JOIN import_endpoint AS row USING (authorize_url, token_url)
WHERE row.number = judged.number AND judged.takes_server AND judged.server_id IS NULL
"""
# Including those that somebody else added meanwhile.
FIND_SERVERS = """
UPDATE import_judged AS judged SET server_id = server.id
FROM import_endpoint AS row, LATERAL (
    SELECT id FROM directory_authorizationserver
    WHERE authorize_url = row.authorize_url AND token_url = row.token_url LIMIT 1
) AS server
WHERE row.number = judged.number AND judged.takes_server AND judged.server_id IS NULL AND row.authorize_url <> ''
"""
# Discovery may have paired an endpoint in the meantime: then it stays as discovery left it.
CHANGE_ENDPOINTS = """
UPDATE directory_endpoint AS held SET
    fhir_version = row.fhir_version, interface = row.interface, dialect = row.dialect,
    tenant = CASE WHEN row.states_tenant THEN row.tenant ELSE held.tenant END,
    authorization_server_id = judged.server_id, imported_at = %(at)s, vanished_at = NULL
FROM import_judged AS judged JOIN import_endpoint AS row USING (number)
WHERE judged.reason IS NULL AND judged.is_held AND judged.number = judged.first AND held.id = judged.endpoint_id
    AND held.authorization_server_id IS NOT DISTINCT FROM judged.held_server_id AND (
        held.fhir_version <> row.fhir_version OR held.interface <> row.interface OR held.dialect <> row.dialect
        OR (row.states_tenant AND held.tenant <> row.tenant) OR held.vanished_at IS NOT NULL
        OR held.authorization_server_id IS DISTINCT FROM judged.server_id
    )
"""
ADD_ENDPOINTS = """
INSERT INTO directory_endpoint (
    id, authorization_server_id, fhir_base_url, fhir_version, interface, dialect, tenant, is_sandbox, is_switched_on,
    discovery_fault, disagreements, imported_at
)
SELECT judged.endpoint_id, judged.server_id, row.fhir_base_url, row.fhir_version, row.interface, row.dialect,
    row.tenant, row.is_sandbox, true, '', '{}', %(at)s
FROM import_judged AS judged JOIN import_endpoint AS row USING (number)
WHERE judged.reason IS NULL AND NOT judged.is_held AND judged.number = judged.first
"""
REMEMBER = """
INSERT INTO import_met (endpoint_id)
SELECT endpoint_id FROM import_judged WHERE reason IS NULL AND number = first ON CONFLICT DO NOTHING
"""
# Endpoints that are now paired with a server that patients trust: `strangers` examines them.
MOVED = """
INSERT INTO import_moved (endpoint_id, server_id)
SELECT judged.endpoint_id, judged.server_id FROM import_judged AS judged JOIN import_relied USING (server_id)
WHERE is_standing AND judged.reason IS NULL AND judged.number = judged.first
    AND judged.server_id IS DISTINCT FROM judged.held_server_id
"""
# Endpoints that left one, or one where all registrations are over, for a server where none stands that was made there.
PARTED = """
INSERT INTO import_parted (endpoint_id, server_id)
SELECT judged.endpoint_id, judged.held_server_id FROM import_judged AS judged
JOIN import_relied AS before ON before.server_id = judged.held_server_id
WHERE judged.reason IS NULL AND judged.number = judged.first
    AND judged.server_id IS DISTINCT FROM judged.held_server_id
    AND NOT EXISTS (SELECT FROM import_relied WHERE server_id = judged.server_id AND is_own)
"""
WANTED = """
INSERT INTO import_wanted (provider_id, endpoint_id, name, url)
SELECT DISTINCT ON (owner.provider_id, first.endpoint_id) owner.provider_id, first.endpoint_id, pair.name, pair.url
FROM import_pair AS pair
JOIN import_owner AS owner ON owner.number = pair.provider
JOIN import_judged AS judged ON judged.number = pair.endpoint AND judged.reason IS NULL
JOIN import_judged AS first ON first.number = judged.first
ORDER BY owner.provider_id, first.endpoint_id, pair.name = '', pair.provider, pair.endpoint
"""
CHANGE_PORTALS = """
UPDATE directory_providerportal AS held SET name = wanted.name, url = wanted.url
FROM import_wanted AS wanted, LATERAL (
    SELECT id FROM directory_providerportal AS known
    WHERE known.provider_id = wanted.provider_id AND known.endpoint_id = wanted.endpoint_id
        AND (known.name <> wanted.name OR known.url <> wanted.url)
    LIMIT 1
) AS differing
WHERE held.id = differing.id
"""
ADD_PORTALS = """
INSERT INTO directory_providerportal (provider_id, endpoint_id, name, url)
SELECT provider_id, endpoint_id, name, url FROM import_wanted ON CONFLICT (provider_id, endpoint_id) DO NOTHING
"""
# Endpoints that a provider no longer has, unless one of its rows was refused: that may be the missing one.
LEFT = """
WITH incomplete AS MATERIALIZED (
    SELECT DISTINCT owner.provider_id FROM import_pair AS pair
    JOIN import_owner AS owner ON owner.number = pair.provider
    LEFT JOIN import_judged AS judged ON judged.number = pair.endpoint AND judged.reason IS NULL
    WHERE judged.number IS NULL
), held AS MATERIALIZED (
    SELECT first.provider_id, portal.endpoint_id FROM import_first AS first, LATERAL (
        SELECT endpoint_id FROM directory_providerportal WHERE provider_id = first.provider_id OFFSET 0
    ) AS portal
    WHERE first.is_held
)
INSERT INTO import_left (provider_id, endpoint_id)
SELECT provider_id, endpoint_id FROM held
WHERE (provider_id, endpoint_id) NOT IN (SELECT provider_id, endpoint_id FROM import_wanted)
    AND provider_id NOT IN (TABLE incomplete)
"""
