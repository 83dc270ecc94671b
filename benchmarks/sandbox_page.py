"""Measures one page of 100 Observations of the sandbox, through its whole middleware."""

import json
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from django.core.management import call_command
from django.test import Client

from benchmarks.figure import processor_ms
from development.ports import LOOPBACK

_SIZE = 3000
_CALLBACK = "https://app.example/back"
_ROWS = 100


def main() -> None:
    """One line of JSON: the milliseconds."""
    call_command("populate", "--people", "1", "--size", str(_SIZE), "--without-cast", verbosity=0)
    client = Client(SERVER_NAME=LOOPBACK, headers={"Accept": "application/json"})
    token = _token(client)
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
    patient = client.get("/a/r4/fhir/r4/Patient", headers=headers).json()["id"]
    address = f"/a/r4/fhir/r4/Observation?patient={patient}&category=laboratory&_count={_ROWS}"
    rows = client.get(address, headers=headers).json()["entry"]
    assert len(rows) == _ROWS
    print(json.dumps({"ms": processor_ms(lambda: client.get(address, headers=headers), repeats=10)}))


def _token(client: Client) -> str:
    """Sign in as the invented person, consent, and trade the code (specification P1, P2)."""
    application = _post(
        client,
        "/control/applications",
        name="Benchmark",
        redirect_uris=[_CALLBACK],
        versions=["r4"],
        status="approved",
    )
    account = client.get("/control/accounts").json()["accounts"][0]
    asked = {"response_type": "code", "client_id": application["client_id"], "redirect_uri": _CALLBACK}
    authorize = f"/a/r4/auth/authorize?{urlencode(asked)}"
    client.post(authorize, {"step": "sign-in", **{name: account[name] for name in ("username", "password")}})
    back = client.post(authorize, {"step": "allow", "type": "Observation"})
    code = parse_qs(urlsplit(back["Location"]).query)["code"][0]
    traded = {
        "grant_type": "authorization_code",
        "redirect_uri": _CALLBACK,
        "client_id": application["client_id"],
        "client_secret": application["client_secret"],
        "code": code,
    }
    answer = client.post(f"/a/r4/auth/token?{urlencode(traded)}", content_type="application/x-www-form-urlencoded")
    return str(answer.json()["access_token"])


def _post(client: Client, address: str, **body: Any) -> dict[str, Any]:
    answer: dict[str, Any] = client.post(address, body, content_type="application/json").json()
    return answer
