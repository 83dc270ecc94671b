"""The developer console: registering public and confidential applications, and the purpose of the GUID field."""

import base64
import uuid

import pytest

from apps.sandbox.models import SmartApplication, SmartGrant, SystemAccount
from tests.sandbox.smart.literal import ADA, WILLOW, authorize, sent_back, token_address

pytestmark = pytest.mark.django_db

PUBLIC = {
    "name": "Phone app",
    "persona": "patient",
    "versions": ["r4"],
    "smart_version": "v1",
    "client_type": "public",
    "redirect_uris": "https://app.example/back/7Q",
    "scopes": "launch/patient patient/Patient.read patient/Observation.read online_access",
    "support_contact": "help@app.example",
}
CONFIDENTIAL = {
    **PUBLIC,
    "client_type": "confidential",
    "authentication": "client_secret_basic",
    "scopes": "launch/patient patient/Patient.read patient/Observation.read offline_access",
}
ACCOUNT = {"description": "Reads for patients", "client_name": "Holdfast Inc.", "kind": "secret"}
NOT_RECOGNIZED = "client-without-system-account"


@pytest.fixture
def enable(client, two_tenants):
    """Lets the organization enable an application, at its desk."""

    def enable(application):
        body = {"tenant": WILLOW, "application": application.client_id, "decision": "enable"}
        client.post("/b/desk/", body)
        return application

    return enable


@pytest.fixture
def register(developer, enable):
    """Registers at the console, and has it enabled."""

    def register(fields=PUBLIC, **changes):
        page = developer.post("/console/register", {**fields, **changes})
        assert page.status_code == 302, page.content.decode()
        return enable(SmartApplication.objects.latest("pk"))

    return register


@pytest.fixture
def account_of():
    """An approved system account of whoever sits at that browser, with a secret: (its id, the secret, its number)."""

    def account_of(browser, *, is_approved=True):
        browser.post("/system-accounts/request", ACCOUNT)
        row = SystemAccount.objects.latest("pk")
        secret = ""
        if is_approved:
            browser.post("/approvals/", {"kind": "system-account", "id": row.pk, "decision": "approve"})
            secret = browser.post(f"/system-accounts/{row.pk}/secret", follow=True).context["secret"]
        return str(row.client_id), secret, row.pk

    return account_of


@pytest.fixture
def sign_in_page(client):
    def sign_in_page(application, **changes):
        return client.get(authorize(client_id=application.client_id, scope=CONFIDENTIAL["scopes"], **changes))

    return sign_in_page


@pytest.fixture
def ask(post_token):
    """A token request as the confidential application: with a code that is none, unless told otherwise."""

    def ask(application, secret, code="none"):
        header = base64.b64encode(f"{application.client_id}:{secret}".encode()).decode()
        body = {"grant_type": "authorization_code", "code": code}
        return post_token(body, token_address(), {"Authorization": f"Basic {header}"})

    return ask


def put_guid(browser, application, guid):
    """Into the GUID field, with everything else as it was."""
    answer = browser.post(f"/console/{application.pk}/change", {**CONFIDENTIAL, "guid": guid})
    assert answer.status_code == 302, answer.content.decode()


def is_recognized(application, sign_in_page, ask, secret):
    """What authorize and token say about it; they have to agree."""
    page, answer = sign_in_page(application), ask(application, secret)
    if page.status_code == 200:
        assert answer.json()["error"] == "invalid_grant"  # who it is, is proven; the code is none
        return True
    assert page.status_code == 400
    assert b"not authorized for FHIR" in page.content
    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client")
    assert NOT_RECOGNIZED in answer.json()["error_uri"]
    return False


class TestAPublicApplication:
    @pytest.mark.conformance("X61")
    def test_is_registered_and_works(self, client, ada, register, post_token):
        application = register()
        asked = authorize(client_id=application.client_id, scope=PUBLIC["scopes"])
        client.post(asked, ADA)
        code = sent_back(client.post(asked, {"step": "allow", "scope": str(PUBLIC["scopes"]).split()}))["code"]
        body = {"grant_type": "authorization_code", "code": code, "client_id": application.client_id}
        answer = post_token(body).json()
        assert "patient/Observation.read" in answer["scope"].split()
        search = f"/b/myrecord/r4/{WILLOW}/Observation?patient=r-ada&category=laboratory"
        headers = {"Authorization": f"Bearer {answer['access_token']}", "Accept": "application/fhir+json"}
        assert client.get(search, headers=headers).status_code == 200

    def test_waits_for_the_organization(self, developer, two_tenants, sign_in_page):
        developer.post("/console/register", PUBLIC)
        assert "error=unauthorized_client" in sign_in_page(SmartApplication.objects.get())["Location"]

    def test_gets_online_access_alone(self, developer):
        scopes = f"{PUBLIC['scopes']} offline_access"
        page = developer.post("/console/register", {**PUBLIC, "scopes": scopes})
        assert b"online access alone" in page.content
        assert not SmartApplication.objects.exists()

    def test_has_no_use_for_a_guid(self, developer):
        developer.post("/console/register", {**PUBLIC, "guid": str(uuid.uuid4()), "authentication": "private_key_jwt"})
        row = SmartApplication.objects.get()
        assert (row.guid, row.authentication) == (None, "none")


class TestAConfidentialApplication:
    @pytest.mark.conformance("X61")
    def test_is_recognized_by_the_id_in_its_guid_field(self, developer, register, account_of, sign_in_page, ask):
        guid, secret, _ = account_of(developer)
        application = register(CONFIDENTIAL)
        assert not is_recognized(application, sign_in_page, ask, secret)
        assert b"GUID field is empty" in developer.get(f"/console/{application.pk}/").content
        put_guid(developer, application, guid)
        assert is_recognized(application, sign_in_page, ask, secret)
        assert b"Authorized for FHIR." in developer.get(f"/console/{application.pk}/").content
        put_guid(developer, application, "")
        assert not is_recognized(application, sign_in_page, ask, secret)

    @pytest.mark.conformance("X61")
    def test_is_not_recognized_by_an_id_that_is_wrong(self, developer, register, account_of, sign_in_page, ask):
        _, secret, _ = account_of(developer)
        application = register(CONFIDENTIAL, guid=str(uuid.uuid4()))
        assert not is_recognized(application, sign_in_page, ask, secret)
        assert b"You have no system account with the id" in developer.get(f"/console/{application.pk}/").content

    @pytest.mark.conformance("X61")
    def test_is_not_recognized_by_the_account_of_a_stranger(
        self, developer, stranger, register, account_of, sign_in_page, ask
    ):
        guid, secret, _ = account_of(stranger)
        application = register(CONFIDENTIAL, guid=guid)
        assert not is_recognized(application, sign_in_page, ask, secret)
        page = developer.get(f"/console/{application.pk}/").content
        assert b"You have no system account with the id" in page
        assert b"/system-accounts/1" not in page

    @pytest.mark.conformance("X61")
    def test_is_recognized_once_its_account_is_approved(
        self, client, developer, register, account_of, sign_in_page, ask
    ):
        guid, _, pk = account_of(developer, is_approved=False)
        application = register(CONFIDENTIAL, guid=guid)
        assert not is_recognized(application, sign_in_page, ask, "none")
        assert b"not approved yet" in developer.get(f"/console/{application.pk}/").content
        client.post("/approvals/", {"kind": "system-account", "id": pk, "decision": "approve"})
        secret = developer.post(f"/system-accounts/{pk}/secret", follow=True).context["secret"]
        assert is_recognized(application, sign_in_page, ask, secret)
        developer.post(f"/system-accounts/{pk}/retire")
        assert not is_recognized(application, sign_in_page, ask, secret)

    @pytest.mark.conformance("X61")
    def test_reads_nothing_more_without_its_guid(self, client, developer, stranger, ada, register, account_of, ask):
        guid, secret, pk = account_of(developer)
        application = register(CONFIDENTIAL, guid=guid)
        asked = authorize(client_id=application.client_id, scope=CONFIDENTIAL["scopes"])
        client.post(asked, ADA)
        code = sent_back(client.post(asked, {"step": "allow", "scope": str(CONFIDENTIAL["scopes"]).split()}))["code"]
        token = ask(application, secret, code).json()["access_token"]
        search = f"/b/myrecord/r4/{WILLOW}/Observation?patient=r-ada&category=laboratory"
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/fhir+json"}
        assert client.get(search, headers=headers).status_code == 200
        for wrong in ("", str(uuid.uuid4()), account_of(stranger)[0]):
            put_guid(developer, application, wrong)
            assert client.get(search, headers=headers).status_code == 403
        put_guid(developer, application, guid)
        assert client.get(search, headers=headers).status_code == 200
        developer.post(f"/system-accounts/{pk}/retire")
        assert client.get(search, headers=headers).status_code == 403
        assert SmartGrant.objects.count() == 1

    @pytest.mark.conformance("X61")
    def test_lets_no_account_of_a_stranger_in_as_a_system(self, stranger, register, account_of, post_token):
        guid, secret, _ = account_of(stranger)
        register(CONFIDENTIAL, guid=guid)
        header = base64.b64encode(f"{guid}:{secret}".encode()).decode()
        body = {"grant_type": "client_credentials", "scope": "system/Patient.read"}
        answer = post_token(body, token_address(), {"Authorization": f"Basic {header}"})
        assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client")

    @pytest.mark.conformance("X61", "X62")
    def test_lets_its_account_in_as_a_system(self, developer, stranger, register, account_of, post_token):
        """Specification 5.2.5: the account's id is the client id. No application, no rights."""
        guid, secret, pk = account_of(developer)

        def status(secret=secret):
            header = base64.b64encode(f"{guid}:{secret}".encode()).decode()
            body = {"grant_type": "client_credentials", "scope": "system/Patient.read"}
            return post_token(body, token_address(), {"Authorization": f"Basic {header}"}).status_code

        assert status() == 401
        application = register(CONFIDENTIAL, guid=guid)
        assert status() == 200
        for wrong in ("", str(uuid.uuid4()), account_of(stranger)[0]):
            put_guid(developer, application, wrong)
            assert status() == 401
        put_guid(developer, application, guid)
        new = developer.post(f"/system-accounts/{pk}/secret", follow=True).context["secret"]
        assert (status(), status(new)) == (401, 200)
        developer.post(f"/system-accounts/{pk}/retire")
        assert status(new) == 401

    @pytest.mark.conformance("X62")
    def test_fails_with_the_old_secret_of_its_account_at_once(self, developer, register, account_of, ask):
        guid, old, pk = account_of(developer)
        application = register(CONFIDENTIAL, guid=guid)
        assert ask(application, old).json()["error"] == "invalid_grant"
        new = developer.post(f"/system-accounts/{pk}/secret", follow=True).context["secret"]
        assert (ask(application, old).status_code, ask(application, old).json()["error"]) == (401, "invalid_client")
        assert ask(application, new).json()["error"] == "invalid_grant"

    def test_shares_an_account_with_another(self, developer, register, account_of, ask):
        guid, secret, pk = account_of(developer)
        both = [register(CONFIDENTIAL, guid=guid, name=name) for name in ("One", "Two")]
        assert {ask(application, secret).json()["error"] for application in both} == {"invalid_grant"}
        page = developer.get(f"/system-accounts/{pk}/").content
        assert b">One<" in page
        assert b">Two<" in page

    def test_is_told_when_its_account_is_of_another_type(self, developer, register, account_of):
        guid, _, _ = account_of(developer)
        application = register(CONFIDENTIAL, guid=guid, authentication="private_key_jwt")
        assert b"proves itself in a different way" in developer.get(f"/console/{application.pk}/").content


class TestRegistering:
    def test_keeps_what_was_asked_for(self, register):
        row = register(
            CONFIDENTIAL,
            persona="provider",
            versions=["dstu2", "r4"],
            smart_version="v2",
            scopes="launch user/Patient.rs\nopenid fhirUser",
            authentication="client_secret_post",
            redirect_uris="https://app.example/one\nhttp://127.0.0.1:8000/two?a=b",
            launch_url="https://app.example/launch",
        )
        assert (row.persona, row.versions, row.smart_version) == ("provider", ["dstu2", "r4"], "v2")
        assert row.scopes == ["launch", "user/Patient.rs", "openid", "fhirUser"]
        assert (row.client_type, row.authentication) == ("confidential", "client_secret_post")
        assert row.redirect_uris == ["https://app.example/one", "http://127.0.0.1:8000/two?a=b"]
        assert (row.launch_url, row.support_contact) == ("https://app.example/launch", "help@app.example")
        assert row.developer.email == "dev@app.example"
        assert str(uuid.UUID(row.client_id)) == row.client_id

    @pytest.mark.parametrize(
        "changes",
        [
            {"name": ""},
            {"name": "\0"},
            {"name": "n" * 121},
            {"persona": "everybody"},
            {"versions": []},
            {"versions": ["r4", "r5"]},
            {"smart_version": "v3"},
            {"client_type": "secret"},
            {"client_type": "confidential", "authentication": "none"},
            {"redirect_uris": ""},
            {"redirect_uris": "http://app.example/back"},
            {"redirect_uris": "https://app.example/\0"},
            {"launch_url": "app.example"},
            {"launch_url": "javascript:alert(1)"},
            {"scopes": ""},
            {"scopes": "launch/patient online_access"},
            {"scopes": "patient/*.read"},
            {"scopes": "patient/Patient.rs"},
            {"scopes": "system/Patient.read"},
            {"scopes": "patient/Patient.read\0"},
            {"scopes": "p" * 20_001},
            {"support_contact": ""},
            {"support_contact": "help"},
            {"client_type": "confidential", "guid": "not-a-guid"},
            {"client_type": "confidential", "guid": "\0"},
        ],
    )
    def test_is_refused_in_words(self, developer, changes):
        page = developer.post("/console/register", {**PUBLIC, **changes})
        assert page.status_code == 200
        assert b'id="problems"' in page.content
        assert not SmartApplication.objects.exists()

    def test_counts_the_last_of_fields_that_come_twice(self, developer):
        body = {**PUBLIC, "client_type": ["public", "confidential"], "name": ["One", "Two"]}
        developer.post("/console/register", body)
        row = SmartApplication.objects.get()
        assert (row.name, row.client_type) == ("Two", "confidential")

    def test_of_a_megabyte_is_not_read(self, developer):
        assert developer.post("/console/register", {**PUBLIC, "scopes": "s" * 1_000_001}).status_code == 400


class TestChanging:
    def test_leaves_alone_what_is_fixed(self, developer, register):
        row = register()
        fixed = {"persona": "provider", "versions": ["dstu2"], "smart_version": "v2", "client_type": "confidential"}
        developer.post(f"/console/{row.pk}/change", {**PUBLIC, **fixed, "name": "Other"})
        row.refresh_from_db()
        assert (row.name, row.persona, row.versions) == ("Other", "patient", ["r4"])
        assert (row.smart_version, row.client_type) == ("v1", "public")

    def test_asks_a_public_application_for_no_credentials(self, developer, register):
        row = register()
        page = developer.get(f"/console/{row.pk}/change").content
        assert b'name="scopes"' in page
        assert b'name="guid"' not in page
        assert b'name="authentication"' not in page

    def test_begins_with_what_there_is(self, developer, register):
        row = register(CONFIDENTIAL, authentication="private_key_jwt")
        page = developer.get(f"/console/{row.pk}/change").content.decode()
        assert 'value="private_key_jwt" selected' in page
        assert "patient/Patient.read\npatient/Observation.read" in page

    def test_is_refused_for_what_is_over(self, developer, register, sign_in_page):
        row = register()
        assert b"Disable Phone app" in developer.get("/b/desk/").content
        developer.post(f"/console/{row.pk}/retire")
        assert b"able Phone app" not in developer.get("/b/desk/").content
        assert b"has ended" in developer.post(f"/console/{row.pk}/change", PUBLIC).content
        assert sign_in_page(row).status_code == 400

    def test_is_refused_in_words(self, developer, register):
        row = register()
        page = developer.post(f"/console/{row.pk}/change", {**PUBLIC, "redirect_uris": "http://evil.example/"})
        assert b'id="problems"' in page.content
        row.refresh_from_db()
        assert row.redirect_uris == ["https://app.example/back/7Q"]


class TestAStranger:
    @pytest.mark.parametrize(
        ("method", "page"), [("get", ""), ("get", "change"), ("post", "change"), ("post", "retire")]
    )
    def test_finds_nothing(self, stranger, register, method, page):
        row = register()
        before = SmartApplication.objects.values().get()
        assert getattr(stranger, method)(f"/console/{row.pk}/{page}", {**PUBLIC, "name": "Mine"}).status_code == 404
        assert SmartApplication.objects.values().get() == before
        assert b"Phone app" not in stranger.get("/console/").content

    def test_finds_no_application_of_the_control_address(self, developer, phone):
        assert developer.get(f"/console/{phone.pk}/").status_code == 404
