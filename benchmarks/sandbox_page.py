"""Measures one page of 100 Observations of the sandbox's interface A."""

from urllib.parse import urlencode

from apps.sandbox.people import populating
from benchmarks import sandbox_person


def main(version: str) -> None:
    """One line of JSON: the milliseconds, in one FHIR version."""
    populating.enrol(sandbox_person.PERSON)
    client = sandbox_person.browser()
    application = sandbox_person.installed(client, "/control/applications", version, status="approved")
    asked = {"client_id": application["client_id"]}
    code = sandbox_person.allowed(client, f"/a/{version}/auth/authorize", asked, {"type": "Observation"})
    traded = {
        "grant_type": "authorization_code",
        "redirect_uri": sandbox_person.CALLBACK,
        "client_id": application["client_id"],
        "client_secret": application["client_secret"],
        "code": code,
    }  # in the query, the body empty (specification P2)
    address = f"/a/{version}/auth/token?{urlencode(traded)}"
    answer = client.post(address, content_type="application/x-www-form-urlencoded")
    sandbox_person.tell_page(client, f"/a/{version}/fhir/{version}", version, answer.json()["access_token"])
