"""The switches and scenarios of interface B's ID tokens, keys, errors, issuers and organizations.

The values of `id_token_claims` and `id_token_form` are the rows of `smart/identity/wrong_claims.py` and
`wrong_forms.py`; a test compares them.
"""

from apps.sandbox.switches.scenario import Scenario
from apps.sandbox.switches.switch import Switch

WRONG_CLAIMS = (
    *("issuer-missing", "issuer-foreign", "issuer-without-slash", "issuer-in-capitals", "issuer-of-the-configuration"),
    *("issuer-of-access-tokens", "issuer-of-another-tenant"),
    *("audience-missing", "audience-foreign", "audience-empty", "audience-of-others", "audience-longer"),
    *("audience-number", "party-missing", "party-foreign", "party-foreign-among-several"),
    *("expired", "expiry-missing", "expiry-text"),
    *("issued-in-future", "issued-long-ago", "issued-missing", "issued-text", "not-yet"),
    *("nonce-wrong", "nonce-missing", "nonce-empty"),
    *("subject-missing", "subject-empty", "subject-number", "subject-too-long"),
)
WRONG_FORMS = (
    *("alg-none", "alg-none-in-capitals", "hs256-with-public-key", "rs384", "ps256", "es256"),
    *("signature-altered", "signature-missing", "payload-altered"),
    *("key-foreign", "key-embedded", "key-elsewhere", "key-retired"),
    *("kid-unknown", "kid-missing", "kid-of-another-key", "kid-of-an-ec-key", "critical-header"),
    *("payload-text", "payload-list", "not-a-jwt", "five-parts", "cut", "empty"),
)

SMART_IDENTITY_SWITCHES: dict[str, Switch] = {
    "id_token": Switch(("as-granted", "never"), "as-granted", "Whether an ID token comes where openid was granted."),
    "id_token_audience": Switch(
        ("one", "list-of-one", "several"), "one", "How the ID token names its audience; several come with azp. Lawful."
    ),
    # Interface facts 3.6: absolute or relative, five types; a RelatedPerson or Person is a proxy.
    "fhir_user": Switch(
        (
            *("absolute", "relative", "profile-claim", "absent", "foreign-root"),
            *("Practitioner", "PractitionerRole", "RelatedPerson", "Person"),
        ),
        "absolute",
        "How the ID token says who signed in: usual, relative, in the older profile claim, not at all, at another "
        "root, or as a resource of this type.",
    ),
    "id_token_claims": Switch(("right", *WRONG_CLAIMS), "right", "What an ID token says wrongly, signed well."),
    "id_token_form": Switch(("right", *WRONG_FORMS), "right", "How an ID token is signed wrongly, or is none."),
    "jwks": Switch(
        ("whole", "without-newest", "doubled", "empty", "html", "down"),
        "whole",
        "The key set: whole; without the keys that sign now; every id twice with different keys; no keys; a page; 503.",
    ),
    "openid_configuration": Switch(
        ("right", "absent", "foreign-issuer", "foreign-keys", "html"),
        "right",
        "The document at the ID token's issuer: it may be missing, name another issuer, or keys on another host.",
    ),
    "error_uri": Switch(("on", "off", "foreign-host"), "on", "Errors of interface B name a page that explains them."),
    # RFC 9207. Facts section 11: never seen at one kind of server, demanded by others.
    "issuer_in_answers": Switch(
        ("off", "on", "wrong", "announced-only", "unannounced"),
        "off",
        "Authorization answers of interface B carry iss: on and wrong announce it in the SMART configuration, "
        "announced-only promises it and does not send it, unannounced sends it without a promise.",
    ),
    "launch_encounter": Switch(
        ("as-chosen", "never"), "as-chosen", "Whether a launch from the portal tells which visit was open."
    ),
    "introspection": Switch(("on", "off"), "on", "off: there is no introspection endpoint (404)."),
    # Specification section 1.6; X60.
    "not_enabled": Switch(
        ("unauthorized-client", "error-page", "forbidden-at-data"),
        "unauthorized-client",
        "What an application meets that the organization has not enabled: sent back from sign-in, stopped there with a "
        "page, or let through and refused (403) by every data route.",
    ),
}

SMART_IDENTITY_SCENARIOS: dict[str, Scenario] = {
    "unsigned-id-token": Scenario("ID tokens come without a signature.", {"id_token_form": "alg-none"}),
    "foreign-id-token": Scenario("ID tokens are signed by a stranger.", {"id_token_form": "key-foreign"}),
    "id-token-for-another": Scenario("ID tokens are for another application.", {"id_token_claims": "audience-foreign"}),
    "stale-id-token": Scenario("ID tokens have expired.", {"id_token_claims": "expired"}),
    "replayed-id-token": Scenario("ID tokens carry another nonce.", {"id_token_claims": "nonce-wrong"}),
    "id-token-of-a-proxy": Scenario("Who signs in is a relative of the patient.", {"fhir_user": "RelatedPerson"}),
    "several-audiences": Scenario("ID tokens name several audiences.", {"id_token_audience": "several"}),
    "keys-out-of-date": Scenario("The key set lacks the keys that sign now.", {"jwks": "without-newest"}),
    "keys-down": Scenario("The key set answers 503.", {"jwks": "down"}),
    "issuer-in-answers": Scenario(
        "Answers in the browser carry iss, and are announced to.", {"issuer_in_answers": "on"}
    ),
    "mix-up": Scenario("Answers in the browser carry the issuer of another server.", {"issuer_in_answers": "wrong"}),
    "organization-refuses": Scenario(
        "An application that is not enabled is stopped with a page.", {"not_enabled": "error-page"}
    ),
    "organization-refuses-late": Scenario(
        "An application that is not enabled signs in and gets no data.", {"not_enabled": "forbidden-at-data"}
    ),
}
