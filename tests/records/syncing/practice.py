"""A person of the real sandbox, linked in either interface and version, and all that their provider releases, read by a
program that shares no code with ours."""

import json
import secrets
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from apps.accounts.models import User
from apps.connections import refreshing
from apps.connections.models import Connection
from apps.directory.models import ClientRegistration
from apps.records import syncing
from apps.records.models import Record, SyncRun
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet
from development.control import Sandbox
from tests.connections.deployments import Deployment
from tests.faults.travelling import Traveller
from tests.records.linked import make_connection, make_endpoint
from tests.records.runs import resume

USUAL_READING = {"required_parameters": "lenient", "smart_required_parameters": "lenient", "page_limit": "1000"}
_MOST_TURNS = 40


@dataclass
class Practice:
    """One root of the sandbox, Alice's link to the record of somebody there, and their token."""

    sandbox: Sandbox
    connection: Connection
    token: str
    base_url: str

    def released(self) -> dict[str, set[str]]:
        """The ids of everything there that a search by patient finds, by type, and of what comes along."""
        self.sandbox.post("/control/switches", **USUAL_READING)
        found: dict[str, set[str]] = {"Patient": {self.connection.fhir_patient_id}}
        for rest in self._ask(f"{self.base_url}metadata")["rest"]:
            for offered in rest["resource"]:
                names = {parameter["name"] for parameter in offered.get("searchParam", ())}
                if "patient" in names:
                    brings = "&_revinclude=Provenance:target" if offered.get("searchRevInclude") else ""
                    for resource in self._rows(offered["type"], brings):
                        found.setdefault(resource["resourceType"], set()).add(resource["id"])
        self.sandbox.delete("/control/switches")
        self.sandbox.delete("/control/requests")
        return found

    def sync(self) -> SyncRun:
        """One run to its end, whatever pauses it makes."""
        run = syncing.start(self.connection, cause=SyncRun.Cause.CONFIRMED, at=timezone.now())
        syncing.advance(run.pk, at=timezone.now())
        for _turn in range(_MOST_TURNS):
            run.refresh_from_db()
            if run.outcome:
                return run
            resume(run, at=timezone.now())
        raise AssertionError("a run without end")

    def stored(self) -> dict[str, set[str]]:
        """The ids of what we hold, by type."""
        found: dict[str, set[str]] = {}
        for name, logical_id in Record.objects.filter(connection=self.connection).values_list(
            "resource_type", "logical_id"
        ):
            found.setdefault(name, set()).add(logical_id)
        return found

    def asked(self) -> list[dict[str, Any]]:
        """The data requests it got since the last reading of everything, in the order in which they ended."""
        root = self.base_url.removeprefix(self.sandbox.origin)
        rows: list[dict[str, Any]] = self.sandbox.get("/control/requests")["requests"]
        return [row for row in rows if row["path"].lower().startswith(root.lower())]

    def _rows(self, name: str, brings: str) -> Iterator[dict[str, Any]]:
        url: str | None = f"{self.base_url}{name}?patient={self.connection.fhir_patient_id}&_count=1000{brings}"
        while url:
            page = self._ask(url)
            for entry in page.get("entry", ()):
                yield entry["resource"]
            url = next((link["url"] for link in page["link"] if link["relation"] == "next"), None)

    def _ask(self, url: str) -> Any:
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json"}
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as refusal:
            with refusal:
                if refusal.code != 403:
                    raise AssertionError(f"{url}: {refusal.code}") from None
                return {"link": []}


def linked(sandbox: Sandbox, user: User, *, version: str, username: str = "ruth") -> Practice:
    """The user's confirmed link to this person's record of interface A, with a token that lives for minutes."""
    client_id = f"holdfast-whole-{secrets.token_hex(4)}"
    sandbox.post(
        "/control/applications",
        name="Holdfast",
        client_id=client_id,
        client_secret="s3cret",
        redirect_uris=["http://127.0.0.1:8000/callback"],
        versions=["dstu2", "r4"],
        status="approved",
    )
    wanted = {"client_id": client_id, "username": username, "version": version}
    token = sandbox.post("/control/grants", **wanted)["grants"][0]["access_token"]
    base_url = f"{sandbox.origin}/a/{version}/fhir/{version}/"
    endpoint = make_endpoint(base_url, version=version, is_sandbox=True)
    ClientRegistration.objects.update(requests_per_minute=100_000)
    connection = make_connection(user, endpoint, fhir_patient_id=_patient_id(sandbox, username, version))
    refreshing.keep(connection, tokens(token), issued_at=timezone.now())
    return Practice(sandbox, connection, token, base_url)


def linked_smart(place: Deployment, traveller: Traveller) -> Practice:
    """The same of interface B: signed in and confirmed on the pages."""
    connection = traveller.found(place)
    traveller.confirm(connection)
    connection.refresh_from_db()
    token = refreshing.usable_token(connection, at=timezone.now()).reveal()
    return Practice(place.sandbox, connection, token, connection.endpoint.fhir_base_url.rstrip("/") + "/")


def _patient_id(sandbox: Sandbox, username: str, version: str) -> str:
    accounts = sandbox.get("/control/accounts")["accounts"]
    found = next(one for one in accounts if one["username"] == username)
    return str(found["patients"][version][0])


def tokens(token: str) -> TokenSet:
    """An access token that lives for nine minutes."""
    return TokenSet(access_token=Secret(token), expires_in_seconds=540, refresh_token=Secret("none"))
