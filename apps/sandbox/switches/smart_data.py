"""The switches and scenarios of interface B's FHIR roots: discovery, data, and how they say no (interface facts 3)."""

from apps.sandbox.switches.scenario import Scenario
from apps.sandbox.switches.switch import Switch

SMART_DATA_SWITCHES: dict[str, Switch] = {
    "root_path": Switch(
        ("usual", "deep"), "usual", "Where roots of interface B are: at the tenant, or three segments below it."
    ),
    # Section 3.3: DSTU2 roots have metadata only; other servers answer unknown well-known addresses with 401 or a page.
    "well_known": Switch(
        ("present", "absent", "unauthorized", "forbidden", "html"),
        "present",
        "The SMART configuration below a root; without one: 404, 401, 403, or a web page with 200.",
    ),
    # Section 3.2.
    "oauth_uris": Switch(
        ("present", "absent"), "present", "Whether metadata of interface B has the oauth-uris extension."
    ),
    "oauth_uris_order": Switch(
        ("token-first", "authorize-first", "manage-first"), "token-first", "In which order its addresses stand."
    ),
    "oauth_uris_url": Switch(
        ("proper", "upper-case", "mangled"),
        "proper",
        "How the extension is named: as registered; with an upper-case FHIR; with a path inserted.",
    ),
    "discovery_agreement": Switch(
        ("agree", "older-token", "foreign-metadata", "foreign-configuration"),
        "agree",
        "Where metadata and the SMART configuration differ: metadata names the older token address, or one of the two "
        "names addresses on another host.",
    ),
    "discovered_addresses": Switch(
        ("absolute", "from-host", "from-root"),
        "absolute",
        "How both write addresses: whole, from the host on, or relative to the root (../../../).",
    ),
    # Section 3.12: plain text where a patient is missing, and unknown parameters are refused.
    "smart_required_parameters": Switch(
        ("b-like", "a-like", "lenient", "status-demanded"), "b-like", "What searches of interface B need."
    ),
    "smart_optional_parameters": Switch(
        ("understood", "refused"),
        "understood",
        "refused: interface B answers 400 to _count, _lastUpdated, _revinclude, _include, _sort and _format.",
    ),
    "smart_patient_search": Switch(
        ("refused", "bundle", "patient"), "refused", "What GET Patient of interface B answers where it names nobody."
    ),
    "smart_page_size": Switch(
        ("50", "1", "5", "10", "25", "100", "250"), "50", "Rows of a page of interface B when _count says nothing."
    ),
    "smart_content_type": Switch(
        ("fhir", "plain", "charset", "asked"),
        "fhir",
        "The media type of interface B's answers: the version's own, application/json, the version's own with a "
        "charset, or the one asked for.",
    ),
    # Section 5.5: bodies of refusals are plain text or empty at some.
    "smart_refusals": Switch(
        ("with-code", "text-or-empty", "plain-text", "empty", "html", "no-code", "stack-trace"),
        "with-code",
        "The body of a refusal of interface B: an OperationOutcome; text-or-empty 401 and 404 in plain text, the rest "
        "without anything; or one form for all.",
    ),
    # X52.
    "latency_seconds": Switch(
        ("0", "35", "600"), "0", "A token is looked at as if the request had been so long on its way. Nobody waits."
    ),
    # Section 3.12: scopes granted, and access refused all the same.
    "withheld_type": Switch(
        ("none", "Coverage", "DocumentReference", "Observation"),
        "none",
        "Interface B answers 403 for this type, whatever was granted.",
    ),
}

SMART_DATA_SCENARIOS: dict[str, Scenario] = {
    "metadata-alone": Scenario("There is no SMART configuration.", {"well_known": "absent"}),
    "no-discovery": Scenario(
        "Neither document says where to sign in.", {"well_known": "absent", "oauth_uris": "absent"}
    ),
    "discovery-disagrees": Scenario(
        "Metadata names another token address than the SMART configuration.", {"discovery_agreement": "older-token"}
    ),
    "discovery-leads-away": Scenario(
        "Metadata names addresses on another host.", {"discovery_agreement": "foreign-metadata"}
    ),
    "odd-oauth-uris": Scenario(
        "The extension is oddly spelled, and in another order.",
        {"well_known": "absent", "oauth_uris_url": "upper-case", "oauth_uris_order": "manage-first"},
    ),
    "relative-addresses": Scenario(
        "Both documents give addresses relative to the root.", {"discovered_addresses": "from-root"}
    ),
    "plain-json": Scenario("Interface B answers as application/json.", {"smart_content_type": "plain"}),
    "bare-refusals": Scenario(
        "Interface B refuses with plain text (401, 404) or nothing.", {"smart_refusals": "text-or-empty"}
    ),
    "strict-searches": Scenario(
        "Interface B refuses every parameter a search can do without.", {"smart_optional_parameters": "refused"}
    ),
    "late-tokens": Scenario("Tokens are on their way for 35 seconds.", {"latency_seconds": "35"}),
    "type-withheld": Scenario("Coverage is refused whatever was granted.", {"withheld_type": "Coverage"}),
}
