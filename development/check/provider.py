"""What the sandbox holds, asked the way any application may ask: by an application of our own, in plain requests.

None of the product's code takes part, so that what the site shows is compared with something else than itself.
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


@dataclass(frozen=True)
class Person:
    """Somebody who can sign in at the provider."""

    username: str
    password: str


class Provider:
    """The sandbox, seen by an application that was approved for both versions."""

    def __init__(self, control: Sandbox) -> None:
        self._origin = control.origin
        self._callback = f"{control.origin}/"  # any page that answers: the code is read from its address
        self._application = control.post(
            "/control/applications",
            name="Holdfast check",
            redirect_uris=[self._callback],
            versions=["dstu2", "r4"],
            status="approved",
        )
        self._accounts = control.get("/control/accounts")["accounts"]

    def patient(self, person: Person, version: str) -> dict[str, Any]:
        """The Patient resource of a person in "dstu2" or "r4" (specification P1, P2, P4)."""
        code = self._code(person, version)
        tokens = self._json(
            f"{self._origin}/a/{version}/auth/token?"
            + urlencode(
                {
                    "grant_type": "authorization_code",
                    "redirect_uri": self._callback,
                    "client_id": self._application["client_id"],
                    "client_secret": self._application["client_secret"],
                    "code": code,
                }
            ),
            method="POST",
            headers={"Content-Type": "application/x-www-form-urlencoded"},
        )
        answer = self._json(
            f"{self._origin}/a/{version}/fhir/{version}/Patient",
            headers={"Authorization": f"Bearer {tokens['access_token']}", "Accept": "application/json"},
        )
        found: dict[str, Any] = answer["entry"][0]["resource"] if answer["resourceType"] == "Bundle" else answer
        return found

    def display_name(self, person: Person) -> str:
        """What the provider calls somebody on its own pages."""
        return str(next(one["display_name"] for one in self._accounts if one["username"] == person.username))

    def _code(self, person: Person, version: str) -> str:
        asked = {
            "response_type": "code",
            "client_id": self._application["client_id"],
            "redirect_uri": self._callback,
            "state": "check",
        }
        browser = Browser()
        browser.open(f"{self._origin}/a/{version}/auth/authorize?{urlencode(asked)}")
        browser.fill({"User name": person.username, "Password": person.password}, "Sign in")
        browser.press("Allow")
        codes = parse_qs(urlsplit(browser.page.address).query).get("code")
        if not codes:
            raise NotThere("the sandbox gave no code to an application of our own")
        return codes[0]

    def _json(self, address: str, *, method: str = "GET", headers: dict[str, str]) -> dict[str, Any]:
        request = urllib.request.Request(address, method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
            read: dict[str, Any] = json.loads(answer.read())
        return read
