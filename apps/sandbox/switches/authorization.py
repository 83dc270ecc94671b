"""The switches of the authorization side of the patient access API. Numbers are rows of the interface facts."""

from apps.sandbox.switches.switch import Switch

ON_OFF = ("on", "off")

AUTHORIZATION_SWITCHES: dict[str, Switch] = {
    # X13; section 2 row 10: whether a refresh answers with a new refresh token is documented nowhere.
    "rotation": Switch(ON_OFF, "off", "A refresh hands out a new refresh token, and the old one stops working."),
    "rotation_grace": Switch(("0", "60"), "0", "Seconds for which a rotated refresh token still works."),
    # Specification section 8; section 2 row 12: certified servers owe three months.
    "refresh_window": Switch(("48h", "90d"), "48h", "How long after its issue a refresh token can be exchanged."),
    "refresh_token": Switch(ON_OFF, "on", "The code exchange hands out a refresh token."),
    # Section 2 row 7: no lifetime is published; an hour is plausible.
    "access_token_seconds": Switch(("3600", "300", "60"), "3600", "How long an access token works."),
    "code_seconds": Switch(("60", "600", "5"), "60", "How long an authorization code waits to be exchanged."),
    "token_answer": Switch(
        ("full", "bare"), "full", "bare: access_token and refresh_token alone, the only two certain names."
    ),
    "token_type_case": Switch(("Bearer", "bearer"), "Bearer", "How the answer spells the token type."),
    "expires_in_form": Switch(("number", "text"), "number", "text: expires_in arrives as a string of digits."),
    "token_size": Switch(("usual", "16k"), "usual", "16k: codes and tokens of 16,384 characters."),
    # Section 2 rows 2 and 3.
    "body_credentials": Switch(
        ("ignored", "accepted"), "ignored", "accepted: token parameters in the body count as well as in the query."
    ),
    # Section 2 row 21: the error form is unknown.
    "token_error_form": Switch(
        ("rfc", "detailed", "html", "text", "empty"),
        "rfc",
        'How the token endpoint refuses: RFC 6749 JSON; "Invalid Grant" with detailedmessage; a page; a line; nothing.',
    ),
    "revocation": Switch(ON_OFF, "on", "off: there is no revocation endpoint (404)."),
    "state_echo": Switch(("on", "off", "altered"), "on", "Whether the state comes back, and unchanged."),
    "pkce": Switch(("honoured", "ignored", "required"), "honoured", "What happens with a code challenge."),
    "authorize_error": Switch(
        ("none", "server_error", "temporarily_unavailable", "something_new"),
        "none",
        "After sign-in the browser returns with this error instead of a code.",
    ),
}
