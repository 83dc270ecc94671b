"""Two organizations of interface B, a public and a confidential application, and people who have accounts there.

The requests themselves are in `literal.py`.
"""

from urllib.parse import urlencode

import pytest

from apps.sandbox import bearer, clock, enrolment
from apps.sandbox.models import SmartApplication, SystemAccount, Tenant
from tests.sandbox.smart.literal import ADA, FORM, RIVERSIDE, WILLOW, authorize, sent_back, token_address


@pytest.fixture
def two_tenants(db):
    Tenant.objects.create(id=WILLOW, name="Willow Creek")
    Tenant.objects.create(id=RIVERSIDE, name="Riverside")


@pytest.fixture
def smart(two_tenants):
    """Installs an application; the usual one keeps no secret."""

    def smart(client_id="phone", *, secret="", jwks=None, jwks_url="", **fields):
        if secret or jwks or jwks_url or fields.get("client_type") == "confidential":
            account = SystemAccount.objects.create(
                description="For tests",
                client_name=client_id,
                secret_sha256=bearer.sha256(secret) if secret else "",
                jwks=jwks,
                jwks_url=jwks_url,
                status="approved",
                requested_at=clock.now(),
            )
            fields = {"guid": account.client_id, **fields}
        return SmartApplication.objects.create(
            **{
                "name": f"App {client_id}",
                "client_id": client_id,
                "redirect_uris": ["https://app.example/back/7Q"],
                "versions": ["dstu2", "r4"],
                "enabled_tenants": [WILLOW, RIVERSIDE],
                "requested_at": clock.now(),
                **fields,
            }
        )

    return smart


@pytest.fixture
def phone(smart):
    """The public application."""
    return smart()


@pytest.fixture
def ada(two_tenants):
    """Ada sees her own record at Willow Creek, and hers and her son's at Riverside."""
    account = enrolment.enrol("ada", "lovelace-1815", "Ada Byron", {"r4": ["in-interface-a"]})
    account.tenant_patients = {
        WILLOW: {"r4": ["r-ada"], "dstu2": ["d-ada"]},
        RIVERSIDE: {"r4": ["r-ada", "r-son"]},
    }
    account.save()
    return account


@pytest.fixture
def noor(two_tenants):
    """A clinician at Willow Creek, and a stranger to interface A."""
    account = enrolment.enrol("noor", "clinic-1", "Noor Haddad", {"r4": ["in-interface-a"]})
    account.tenant_patients = {WILLOW: {"r4": ["r-ada", "r-grace"]}}
    account.practitioner_id = "p-noor"
    account.save()
    return account


@pytest.fixture
def allow(client, ada):
    """Goes through the pages and gives what the application was sent: `allow(scope=…, drop=[…])`."""

    def allow(address=None, *, drop=(), sign_in=ADA, answer=None, browser=client, **changes):
        address = address or authorize(**changes)
        page = browser.post(address, sign_in)
        kept = [scope for scope, _ in page.context["ticks"] if scope not in drop]
        return sent_back(browser.post(address, {"step": "allow", "scope": kept, **(answer or {})}))

    return allow


@pytest.fixture
def post_token(client):
    """A token request: a form in the body and nothing else. `body` can be text as it stands."""

    def post_token(body, address=None, headers=None, content_type=FORM):
        sent = body if isinstance(body, str) else urlencode(body)
        return client.generic(
            "POST", address or token_address(), sent.encode(), content_type=content_type, headers=headers or {}
        )

    return post_token


@pytest.fixture
def exchange(allow, phone, post_token):
    """A code exchange as specification S3 has it, that works unless told otherwise."""

    def exchange(changes=None, *, address=None, headers=None, **asked):
        code = allow(**asked)["code"]
        body = {
            "grant_type": "authorization_code",
            "code": code,
            "client_id": "phone",
            "state": "s-0123456789-abcdef",
            "redirect_uri": "https://app.example/back/7Q",
            **(changes or {}),
        }
        return post_token({name: value for name, value in body.items() if value is not None}, address, headers)

    return exchange
