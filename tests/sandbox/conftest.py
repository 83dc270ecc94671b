"""Every test of the sandbox begins with default switches, no recorded requests and the real time."""

import json
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.test import Client

from apps.sandbox import bearer, clock, enrolment, faults, recorder, refresh_counts, scenarios
from apps.sandbox.models import ApplicationStatus
from apps.sandbox.portal import registering
from apps.sandbox.smart.bulk import jobs
from apps.sandbox.smart.clients import registered_keys
from apps.sandbox.smart.data import bearer_tokens

REDIRECT_URI = "https://app.example/back/7Q"
SECRET = "the secret of the app"
FORM = "application/x-www-form-urlencoded"


@pytest.fixture(autouse=True)
def usual():
    """What lives in the process and not in the database is put back, before and after."""
    _forget()
    yield
    _forget()


def _forget():
    scenarios.reset()
    faults.disarm()
    recorder.clear()
    refresh_counts.clear()
    bearer.forget()
    bearer_tokens.forget()
    jobs.forget()
    registered_keys.forget()
    clock.forget()


@pytest.fixture
def control(client):
    """Asks the control address: `control("POST", "clock", {...})` gives (status, data)."""

    def control(method, path, body=None):
        response = client.generic(method, f"/control/{path}", json.dumps(body or {}), content_type="application/json")
        return response.status_code, response.json()

    return control


@pytest.fixture
def install(db):
    """Installs an application; any argument of the usual one can be given otherwise."""

    def install(
        client_id="app", *, secret=SECRET, redirect_uris=(REDIRECT_URI,), versions=("dstu2", "r4"), status="approved"
    ):
        application, _ = registering.install(
            client_id,
            list(redirect_uris),
            list(versions),
            credentials=registering.Credentials(client_id, secret),
            status=ApplicationStatus(status),
            at=clock.now(),
        )
        return application

    return install


@pytest.fixture
def developer(db, client):
    """The browser of a developer: `client`, signed in."""
    client.post("/developers/sign-in", {"email": "dev@app.example"})
    return client


@pytest.fixture
def stranger(db):
    """The browser of another developer."""
    browser = Client()
    browser.post("/developers/sign-in", {"email": "stranger@other.example"})
    return browser


@pytest.fixture
def application(install):
    """An approved application for both versions."""
    return install()


@pytest.fixture
def ada(db):
    """Ada looks after her son: two records in R4, one in DSTU2."""
    return enrolment.enrol("ada", "lovelace-1815", "Ada Byron", {"dstu2": ["d-ada"], "r4": ["r-ada", "r-son"]})


@pytest.fixture
def grace(db):
    """A stranger to Ada's record."""
    return enrolment.enrol("grace", "hopper-1906", "Grace Hopper", {"r4": ["r-grace"]})


@pytest.fixture
def allowed_code(client, application, ada):
    """Goes through the pages as Ada and gives the authorization code."""

    def allowed_code(version="r4", extra="", *, client_id="app", deny=()):
        address = (
            f"/a/{version}/auth/authorize?response_type=code&client_id={client_id}"
            f"&redirect_uri=https%3A%2F%2Fapp.example%2Fback%2F7Q{extra}"
        )
        page = client.post(address, {"step": "sign-in", "username": "ada", "password": "lovelace-1815"})
        types = [name for name, _ in page.context["shared_types"] if name not in deny]
        back = client.post(address, {"step": "allow", "type": types})
        return parse_qs(urlsplit(back["Location"]).query)["code"][0]

    return allowed_code


@pytest.fixture
def ask_token(client):
    """A token request: POST, form type, parameters in the query."""

    def ask_token(version="r4", **parameters):
        query = urlencode({"client_id": "app", "client_secret": SECRET, **parameters})
        return client.generic(
            "POST", f"/a/{version}/auth/token?{query}", CONTENT_TYPE="application/x-www-form-urlencoded"
        )

    return ask_token


@pytest.fixture
def exchange(ask_token, allowed_code):
    """A code exchange that works, unless told otherwise."""

    def exchange(version="r4", **parameters):
        code = parameters.pop("code", None) or allowed_code(version)
        return ask_token(
            version, **{"grant_type": "authorization_code", "redirect_uri": REDIRECT_URI, "code": code, **parameters}
        )

    return exchange


@pytest.fixture
def access(rf):
    """What an access token opens, asked the way a data route asks."""

    def access(token, version="r4"):
        return bearer.access_from(rf.get("/", headers={"Authorization": f"Bearer {token}"}), version)

    return access


@pytest.fixture
def person(db):
    """Puts one of the named people into the sandbox: `person("theo")`."""
    from apps.sandbox.people import populating
    from apps.sandbox.people.cast import CAST

    def person(username):
        populating.practice()
        return populating.enrol(next(member for member in CAST if member.username == username))

    return person


@pytest.fixture
def token_of(application):
    """A token of an account, as if it had gone through sign-in: `token_of("theo", "r4", denied=["Condition"])`."""
    from datetime import timedelta

    from apps.sandbox.models import AccessToken, Account, Grant

    def token_of(username, version="r4", *, denied=(), seconds=3600):
        account = Account.objects.get(username=username)
        grant = Grant.objects.create(
            application=application,
            account=account,
            version=version,
            patient_ids=list(account.patient_ids(version)),
            denied_types=list(denied),
            created_at=clock.now(),
        )
        token = f"token-{username}-{version}-{grant.pk}"
        AccessToken.objects.create(
            sha256=bearer.sha256(token), grant=grant, expires_at=clock.now() + timedelta(seconds=seconds)
        )
        return token

    return token_of


@pytest.fixture
def get(client):
    """A GET the way specification P4 has it: `get("/a/r4/fhir/r4/Patient", token)`."""

    def get(path, token=None, accept="application/json"):
        headers = {"Accept": accept} if accept else {}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        return client.get(path, headers=headers)

    return get


@pytest.fixture
def examples():
    """The folder of example data by others."""
    from config import env

    folder = env.fhir_examples()
    if folder is None:
        pytest.skip("FHIR_EXAMPLES names no folder of example data")
    return folder
