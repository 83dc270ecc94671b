"""Measures one page of 100 Observations of the sandbox's interface B: its access token is a JWT, checked each time."""

from urllib.parse import urlencode

from django.conf import settings

from apps.sandbox.people import populating, tenants
from benchmarks import sandbox_person

_TENANT = tenants.ORGANIZATIONS[0].tenant_id
_ROOT = f"/b/myrecord/r4/{_TENANT}"
_AUTHORIZATION = f"/b/authorization/tenants/{_TENANT}"
_PROFILE = "protocols/oauth2/profiles/smart-v1"
_SCOPE = "patient/Observation.read"


def main() -> None:
    """One line of JSON: the milliseconds."""
    populating.enrol(sandbox_person.PERSON)
    populating.organizations([sandbox_person.PERSON])
    client = sandbox_person.browser()
    application = sandbox_person.installed(client, "/control/smart-applications", "r4")
    asked = {
        "client_id": application["client_id"],
        "scope": f"launch/patient {_SCOPE}",
        "state": "measured",
        "aud": f"{settings.SANDBOX_ORIGIN}{_ROOT}/",
    }
    authorize = f"{_AUTHORIZATION}/{_PROFILE}/personas/patient/authorize"
    traded = {
        "grant_type": "authorization_code",
        "redirect_uri": sandbox_person.CALLBACK,
        "client_id": application["client_id"],
        "state": asked["state"],
        "code": sandbox_person.allowed(client, authorize, asked, {"scope": _SCOPE}),
    }
    address = f"{_AUTHORIZATION}/hosts/myrecord/{_PROFILE}/token"
    answer = client.post(address, urlencode(traded), content_type="application/x-www-form-urlencoded")
    sandbox_person.tell_page(client, _ROOT, "r4", answer.json()["access_token"])
