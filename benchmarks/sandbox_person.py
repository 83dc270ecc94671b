"""The invented person whose page is measured in either interface of the sandbox: the record, and the browser."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from django.test import Client

from apps.sandbox.people import inventing
from apps.sandbox.people.cast import Member
from apps.sandbox.people.chart import Chart
from benchmarks.figure import processor_ms
from development.ports import LOOPBACK

CALLBACK = "https://app.example/back"
PERSON = Member("person", "person-pass", (inventing.story(1, 1, 3000),), "Has a long record")
_ROWS = 100


def browser() -> Client:
    """Where the person signs in, and the application asks."""
    return Client(SERVER_NAME=LOOPBACK, headers={"Accept": "application/json"})


def installed(client: Client, address: str, version: str, **fields: Any) -> dict[str, Any]:
    """The application of one FHIR version that the control address makes of the fields."""
    body = {"name": "Benchmark", "redirect_uris": [CALLBACK], "versions": [version], **fields}
    answer: dict[str, Any] = client.post(address, body, content_type="application/json").json()
    return answer


def allowed(client: Client, address: str, asked: Mapping[str, str], answer: Mapping[str, str | Sequence[str]]) -> str:
    """Sign in at this authorization endpoint, allow what `answer` ticks, and give the code."""
    authorize = f"{address}?{urlencode({'response_type': 'code', 'redirect_uri': CALLBACK, **asked})}"
    client.post(authorize, {"step": "sign-in", "username": PERSON.username, "password": PERSON.password})
    back = client.post(authorize, {"step": "allow", **answer})
    return parse_qs(urlsplit(back["Location"]).query)["code"][0]


def tell_page(client: Client, root: str, version: str, access_token: str) -> None:
    """Print one line of JSON: the milliseconds of a page of Observations below this root, through all middleware."""
    headers = {"Authorization": f"Bearer {access_token}", "Accept": "application/json"}
    patient_id = Chart(version, PERSON.stories[0].person).patient_id
    address = f"{root}/Observation?patient={patient_id}&category=laboratory&_count={_ROWS}"
    assert len(client.get(address, headers=headers).json()["entry"]) == _ROWS
    print(json.dumps({"ms": processor_ms(lambda: client.get(address, headers=headers), repeats=10)}))
