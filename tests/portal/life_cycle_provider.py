"""A provider that keeps the truth: which permissions it gave, under which of its two hosts it issued what, and whether
it still honours it. It answers like a deployment of interface B or like interface A, and uses no product code.

It forgives: the last refresh token but one is accepted, too, so that no link is lost for an answer that got lost.
"""

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from urllib.parse import parse_qsl, urlsplit

from tests.records.people import allergy, bundle
from tests.records.provider import statement
from tests.wire.servers import Recorded, Server, http

OLD, NEW = "127.0.0.1", "localhost"
FHIR = "/fhir/r4"
ACCESS_SECONDS = 300.0
IDLE_SECONDS = 93 * 86400.0
SCOPE = "patient/Patient.rs patient/AllergyIntolerance.rs offline_access"


@dataclass
class Permission:
    """What one person allowed once, and the refresh tokens that were issued for it."""

    person: str
    client_id: str
    is_live: bool = True
    refresh_tokens: list[str] = field(default_factory=list)
    used_at: float = 0.0


@dataclass(frozen=True)
class Issued:
    """A code or a token: of which permission, by which host, when."""

    permission: Permission
    host: str
    at: float


class LifeCycleProvider:
    """`mood` is how the next token request goes wrong. `known` are the hosts that may be sent what others of them
    issued: the test says which. `faults` is what should not have been sent."""

    def __init__(self, server: Server, *, interface: str, rotates: bool) -> None:
        self.server, self.interface, self.rotates = server, interface, rotates
        self.now = 0.0
        self.leads_to = OLD
        self.mood = ""
        self.secrets: dict[str, str] = {}
        self.known = {OLD}
        self.issued: dict[str, Issued] = {}
        self.faults: list[str] = []
        self._numbers = count(1)
        server.answer = self._answer

    def authorize(self, url: str, *, person: str, client_id: str) -> str:
        """The person signs in at this address, and allows: the code."""
        host = urlsplit(url).hostname or ""
        if host not in self.known:
            self.faults.append(f"somebody was sent to {host}")
        return self._issue("code", Permission(person, client_id), host)

    def honours(self, refresh_token: str) -> bool:
        """Whether it would be accepted now."""
        permission = self.issued[refresh_token].permission
        return self.holds(permission) and refresh_token in permission.refresh_tokens[-2:]

    def holds(self, permission: Permission) -> bool:
        """Whether nobody ended it, and it was used lately."""
        return permission.is_live and self.now - permission.used_at < IDLE_SECONDS

    def addresses(self) -> dict[str, str]:
        """Of the host to which its documents and lists lead."""
        there = self.server.url(host=self.leads_to)
        return {
            name: f"{there}/{name.removesuffix('_url')}" for name in ("authorize_url", "token_url", "revocation_url")
        }

    def _issue(self, kind: str, permission: Permission, host: str) -> str:
        value = f"{kind}-canary-{next(self._numbers)}"
        self.issued[value] = Issued(permission, host, self.now)
        return value

    def _answer(self, request: Recorded) -> Iterator[bytes]:
        host = request.headers["host"].partition(":")[0]
        if request.path in {"/token", "/revocation"}:
            form = _form(request)
            self._check_sent(form, host)
            yield self._token(form, host) if request.path == "/token" else self._revoked(form)
        elif request.path == f"{FHIR}/metadata":
            yield http(body=statement("Patient", "AllergyIntolerance"))
        elif request.path == f"{FHIR}/.well-known/smart-configuration":
            yield http(body=self._configuration())
        else:
            yield self._data(request)

    def _check_sent(self, form: dict[str, str], host: str) -> None:
        if host not in self.known:
            self.faults.append(f"a request with our secret went to {host}")
        for name in ("code", "refresh_token", "token"):
            issued = self.issued.get(form.get(name, ""))
            if issued is not None and issued.host != host and not {issued.host, host} <= self.known:
                self.faults.append(f"a {name} of {issued.host} went to {host}")

    def _token(self, form: dict[str, str], host: str) -> bytes:
        mood, self.mood = self.mood, ""
        if mood == "unavailable":
            return http(503)
        if mood == "refuses":
            return http(400, body={"error": "invalid_grant"})
        if self.secrets.get(form["client_id"]) != form.get("client_secret"):
            return http(401, body={"error": "invalid_client"})
        answer = self._exchanged(form["code"], host) if "code" in form else self._refreshed(form["refresh_token"], host)
        if mood == "loses the answer":
            raise ConnectionResetError
        return answer

    def _exchanged(self, code: str, host: str) -> bytes:
        return self._tokens(self.issued[code].permission, host, is_new=True)

    def _refreshed(self, token: str, host: str) -> bytes:
        if not self.honours(token):
            return http(400, body={"error": "invalid_grant"})
        permission = self.issued[token].permission
        if self.rotates and token != permission.refresh_tokens[-1]:  # its successor got lost
            permission.refresh_tokens.pop()
        return self._tokens(permission, host, is_new=self.rotates)

    def _tokens(self, permission: Permission, host: str, *, is_new: bool) -> bytes:
        permission.used_at = self.now
        body: dict[str, object] = {"access_token": self._issue("access", permission, host), "token_type": "Bearer"}
        body |= {"expires_in": ACCESS_SECONDS}
        if self.interface == "smart":
            body |= {"patient": permission.person, "scope": SCOPE}
        if is_new:
            permission.refresh_tokens.append(self._issue("refresh", permission, host))
            body["refresh_token"] = permission.refresh_tokens[-1]
        return http(body=body)

    def _revoked(self, form: dict[str, str]) -> bytes:
        self.issued[form["token"]].permission.is_live = False
        return http()

    def _configuration(self) -> dict[str, object]:
        urls = self.addresses()
        return {
            "authorization_endpoint": urls["authorize_url"],
            "token_endpoint": urls["token_url"],
            "revocation_endpoint": urls["revocation_url"],
            "capabilities": ["launch-standalone", "permission-v2", "permission-offline"],
        }

    def _data(self, request: Recorded) -> bytes:
        issued = self.issued[request.headers["authorization"].removeprefix("Bearer ")]
        if not issued.permission.is_live or self.now - issued.at > ACCESS_SECONDS:
            return http(401, WWW_Authenticate='Bearer error="invalid_token"')
        person = issued.permission.person
        if request.path.startswith(f"{FHIR}/Patient"):
            return http(body={"resourceType": "Patient", "id": person, "name": [{"family": "Quillfeather"}]})
        if request.path != f"{FHIR}/AllergyIntolerance" or person not in dict(request.query)["patient"]:
            return http(403)
        page = int(dict(request.query).get("page", 1))
        following = self.server.url(f"{FHIR}/AllergyIntolerance?patient={person}&page={page + 1}")
        return http(
            body=bundle(allergy(f"{person}-{page}", patient_id=person), next_url=following if page < 3 else None)
        )


def _form(request: Recorded) -> dict[str, str]:
    """What was sent, in the address or in the body, and by whom."""
    form = dict([*request.query, *parse_qsl(request.body.decode())])
    kind, _, credentials = request.headers.get("authorization", "").partition(" ")
    if kind == "Basic":
        form["client_id"], _, form["client_secret"] = base64.b64decode(credentials).decode().partition(":")
    return form
