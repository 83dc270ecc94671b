"""The switches and scenarios of interface B's authorization server. X rows and sections: those of the interface facts.

It also follows these of `authorization`: code_seconds, token_type_case, expires_in_form, token_size, refresh_token,
refresh_tokens, access_tokens, token_error_form, state_echo, pkce, authorize_error, rotation, rotation_grace and
rotation_reuse.
"""

from apps.sandbox.switches.scenario import Scenario
from apps.sandbox.switches.switch import Switch

SMART_SWITCHES: dict[str, Switch] = {
    # Section 10 row 11: the specification demands a state, and answers with one "only if sent". Some want 122 bits.
    "state": Switch(
        ("required", "optional", "at-least-16"), "required", "Whether interface B needs a state, and how long a one."
    ),
    # X33: the specification says "audience", live servers `aud`, RFC 8707 `resource`.
    "aud_alias": Switch(
        ("audience", "off", "on"),
        "audience",
        "Other names of `aud`: `audience`, which is what the specification calls it; off: none; on: `resource` too.",
    ),
    # Section 3.4: directory entries end with a slash that many applications leave out.
    "aud_slash": Switch(
        ("ignored", "matters"), "ignored", "matters: `aud` is the root as metadata writes it, with its closing slash."
    ),
    # X53, section 3.8: the version of an application is fixed at its registration; some servers take both.
    "scope_grammar": Switch(
        ("registered", "both"), "registered", "Which scopes are understood: those of the registered version, or all."
    ),
    # X30: hosts-form addresses came in 2025; the older form stands in old documents.
    "token_path": Switch(("hosts", "older"), "hosts", "Whether the token address of interface B has its host in it."),
    # Specification 4.2 rule 1: addresses are taken from discovery each time. To another host nobody follows by itself.
    "token_host": Switch(
        ("own", "moved", "moved-and-gone"),
        "own",
        "Where tokens of interface B are given, taken back and looked into: here; under this machine's other name, "
        "which every root announces from then on, and here too; or there alone (404 here).",
    ),
    # X47, specification section 8.
    "refresh_throttle": Switch(("off", "on"), "off", "on: a second refresh within a minute is answered 429."),
    # Section 3.6: standalone answers were seen without it, and clients then look at the ID token.
    "launch_patient": Switch(("told", "kept-back"), "told", "kept-back: token answers do not say whose record it is."),
    # OpenID Connect Core section 11.
    "offline_consent": Switch(
        ("as-asked", "with-prompt"), "as-asked", "with-prompt: offline_access is given only with `prompt=consent`."
    ),
    # X42, specification 8: less than ten minutes.
    "smart_access_seconds": Switch(
        ("600", "300", "90"),
        "600",
        "Under how many seconds an access token of interface B works; half a minute less is told.",
    ),
    # Specification section 3 ends it when expires_in has passed; section 3.6: one that was told 570 worked for 600.
    "smart_access_end": Switch(
        ("as-told", "later"),
        "as-told",
        "later: an access token of interface B works for half a minute longer than told.",
    ),
    # X48: "inactivity" is a risk mechanism of the server; its length is nobody's business but its own.
    "session_minutes": Switch(("30", "5"), "30", "How long online access outlives the last use of it."),
    # RFC 6749 section 4.1.3 demands it where it was sent before; specification S3 does not list it.
    "token_redirect_uri": Switch(
        ("optional", "required"), "optional", "Whether a code exchange of interface B must repeat the redirect address."
    ),
}

SMART_SCENARIOS: dict[str, Scenario] = {
    "long-state": Scenario("A state of at least 16 characters is needed.", {"state": "at-least-16"}),
    "pkce-needed": Scenario("Nothing is allowed without a code challenge.", {"pkce": "required"}),
    "slashes-matter": Scenario("The closing slash of `aud` counts.", {"aud_slash": "matters"}),
    "older-token-address": Scenario("The token address has no host in it.", {"token_path": "older"}),
    "tokens-moved": Scenario("Tokens are given under another host, and for now here too.", {"token_host": "moved"}),
    "tokens-moved-away": Scenario(
        "Tokens are given under another host alone: the old address is gone.", {"token_host": "moved-and-gone"}
    ),
    "refresh-throttled": Scenario("A second refresh within a minute: 429.", {"refresh_throttle": "on"}),
    "patient-kept-back": Scenario("Token answers do not say whose record it is.", {"launch_patient": "kept-back"}),
    "offline-needs-prompt": Scenario("offline_access needs prompt=consent.", {"offline_consent": "with-prompt"}),
    "tokens-outlive-their-word": Scenario(
        "Access tokens work for half a minute longer than they are said to.", {"smart_access_end": "later"}
    ),
    "short-sessions": Scenario("Online access ends after five idle minutes.", {"session_minutes": "5"}),
}
