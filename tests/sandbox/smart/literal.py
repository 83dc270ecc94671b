"""Requests of interface B, written down from the specification (S2 to S4) without code of the sandbox."""

from urllib.parse import parse_qs, urlencode, urlsplit

WILLOW = "5c2d9c1a-7e64-4b0f-9d53-0f8a6b1e2c37"
RIVERSIDE = "-Zr8vQ2mXt5kWb7nJc4dLh9sPf3gYy1T"
FORM = "application/x-www-form-urlencoded"
SCOPE = "launch/patient patient/Patient.read patient/Observation.read offline_access"
ADA = {"step": "sign-in", "username": "ada", "password": "lovelace-1815"}


def authorize(tenant=WILLOW, persona="patient", **changes):
    """The address of an authorization request that is right but for the changes; None leaves a parameter out."""
    query = {
        "response_type": "code",
        "client_id": "phone",
        "redirect_uri": "https://app.example/back/7Q",
        "scope": SCOPE,
        "state": "s-0123456789-abcdef",
        "aud": f"http://testserver/b/myrecord/r4/{tenant}/",
        **changes,
    }
    kept = {name: value for name, value in query.items() if value is not None}
    return (
        f"/b/authorization/tenants/{tenant}/protocols/oauth2/profiles/smart-v1/personas/{persona}/authorize?"
        + urlencode(kept)
    )


def sent_back(response):
    """The query a browser was sent back to the application with."""
    assert response.status_code == 302, response.content
    assert response["Location"].startswith("https://app.example/back/7Q?")
    return {name: values[0] for name, values in parse_qs(urlsplit(response["Location"]).query).items()}


def token_address(tenant=WILLOW, host="myrecord"):
    return f"/b/authorization/tenants/{tenant}/hosts/{host}/protocols/oauth2/profiles/smart-v1/token"
