"""SQL for the providers of one wave: which rows are the same provider, which are new, and storing changes.

Statements in order; each takes the parameters of `waves`. A wave is small and the tables are large, but the planner
knows neither: LATERAL with LIMIT 1 makes it look up each row by an index.
"""

# -- Only if rows refer to each other by keys, so that everything must be there: the whole list is one wave.

# Organizations that share an id are distinguished by their names.
TELL_APART = """
UPDATE import_provider AS row SET directory_id = CASE
    WHEN length(row.directory_id) + length(row.name) < 200 THEN row.directory_id || ' ' || row.name
    ELSE left(row.directory_id, 100) || ' ' || encode(sha256(convert_to(row.directory_id || row.name, 'UTF8')), 'hex')
END
FROM (
    SELECT directory_id FROM import_provider WHERE shares_id GROUP BY directory_id HAVING count(DISTINCT name) > 1
) AS shared
WHERE row.shares_id AND row.directory_id = shared.directory_id
"""
RESOLVE_PROVIDERS = """
UPDATE import_pair AS pair SET provider = named.number
FROM (
    SELECT key, min(number) AS number FROM (
        SELECT key, number FROM import_provider UNION ALL SELECT other_key, number FROM import_provider
    ) AS keys WHERE key <> '' GROUP BY key
) AS named
WHERE pair.provider = 0 AND pair.provider_key = named.key
"""
RESOLVE_ENDPOINTS = """
UPDATE import_pair AS pair SET endpoint = named.number
FROM (
    SELECT key, min(number) AS number FROM (
        SELECT key, number FROM import_endpoint UNION ALL SELECT other_key, number FROM import_endpoint
    ) AS keys WHERE key <> '' GROUP BY key
) AS named
WHERE pair.endpoint = 0 AND pair.endpoint_key = named.key
"""
DROP_INACTIVE = """
DELETE FROM import_pair AS pair USING import_inactive AS inactive
WHERE inactive.key IN (pair.endpoint_key, pair.provider_key)
"""
# Stand-ins for organizations are dropped if the list has the organization.
DROP_SPARE = """
DELETE FROM import_provider AS spare USING import_pair AS pair
WHERE spare.is_spare AND pair.provider = spare.number AND pair.endpoint_key IN (
    SELECT endpoint_key FROM import_pair WHERE NOT is_spare AND provider > 0
)
"""
RESOLVE_SYSTEMS = """
UPDATE import_provider AS site SET part_of = system.directory_id
FROM import_provider AS system
WHERE site.part_of <> '' AND site.part_of IN (system.key, system.other_key)
"""
FORGET_SYSTEMS = """
UPDATE import_provider AS site SET part_of = '' WHERE part_of <> '' AND NOT EXISTS (
    SELECT FROM import_provider AS system WHERE system.directory_id = site.part_of
)
"""
WHOLE_LIST = (
    TELL_APART, RESOLVE_PROVIDERS, RESOLVE_ENDPOINTS, DROP_INACTIVE, DROP_SPARE, RESOLVE_SYSTEMS, FORGET_SYSTEMS
)  # fmt: skip

# -- For each wave.

FIRST = """
INSERT INTO import_first (number, provider_id, directory_id, is_held)
SELECT first.number, coalesce(held.id, (%(provider_ids)s || lpad(to_hex(first.number), 8, '0'))::uuid),
    first.directory_id, held.id IS NOT NULL
FROM (SELECT directory_id, min(number) AS number FROM import_provider GROUP BY directory_id) AS first
LEFT JOIN LATERAL (
    SELECT id FROM directory_provider WHERE directory = %(directory)s AND directory_id = first.directory_id LIMIT 1
) AS held ON true
LEFT JOIN LATERAL (
    SELECT true AS it_was FROM import_listed AS listed WHERE listed.directory_id = first.directory_id LIMIT 1
) AS before ON true
WHERE before.it_was IS NULL
"""
OWNERS = """
INSERT INTO import_owner (number, provider_id)
SELECT row.number, first.provider_id FROM import_provider AS row JOIN import_first AS first USING (directory_id)
WHERE row.shares_id OR row.number = first.number
"""
REFUSE = """
INSERT INTO import_refusal (place, reason)
SELECT row.place, 'its id is that of an earlier row' FROM import_provider AS row
WHERE NOT EXISTS (SELECT FROM import_owner AS owner WHERE owner.number = row.number) ORDER BY row.number
"""
# A site's words include those of its system, which may be in another wave: `sites` handles both.
CHANGE = """
UPDATE directory_provider AS held SET
    name = row.name, plain_name = row.plain_name, aliases = row.aliases, kind = row.kind, city = row.city,
    state = row.state, postal_code = row.postal_code, website = row.website, is_sandbox = row.is_sandbox,
    words = CASE WHEN row.part_of = '' THEN row.words ELSE held.words END,
    part_of_id = CASE WHEN row.part_of = '' THEN NULL ELSE held.part_of_id END,
    imported_at = %(at)s, vanished_at = NULL
FROM import_first AS first JOIN import_provider AS row USING (number)
WHERE first.is_held AND held.id = first.provider_id AND (
    held.name <> row.name OR held.plain_name <> row.plain_name OR held.aliases <> row.aliases OR held.kind <> row.kind
    OR held.city <> row.city OR held.state <> row.state OR held.postal_code <> row.postal_code
    OR held.website <> row.website OR held.is_sandbox <> row.is_sandbox OR held.vanished_at IS NOT NULL
    OR (row.part_of = '' AND (held.words <> row.words OR held.part_of_id IS NOT NULL))
)
"""
ADD = """
INSERT INTO directory_provider (
    id, directory, directory_id, name, plain_name, aliases, kind, city, state, postal_code, website, is_sandbox, words,
    imported_at
)
SELECT first.provider_id, %(directory)s, first.directory_id, row.name, row.plain_name, row.aliases, row.kind, row.city,
    row.state, row.postal_code, row.website, row.is_sandbox, row.words, %(at)s
FROM import_first AS first JOIN import_provider AS row USING (number) WHERE NOT first.is_held
"""
SITES = """
INSERT INTO import_site (provider_id, place, system, words)
SELECT first.provider_id, row.place, row.part_of, row.words
FROM import_first AS first JOIN import_provider AS row USING (number) WHERE row.part_of <> ''
"""
REMEMBER = "INSERT INTO import_listed (directory_id) SELECT directory_id FROM import_first"
