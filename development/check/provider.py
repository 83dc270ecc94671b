"""What the sandbox holds, requested as any application may: by applications of our own, with plain requests.

None of the product's code takes part, so that what the site shows is compared with an independent source.
"""

import json
import urllib.request
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from development.check.browser import Browser
from development.check.page import NotThere
from development.control import Sandbox

_SECONDS = 60
_SCOPE = "launch/patient patient/Patient.read patient/AllergyIntolerance.read"
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@dataclass(frozen=True)
class Person:
    """Somebody who can sign in at the provider."""

    username: str
    password: str


@dataclass(frozen=True)
class Place:
    """Where a record is: "dstu2" or "r4", and the tenant of the SMART deployment; none for the patient access API."""

    version: str
    tenant: str = ""


@dataclass(frozen=True)
class Held:
    """What the sandbox holds about one person: the Patient resource, and how many allergies. `mistaken` of these were
    entered in error, and pages do not count them."""

    patient: dict[str, Any]
    allergies: int
    mistaken: int


class Provider:
    """The sandbox at `origin`, seen by two applications that were approved for both versions, one of each interface."""

    def __init__(self, control: Sandbox) -> None:
        self.origin = control.origin
        self._callback = f"{control.origin}/"  # any page that answers: the code is read from its address
        ours = {"name": "Holdfast check", "redirect_uris": [self._callback], "versions": ["dstu2", "r4"]}
        self._application = control.post("/control/applications", status="approved", **ours)
        self._smart_application = control.post("/control/smart-applications", status="approved", **ours)  # public
        self._accounts = control.get("/control/accounts")["accounts"]

    def held(self, person: Person, place: Place) -> Held:
        """What a person's record is there (specification P1, P2, P4; S1 to S3 and P5)."""
        return self._held_by_smart(person, place) if place.tenant else self._held(person, place.version)

    def sign_in_page(self, place: Place) -> str:
        """How the address begins where patients of this place sign in."""
        if place.tenant:
            return f"{self.origin}/b/authorization/tenants/{place.tenant}/"
        return f"{self.origin}/a/{place.version}/auth/"

    def display_name(self, person: Person) -> str:
        """What the provider calls somebody on its own pages."""
        return str(next(one["display_name"] for one in self._accounts if one["username"] == person.username))

    def _held(self, person: Person, version: str) -> Held:
        client = {name: self._application[name] for name in ("client_id", "client_secret")}
        code = self._code(person, f"{self.origin}/a/{version}/auth/authorize", {"client_id": client["client_id"]})
        asked = {"grant_type": "authorization_code", "redirect_uri": self._callback, **client, "code": code}
        tokens = self._json(f"{self.origin}/a/{version}/auth/token?{urlencode(asked)}", method="POST", headers=_FORM)
        root = f"{self.origin}/a/{version}/fhir/{version}"
        found = self._read(f"{root}/Patient", tokens)
        patient = found["entry"][0]["resource"] if found["resourceType"] == "Bundle" else found
        return self._told(root, patient, tokens)

    def _held_by_smart(self, person: Person, place: Place) -> Held:
        root = f"{self.origin}/b/myrecord/{place.version}/{place.tenant}"
        found = self._json(f"{root}/.well-known/smart-configuration", headers={"Accept": "application/json"})
        client_id = self._smart_application["client_id"]
        asked = {"client_id": client_id, "scope": _SCOPE, "aud": root}
        code = self._code(person, found["authorization_endpoint"], asked)
        form = {"grant_type": "authorization_code", "code": code, "client_id": client_id}
        tokens = self._json(
            found["token_endpoint"],
            method="POST",
            headers=_FORM,
            data=urlencode({**form, "redirect_uri": self._callback, "state": "check"}).encode(),
        )
        patient = self._read(f"{root}/Patient/{tokens['patient']}", tokens)
        return self._told(root, patient, tokens)

    def _told(self, root: str, patient: dict[str, Any], tokens: dict[str, Any]) -> Held:
        found = self._read(f"{root}/AllergyIntolerance?patient={patient['id']}", tokens)
        allergies = [entry["resource"] for entry in found.get("entry", ())]
        return Held(patient, len(allergies), sum(map(_is_mistaken, allergies)))

    def _code(self, person: Person, authorize_url: str, asked: dict[str, str]) -> str:
        whole = {"response_type": "code", "redirect_uri": self._callback, "state": "check", **asked}
        browser = Browser()
        browser.open(f"{authorize_url}?{urlencode(whole)}")
        browser.fill({"User name": person.username, "Password": person.password}, "Sign in")
        browser.press("Allow")
        codes = parse_qs(urlsplit(browser.page.address).query).get("code")
        if not codes:
            raise NotThere("the sandbox gave no code to an application of our own")
        return codes[0]

    def _read(self, address: str, tokens: dict[str, Any]) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {tokens['access_token']}", "Accept": "application/json"}
        return self._json(address, headers=headers)

    def _json(
        self, address: str, *, method: str = "GET", headers: dict[str, str], data: bytes | None = None
    ) -> dict[str, Any]:
        request = urllib.request.Request(address, method=method, headers=headers, data=data)
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
            read: dict[str, Any] = json.loads(answer.read())
        return read


def _is_mistaken(allergy: dict[str, Any]) -> bool:
    """By a word in DSTU2, by a concept in R4."""
    said = [allergy.get("status"), *(one["code"] for one in allergy.get("verificationStatus", {}).get("coding", ()))]
    return "entered-in-error" in said
