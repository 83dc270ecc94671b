"""Requests for system access, written down from the specification (S5, S6) without code of the sandbox."""

import base64
import itertools
from datetime import datetime
from typing import Any
from urllib.parse import quote_plus

from tests.fixtures import signatures
from tests.sandbox.smart.literal import token_address

AT = datetime.fromisoformat("2026-03-02T09:30:00Z")
NOW = int(AT.timestamp())
AUDIENCE = f"http://testserver{token_address()}"
TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
SCOPE = "system/Patient.read system/Observation.read"
SECRET = "canary s+cret%:é"
KEYS: dict[str, Any] = {
    "ec": signatures.new_ec(),
    "rsa": signatures.new_rsa(),
    "twin": signatures.new_ec(),
    "short": signatures.new_ec("P-256"),
    "stranger": signatures.new_ec(),
    "strange-rsa": signatures.new_rsa(),
}
JWKS = {"keys": [signatures.public_jwk(KEYS[name], name) for name in ("ec", "rsa", "twin", "twin", "short")]}
KEPT_AT = "https://system.example/jwks"
_JTI = itertools.count()


def basic(client_id: str, secret: str) -> dict[str, str]:
    """RFC 6749 section 2.3.1: both form-urlencoded, joined, and encoded."""
    pair = f"{quote_plus(client_id)}:{quote_plus(secret)}"
    return {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}


def bearer(assertion: str) -> dict[str, str]:
    """S6: the assertion in the header."""
    return {"Authorization": f"Bearer {assertion}"}


def in_form(assertion: str) -> dict[str, str]:
    """RFC 7523 section 2.2: the assertion in the form."""
    return {"client_assertion_type": TYPE, "client_assertion": assertion}


def assertion(account_id: str, *, key: str = "ec", signed_by: Any = None, header: Any = None, **claims: Any) -> str:
    """One that is right but for the changes; None leaves a member out. `header` changes the header."""
    said = {"iss": account_id, "sub": account_id, "aud": AUDIENCE, "exp": NOW + 290, "jti": f"j-{next(_JTI)}", **claims}
    algorithm = "RS384" if key.endswith("rsa") else "ES384"
    head = {"alg": algorithm, "kid": key, "typ": "JWT", **(header or {})}
    kept = {name: value for name, value in said.items() if value is not None}
    return signatures.signed(
        {name: value for name, value in head.items() if value is not None}, kept, signed_by or KEYS[key]
    )
