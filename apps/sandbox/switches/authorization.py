"""The switches and scenarios of the authorization side. "Section 2" and X rows are those of the interface facts."""

from apps.sandbox.faults import Fault
from apps.sandbox.switches.scenario import Scenario
from apps.sandbox.switches.switch import Switch

ON_OFF = ("on", "off")

AUTHORIZATION_SWITCHES: dict[str, Switch] = {
    # X13; section 2 row 10: whether a refresh answers with a new refresh token is documented nowhere.
    "rotation": Switch(ON_OFF, "off", "A refresh hands out a new refresh token, and the old one stops working."),
    "rotation_grace": Switch(("0", "60", "120"), "0", "Seconds for which a rotated refresh token still works."),
    "rotation_reuse": Switch(
        ("refused", "ends-grant"), "refused", "What a refresh token that was rotated away does when it comes again."
    ),
    "refresh_tokens": Switch(
        ("known", "forgotten"),
        "known",
        "forgotten: every refresh is refused as of an unknown token, as by a server that lost its store for a while.",
    ),
    "access_tokens": Switch(
        ("known", "refused"),
        "known",
        "refused: data answers 401 to every token, as where the servers of data and of tokens disagree for a while.",
    ),
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

AUTHORIZATION_SCENARIOS: dict[str, Scenario] = {
    "rotating": Scenario("Every refresh hands out a new refresh token.", {"rotation": "on"}),
    "rotating-with-grace": Scenario(
        "Every refresh hands out a new refresh token; the last one can be repeated for two minutes.",
        {"rotation": "on", "rotation_grace": "120"},
    ),
    "rotating-answer-lost": Scenario(
        "The next token answer is lost on the way, after its refresh token was rotated away; a minute's grace.",
        {"rotation": "on", "rotation_grace": "60"},
        (Fault("token", "lost"),),
    ),
    "bare-answers": Scenario("Token answers hold access_token and refresh_token alone.", {"token_answer": "bare"}),
    "huge-tokens": Scenario("Codes and tokens of 16 KiB.", {"token_size": "16k"}),
    "short-lived": Scenario("Access tokens of one minute.", {"access_token_seconds": "60"}),
    "no-refresh": Scenario("No refresh token is handed out.", {"refresh_token": "off"}),
    "odd-refusals": Scenario("The token endpoint refuses in words of its own.", {"token_error_form": "detailed"}),
    "refusals-as-pages": Scenario("The token endpoint refuses with a web page.", {"token_error_form": "html"}),
    "state-lost": Scenario("The state does not come back.", {"state_echo": "off"}),
    "state-altered": Scenario("Another state comes back.", {"state_echo": "altered"}),
    "sign-in-fails": Scenario("The browser returns with server_error.", {"authorize_error": "server_error"}),
    "sign-in-later": Scenario("The browser returns asked to wait.", {"authorize_error": "temporarily_unavailable"}),
    "authorize-down": Scenario("The sign-in page answers 502.", faults=(Fault("authorize", "bad-gateway", None),)),
    "token-throttled": Scenario("The next 3 token requests: 429.", faults=(Fault("token", "throttled", 3),)),
    "token-down": Scenario("Every token request: 500.", faults=(Fault("token", "error", None),)),
    "token-unavailable": Scenario("The next 3 token requests: 503.", faults=(Fault("token", "unavailable", 3),)),
    "token-outage": Scenario(
        "Every token request: 503, until the sandbox's clock is 20 hours on.",
        faults=(Fault("token", "unavailable", None, lasts_seconds=72_000),),
    ),
    "tokens-forgotten": Scenario(
        "Every refresh is refused, until the sandbox remembers its tokens.", {"refresh_tokens": "forgotten"}
    ),
    "tokens-disagreed": Scenario(
        "Tokens are handed out and renewed, and open nothing, until the sandbox takes them.",
        {"access_tokens": "refused"},
    ),
    "token-slow": Scenario("The next token answer comes 20 s late.", faults=(Fault("token", "slow", seconds=20),)),
    "token-dribbles": Scenario(
        "The next token answer arrives one byte a second.", faults=(Fault("token", "dribble", seconds=1),)
    ),
    "token-redirects": Scenario("Token requests are sent elsewhere.", faults=(Fault("token", "redirect", None),)),
    "token-html": Scenario("Token requests are answered with a web page.", faults=(Fault("token", "html", None),)),
    "token-cut": Scenario("The next token answer is cut in half.", faults=(Fault("token", "cut"),)),
    "token-empty": Scenario("The next token answer is empty.", faults=(Fault("token", "empty"),)),
    "token-dropped": Scenario(
        "The next token request is dropped before anything was done.", faults=(Fault("token", "dropped"),)
    ),
    "token-dropped-after": Scenario(
        "The next token request is dropped after the work was done.", faults=(Fault("token", "dropped-after"),)
    ),
    "token-lost": Scenario("The next token answer is lost after the work was done.", faults=(Fault("token", "lost"),)),
}
