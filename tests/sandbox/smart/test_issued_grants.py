"""Grants of interface B once they are issued: introspection, revocation, and the page where patients remove them."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.sandbox import bearer, clock, enrolment, scenarios
from apps.sandbox.models import SmartApplication, SmartGrant, SmartRefreshToken, SystemAccount, Tenant
from apps.sandbox.smart import access_tokens
from apps.sandbox.smart.identity import issuers

pytestmark = pytest.mark.django_db

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
FORM = "application/x-www-form-urlencoded"
TOKENINFO = "/b/authorization/tokeninfo"
REVOKE = "/b/authorization/tenants/-t1/hosts/myrecord/protocols/oauth2/profiles/smart-v1/token/revoke"
MANAGE = "/b/authorization/tenants/-t1/personas/patient/my-authorizations"
BASIC = {"Authorization": "Basic YXBwOnRoZStzZWNyZXQ="}  # app:the+secret, which is "the secret" form-urlencoded


@pytest.fixture
def tenant():
    return Tenant.objects.create(id="-t1", name="Willow Creek")


@pytest.fixture
def account(tenant):
    clock.set_to(AT)
    ada = enrolment.enrol("ada", "lovelace-1815", "Ada Byron", {"r4": ["a1"]})
    ada.tenant_patients = {"-t1": {"r4": ["a1"]}}
    ada.save()
    return ada


@pytest.fixture
def smart_application():
    account = SystemAccount.objects.create(
        client_name="Phone app", secret_sha256=bearer.sha256("the secret"), status="approved", requested_at=AT
    )
    return SmartApplication.objects.create(
        name="Phone app",
        client_id="app",
        client_type="confidential",
        authentication="client_secret_basic",
        guid=account.client_id,
        redirect_uris=["https://app.example/back"],
        versions=["r4"],
        enabled_tenants=["-t1"],
        requested_at=AT,
    )


@pytest.fixture
def stranger():
    """A public application that has nothing to do with the grant."""
    return SmartApplication.objects.create(name="Other", client_id="other", versions=["r4"], requested_at=AT)


@pytest.fixture
def grant(account, smart_application, tenant):
    row = SmartGrant.objects.create(
        application=smart_application,
        account=account,
        tenant=tenant,
        host="myrecord",
        version="r4",
        persona="patient",
        aud="http://testserver/b/myrecord/r4/-t1/",
        scopes=["openid", "fhirUser", "patient/Observation.read", "offline_access"],
        patient_id="a1",
        fhir_user="Patient/a1",
        access="offline",
        created_at=AT,
        last_used_at=AT,
    )
    SmartRefreshToken.objects.create(sha256=bearer.sha256("the-refresh-token"), grant=row, issued_at=AT)
    return row


@pytest.fixture
def post(client):
    """A form in the body, by the application unless told otherwise."""

    def post(address, body, headers=BASIC):
        return client.generic("POST", address, body.encode(), content_type=FORM, headers=headers)

    return post


class TestIntrospection:
    @pytest.mark.conformance("X66")
    def test_tells_of_an_access_token_what_it_opens(self, post, grant):
        response = post(TOKENINFO, "token=" + access_tokens.issue(grant, at=AT))
        assert response.status_code == 200
        told = response.json()
        assert len(told.pop("sub")) == 32
        assert told == {
            "active": True,
            "client_id": "app",
            "scope": "openid fhirUser patient/Observation.read offline_access",
            "aud": "http://testserver/b/myrecord/r4/-t1/",
            "tenant": "-t1",
            "patient": "a1",
            "iss": issuers.identity("-t1", "patient"),
            "fhirUser": "http://testserver/b/myrecord/r4/-t1/Patient/a1",
            "token_type": "Bearer",
            "exp": 1772444370,
        }

    def test_says_nothing_of_the_person_without_openid(self, post, grant):
        grant.scopes = ["patient/Observation.read"]
        grant.save()
        told = post(TOKENINFO, "token=" + access_tokens.issue(grant, at=AT)).json()
        assert not {"iss", "sub", "fhirUser", "encounter"} & told.keys()

    @pytest.mark.conformance("X66")
    @pytest.mark.parametrize("token", ["unknown", "a.b.c", "the-refresh-token%00", "%C3%A9"])
    def test_says_of_an_unknown_token_that_it_is_not_active_and_nothing_else(self, post, grant, token):
        response = post(TOKENINFO, f"token={token}")
        assert (response.status_code, response.json()) == (200, {"active": False})

    def test_says_so_of_a_token_of_another_application(self, post, grant, stranger):
        for token in (access_tokens.issue(grant, at=AT), "the-refresh-token"):
            assert post(TOKENINFO, f"client_id=other&token={token}", {}).json() == {"active": False}

    def test_says_so_of_an_access_token_from_its_last_second_on(self, post, grant):
        token = access_tokens.issue(grant, at=AT)
        clock.set_to(AT + timedelta(seconds=569))
        assert post(TOKENINFO, f"token={token}").json()["active"] is True
        clock.set_to(AT + timedelta(seconds=570))
        assert post(TOKENINFO, f"token={token}").json() == {"active": False}

    def test_tells_of_a_refresh_token_until_its_grant_ends(self, post, grant):
        assert post(TOKENINFO, "token=the-refresh-token&token_type_hint=refresh_token").json()["active"] is True
        SmartGrant.objects.update(ended_at=AT)
        assert post(TOKENINFO, "token=the-refresh-token").json() == {"active": False}

    @pytest.mark.conformance("X66")
    @pytest.mark.parametrize("headers", [{}, {"Authorization": "Basic YXBwOndyb25n"}, {"Authorization": "Bearer x"}])
    def test_needs_the_application_to_say_who_it_is(self, post, grant, headers):
        response = post(TOKENINFO, "token=the-refresh-token", headers)
        assert response.status_code == 401
        assert response.json()["error"] == "invalid_client"
        assert "/b/authorization/errors/urn%3Asandbox%3A" in response.json()["error_uri"]

    def test_needs_a_token_in_the_body_of_a_post(self, post, client, grant):
        assert post(TOKENINFO, "x=y").json()["error"] == "invalid_request"
        assert post(TOKENINFO + "?token=the-refresh-token", "").status_code == 400
        assert client.get(TOKENINFO).status_code == 405

    def test_can_be_absent(self, post, grant):
        scenarios.choose("introspection", "off")
        assert post(TOKENINFO, "token=the-refresh-token").status_code == 404


class TestRevocation:
    def is_open(self):
        return SmartGrant.objects.get().ended_at is None

    @pytest.mark.conformance("X49", "X66")
    @pytest.mark.parametrize("address", [REVOKE, REVOKE.replace("hosts/myrecord/", "")])
    @pytest.mark.parametrize("hint", ["", "&token_type_hint=refresh_token", "&token_type_hint=something"])
    def test_of_a_refresh_token_ends_its_grant(self, post, grant, address, hint):
        response = post(address, "token=the-refresh-token" + hint)
        assert (response.status_code, response.content) == (200, b"")
        assert SmartGrant.objects.get().end_reason == "revoked by the application"
        assert response["Cache-Control"] == "no-store"

    @pytest.mark.conformance("X66")
    def test_of_an_unknown_token_is_answered_alike(self, post, grant):
        assert post(REVOKE, "token=unknown").status_code == 200
        assert self.is_open()

    @pytest.mark.conformance("X66")
    def test_of_an_access_token_is_not_supported(self, post, grant):
        response = post(REVOKE, "token=" + access_tokens.issue(grant, at=AT))
        assert response.status_code == 400
        assert response.json()["error"] == "unsupported_token_type"
        assert self.is_open()

    def test_is_silent_about_tokens_of_others(self, post, grant, stranger):
        assert post(REVOKE, "client_id=other&token=the-refresh-token", {}).status_code == 200
        assert self.is_open()

    def test_is_silent_about_tokens_of_another_tenant(self, post, grant):
        assert post(REVOKE.replace("-t1", "-t2"), "token=the-refresh-token").status_code == 200
        assert self.is_open()

    @pytest.mark.parametrize("headers", [{}, {"Authorization": "Basic YXBwOndyb25n"}])
    def test_needs_the_application_to_say_who_it_is(self, post, grant, headers):
        assert post(REVOKE, "token=the-refresh-token", headers).status_code == 401
        assert post(REVOKE, "client_id=app&token=the-refresh-token", headers).status_code == 401
        assert self.is_open()

    def test_is_all_a_public_application_needs_its_name_for(self, post, grant, smart_application):
        SmartApplication.objects.update(client_type="public", authentication="none")
        assert post(REVOKE, "client_id=app&token=the-refresh-token", {}).status_code == 200
        assert not self.is_open()

    def test_can_be_absent(self, post, grant):
        scenarios.choose("revocation", "off")
        assert post(REVOKE, "token=the-refresh-token").status_code == 404


class TestTheManagePage:
    SIGN_IN = {"step": "sign-in", "username": "ada", "password": "lovelace-1815"}

    @pytest.mark.conformance("X66")
    def test_lists_what_the_patient_allowed_once_signed_in(self, client, grant):
        assert b"Phone app" not in client.get(MANAGE).content
        page = client.post(MANAGE, self.SIGN_IN, follow=True).content
        assert b"Phone app" in page
        assert b"Results and measurements" in page
        assert b"Reads while you are away too." in page

    @pytest.mark.conformance("X49", "X66")
    def test_removes_an_application_and_its_refresh_token_at_once(self, client, post, grant, smart_application):
        client.post(MANAGE, self.SIGN_IN)
        page = client.post(MANAGE, {"step": "remove", "application": smart_application.pk}, follow=True).content
        assert b"No application may read your record." in page
        assert SmartGrant.objects.get().end_reason == "removed by the patient"
        assert post(TOKENINFO, "token=the-refresh-token").json() == {"active": False}

    def test_is_of_one_organization(self, client, grant, account):
        Tenant.objects.create(id="-t2", name="Riverside")
        account.tenant_patients = {**account.tenant_patients, "-t2": {"r4": ["a1"]}}
        account.save()
        there = MANAGE.replace("-t1", "-t2")
        assert b"Phone app" not in client.post(there, self.SIGN_IN, follow=True).content
        client.post(there, {"step": "remove", "application": grant.application_id})
        assert SmartGrant.objects.get().ended_at is None
        assert client.get(MANAGE.replace("-t1", "-t3")).status_code == 404

    def test_is_of_one_person(self, client, grant):
        grace = enrolment.enrol("grace", "hopper-1906", "Grace Hopper", {"r4": ["g1"]})
        grace.tenant_patients = {"-t1": {"r4": ["g1"]}}
        grace.save()
        page = client.post(MANAGE, {"step": "sign-in", "username": "grace", "password": "hopper-1906"}, follow=True)
        assert b"Phone app" not in page.content
        client.post(MANAGE, {"step": "remove", "application": grant.application_id})
        assert SmartGrant.objects.get().ended_at is None

    def test_is_closed_to_people_without_a_record_there_and_to_clinicians(self, client, grant, account):
        account.tenant_patients = {}
        account.save()
        assert b"open nothing here" in client.post(MANAGE, self.SIGN_IN).content
        account.tenant_patients, account.practitioner_id = {"-t1": {"r4": ["a1"]}}, "p1"
        account.save()
        assert b"open nothing here" in client.post(MANAGE, self.SIGN_IN).content
        account.practitioner_id = ""
        account.save()
        client.post(MANAGE, self.SIGN_IN)
        account.practitioner_id = "p1"  # became one since
        account.save()
        assert b"Phone app" not in client.get(MANAGE).content

    @pytest.mark.parametrize(
        "given",
        [
            {"step": "remove", "application": "1"},
            {"step": "sign-in", "username": "ada", "password": "wrong"},
            {"step": "sign-in", "username": "ada\0", "password": "x"},
        ],
    )
    def test_does_nothing_for_nobody(self, client, grant, given):
        page = client.post(MANAGE, {**given, "application": grant.application_id})
        assert b"Sign in to see the applications" in page.content
        assert SmartGrant.objects.get().ended_at is None

    def test_leaves_out_what_ended_by_itself(self, client, grant):
        client.post(MANAGE, self.SIGN_IN)
        clock.set_to(AT + timedelta(days=93))
        assert b"Phone app" not in client.get(MANAGE).content

    @pytest.mark.parametrize("number", ["", "x", "-1", "9" * 30])
    def test_takes_no_nonsense(self, client, grant, number):
        client.post(MANAGE, self.SIGN_IN)
        assert client.post(MANAGE, {"step": "remove", "application": number}).status_code == 302

    def test_is_left_by_signing_out(self, client, grant):
        client.post(MANAGE, self.SIGN_IN)
        assert b"Phone app" not in client.post(MANAGE, {"step": "sign-out"}).content
        assert b"Phone app" not in client.get(MANAGE).content
