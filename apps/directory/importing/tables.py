"""The temporary tables of an import. Rows wait in the first three until their wave is merged; the others keep what
earlier waves met until the import ends."""

# One wave of the list, as it was read; `root` is the normalized address.
WAVE = """
CREATE TEMPORARY TABLE import_provider (
    number integer, place text, directory_id text, shares_id boolean, is_spare boolean, key text, other_key text,
    part_of text, name text, plain_name text COLLATE "C", aliases varchar(200)[], kind text, city text, state text,
    postal_code text, website text, is_sandbox boolean, words varchar(60)[]
) ON COMMIT DROP;
CREATE TEMPORARY TABLE import_endpoint (
    number integer, place text, key text, other_key text, fhir_base_url text, fhir_version text, interface text,
    dialect text, states_tenant boolean, tenant text, is_sandbox boolean, states_server boolean, authorize_url text,
    token_url text, revocation_url text, root text
) ON COMMIT DROP;
CREATE TEMPORARY TABLE import_pair (
    provider integer, provider_key text, endpoint integer, endpoint_key text, is_spare boolean, name text, url text
) ON COMMIT DROP;
"""
# The result for each row of one wave. `reason` is empty for rows refused together with one that has the reason.
JUDGED = """
CREATE TEMPORARY TABLE import_first (number integer, provider_id uuid, directory_id text, is_held boolean)
    ON COMMIT DROP;
CREATE TEMPORARY TABLE import_owner (number integer, provider_id uuid) ON COMMIT DROP;
CREATE TEMPORARY TABLE import_judged (
    number integer, first integer, endpoint_id uuid, is_held boolean, held_server_id uuid, server_id uuid,
    takes_server boolean, reason text
) ON COMMIT DROP;
CREATE TEMPORARY TABLE import_revocation (server_id uuid, revocation_url text) ON COMMIT DROP;
CREATE TEMPORARY TABLE import_wanted (provider_id uuid, endpoint_id uuid, name text, url text) ON COMMIT DROP;
"""
# For the whole import.
MEMORY = """
CREATE TEMPORARY TABLE import_inactive (key text) ON COMMIT DROP;
CREATE TEMPORARY TABLE import_listed (directory_id text PRIMARY KEY) ON COMMIT DROP;
CREATE TEMPORARY TABLE import_kept (directory_id text) ON COMMIT DROP;
CREATE TEMPORARY TABLE import_met (endpoint_id uuid PRIMARY KEY) ON COMMIT DROP;
CREATE TEMPORARY TABLE import_refusal (number integer GENERATED ALWAYS AS IDENTITY, place text, reason text)
    ON COMMIT DROP;
CREATE TEMPORARY TABLE import_left (provider_id uuid, endpoint_id uuid) ON COMMIT DROP;
CREATE TEMPORARY TABLE import_site (provider_id uuid, place text, system text, words varchar(60)[]) ON COMMIT DROP;
CREATE TEMPORARY TABLE import_moved (endpoint_id uuid, server_id uuid) ON COMMIT DROP;
CREATE TEMPORARY TABLE import_parted (endpoint_id uuid, server_id uuid) ON COMMIT DROP;
CREATE TEMPORARY TABLE import_relied (server_id uuid, is_standing boolean, is_own boolean) ON COMMIT DROP;
CREATE TEMPORARY TABLE import_published (number integer, name text, url text, file_name text) ON COMMIT DROP;
"""
NEXT_WAVE = """
TRUNCATE import_provider, import_endpoint, import_pair, import_first, import_owner, import_judged, import_wanted,
    import_revocation
"""
# Until autovacuum looks for itself, a sample of some thousand rows will do. It does not see what is not committed yet:
# of tables that are being filled it says that they have pages without rows.
ANALYZE = """
SET LOCAL default_statistics_target = 20;
ANALYZE directory_provider, directory_endpoint, directory_authorizationserver, directory_providerportal, import_listed,
    import_kept, import_met, import_left;
SET LOCAL default_statistics_target TO DEFAULT
"""
# Another import may follow in the same transaction.
DROP = """
DROP TABLE IF EXISTS import_provider, import_endpoint, import_pair, import_first, import_owner, import_judged,
    import_revocation, import_wanted, import_inactive, import_listed, import_kept, import_met, import_refusal,
    import_left, import_site, import_moved, import_parted, import_relied, import_published, import_system,
    import_circle, import_found, import_gone, import_orphaned
"""
