"""ID tokens that say something wrong and are signed well: one row a way (OpenID Connect Core section 3.1.3.7).

The `id_token_claims` switch names a row. `nonce-…` rows do something where a nonce was sent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.sandbox.smart.identity import issuers

Claims = dict[str, Any]

_HOUR = 3_600
_DAY = 86_400
_LONGEST_SUBJECT = 255


@dataclass(frozen=True)
class Facts:
    """Whom the token is for, where, and when."""

    client_id: str
    tenant: str
    at: datetime

    @property
    def second(self) -> int:
        """Now, as a claim's number of seconds."""
        return int(self.at.timestamp())


Spoil = Callable[[Claims, Facts], Claims]


def _without(name: str) -> Spoil:
    return lambda claims, _facts: {key: value for key, value in claims.items() if key != name}


def _said(**values: object) -> Spoil:
    return lambda claims, _facts: {**claims, **values}


def _timed(**seconds: int) -> Spoil:
    """Times relative to now."""
    return lambda claims, facts: {**claims, **{name: facts.second + ahead for name, ahead in seconds.items()}}


def _issuer(make: Callable[[Claims, Facts], str]) -> Spoil:
    return lambda claims, facts: {**claims, "iss": make(claims, facts)}


def _audiences(make: Callable[[Facts], Claims]) -> Spoil:
    return lambda claims, facts: {**_without("azp")(claims, facts), **make(facts)}


WRONG_CLAIMS: Mapping[str, Spoil] = {
    "issuer-missing": _without("iss"),
    "issuer-foreign": _said(iss="https://login.example/"),
    "issuer-without-slash": _issuer(lambda claims, _facts: str(claims["iss"]).rstrip("/")),
    "issuer-in-capitals": _issuer(lambda claims, _facts: str(claims["iss"]).upper()),
    "issuer-of-the-configuration": _issuer(lambda _claims, facts: issuers.configuration(facts.tenant)),
    "issuer-of-access-tokens": _issuer(lambda _claims, _facts: issuers.authorization()),
    "issuer-of-another-tenant": _issuer(lambda _claims, _facts: issuers.identity("another-tenant", "patient")),
    "audience-missing": _without("aud"),
    "audience-foreign": _audiences(lambda _facts: {"aud": "another-application"}),
    "audience-empty": _audiences(lambda _facts: {"aud": []}),
    "audience-of-others": _audiences(lambda _facts: {"aud": ["another-application", "a-third"]}),
    "audience-longer": _audiences(lambda facts: {"aud": f"{facts.client_id}-2"}),
    "audience-number": _said(aud=7),
    "party-missing": _audiences(lambda facts: {"aud": [facts.client_id, "another-application"]}),
    "party-foreign": _said(azp="another-application"),
    "party-foreign-among-several": _audiences(
        lambda facts: {"aud": [facts.client_id, "another-application"], "azp": "another-application"}
    ),
    "expired": _timed(iat=-2 * _HOUR, exp=-_HOUR),
    "expiry-missing": _without("exp"),
    "expiry-text": _said(exp="tomorrow"),
    "issued-in-future": _timed(iat=_HOUR, exp=2 * _HOUR),
    "issued-long-ago": _timed(iat=-400 * _DAY),
    "issued-missing": _without("iat"),
    "issued-text": _said(iat="today"),
    "not-yet": _timed(nbf=_HOUR),
    "nonce-wrong": _said(nonce="of-another-request"),
    "nonce-missing": _without("nonce"),
    "nonce-empty": _said(nonce=""),
    "subject-missing": _without("sub"),
    "subject-empty": _said(sub=""),
    "subject-number": _said(sub=7),
    "subject-too-long": _said(sub="s" * (_LONGEST_SUBJECT + 1)),
}
