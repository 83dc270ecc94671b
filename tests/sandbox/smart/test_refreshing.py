"""Refreshing at interface B (specification S4, 5.2.3): what is sent, what is returned, and how access ends."""

from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from apps.sandbox import clock, scenarios
from apps.sandbox.models import SmartApplication, SmartGrant, Tenant
from apps.sandbox.smart import ending
from tests.sandbox.smart.literal import ADA, RIVERSIDE, WILLOW, authorize, token_address

pytestmark = pytest.mark.django_db

AT = datetime.fromisoformat("2026-03-02T09:30:00Z")
ONLINE = "patient/Observation.read online_access"
OFFLINE = "patient/Observation.read offline_access"
SIGN_OUT = f"/b/authorization/tenants/{WILLOW}/personas/patient/sign-out"


@pytest.fixture
def refresh(post_token):
    """Exactly what specification S4 lists, and what is added."""

    def refresh(token, extra="", address=None, headers=None):
        return post_token(f"grant_type=refresh_token&refresh_token={token}{extra}", address, headers)

    return refresh


@pytest.fixture
def given(exchange):
    """A refresh token, given at AT."""

    def given(scope=OFFLINE, **asked):
        clock.set_to(AT)
        return exchange(scope=scope, **asked).json()["refresh_token"]

    return given


def after(**passed):
    clock.set_to(AT + timedelta(**passed))


def is_dead(response, name="token-invalid"):
    assert response.status_code == 400
    assert response.json()["error"] == "invalid_grant"
    assert f"refresh-token%3A{name}" in response.json()["error_uri"]
    return True


class TestARefresh:
    @pytest.mark.conformance("X46", "X43")
    def test_needs_nothing_more_and_answers_with_four_fields(self, given, refresh):
        token = given("openid launch/patient patient/Observation.read offline_access")
        answer = refresh(token)
        assert answer.status_code == 200
        assert answer.json().keys() == {"access_token", "scope", "token_type", "expires_in"}
        assert answer.json()["scope"] == "openid launch/patient patient/Observation.read offline_access"
        assert (answer.json()["token_type"], answer.json()["expires_in"]) == ("Bearer", 570)

    @pytest.mark.conformance("X46")
    def test_leaves_its_token_as_good_as_it_was(self, given, refresh):
        token = given()
        answers = [refresh(token).json()["access_token"] for _ in range(3)]
        assert len(set(answers)) == 3

    def test_may_name_its_application_and_no_other(self, given, refresh, smart):
        token = given()
        smart("other")
        assert refresh(token, "&client_id=phone").status_code == 200
        assert is_dead(refresh(token, "&client_id=other"))
        assert refresh(token, "&client_id=nobody").status_code == 401

    @pytest.mark.parametrize("address", [token_address(RIVERSIDE), token_address(host="ehr")])
    def test_is_for_the_address_it_was_given_at(self, given, refresh, address):
        assert is_dead(refresh(given(), address=address))

    def test_can_ask_for_less_and_never_for_more(self, given, refresh):
        token = given("patient/Observation.read patient/Condition.read offline_access")
        assert refresh(token, "&scope=patient/Condition.read").json()["scope"] == "patient/Condition.read"
        assert refresh(token).json()["scope"].startswith("patient/Observation.read patient/Condition.read")
        for more in ("patient/Goal.read", "patient/Condition.read%20openid", "patient/condition.read"):
            answer = refresh(token, f"&scope={more}")
            assert (answer.status_code, answer.json()["error"]) == (400, "invalid_scope")

    @pytest.mark.parametrize("scope", ["patient/Observation.read", "openid launch/patient patient/Observation.read"])
    def test_is_nobodys_who_did_not_ask(self, exchange, scope):
        assert "refresh_token" not in exchange(scope=scope).json()

    def test_ends_with_the_application(self, given, refresh):
        token = given()
        SmartApplication.objects.update(status="retired")
        answer = refresh(token)
        assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client")

    def test_ends_with_the_organization(self, given, refresh):
        token = given()
        SmartApplication.objects.update(enabled_tenants=[RIVERSIDE])
        assert refresh(token).json()["error"] == "unauthorized_client"
        Tenant.objects.filter(pk=WILLOW).update(is_suspended=True)
        assert is_dead(refresh(token), "tenant-terminated")


class TestThePace:
    @pytest.mark.conformance("X47")
    def test_is_nobodys_business_usually(self, given, refresh):
        token = given()
        assert [refresh(token).status_code for _ in range(3)] == [200, 200, 200]

    @pytest.mark.conformance("X47")
    def test_is_a_minute_on_request(self, given, refresh):
        scenarios.choose("refresh_throttle", "on")
        token = given()
        after(seconds=1)
        assert refresh(token).status_code == 200
        after(seconds=31)
        answer = refresh(token)
        assert answer.status_code == 429
        assert answer.json()["error"] == "temporarily_unavailable"
        assert 28 <= int(answer["Retry-After"]) <= 31
        assert answer["Access-Control-Allow-Origin"] == "*"
        after(seconds=62)
        assert refresh(token).status_code == 200


class TestOnlineAccess:
    @pytest.mark.conformance("X48")
    def test_ends_when_the_person_signs_out(self, client, given, refresh):
        token = given(ONLINE)
        assert b"Sign out here?" in client.get(SIGN_OUT).content
        assert refresh(token).status_code == 200
        assert b"You are signed out" in client.post(SIGN_OUT).content
        assert is_dead(refresh(token), "session-invalid")

    @pytest.mark.conformance("X48")
    def test_ends_when_the_person_signs_out_of_the_portal(self, client, given, refresh):
        """Where a launch came from is where its person logs out (specification 3)."""
        token = given(ONLINE)
        client.post("/b/launch/", ADA)
        assert refresh(token).status_code == 200
        client.post("/b/launch/", {"step": "sign-out"})
        assert is_dead(refresh(token), "session-invalid")

    def test_stays_when_somebody_signs_out_elsewhere(self, given, refresh, allow):
        token = given(ONLINE)
        elsewhere = Client()
        allow(browser=elsewhere, scope=ONLINE)
        elsewhere.post(SIGN_OUT)
        assert refresh(token).status_code == 200

    def test_ends_when_somebody_else_signs_in(self, client, given, refresh, ada):
        token = given(ONLINE)
        client.post(authorize(scope=ONLINE), {"step": "someone-else"})
        assert is_dead(refresh(token), "session-invalid")

    def test_survives_another_sign_in_of_the_same_person(self, given, refresh, allow):
        token = given(ONLINE)
        allow(scope=ONLINE, state="another-state-123")
        assert refresh(token).status_code == 200

    @pytest.mark.conformance("X48")
    def test_ends_when_staff_end_it(self, client, given, refresh):
        token = given(ONLINE)
        staff = Client()
        User.objects.create_superuser("admin", password="admin")
        staff.login(username="admin", password="admin")
        grant = SmartGrant.objects.get()
        page = staff.post("/admin/sandbox/smartgrant/", {"action": "end", "_selected_action": [grant.pk]}, follow=True)
        assert b"1 ended." in page.content
        assert is_dead(refresh(token), "session-invalid")

    @pytest.mark.conformance("X48")
    def test_ends_when_it_is_not_used(self, given, refresh):
        token = given(ONLINE)
        after(minutes=29)
        assert refresh(token).status_code == 200
        after(minutes=58)
        assert refresh(token).status_code == 200
        after(minutes=89)
        assert is_dead(refresh(token), "session-invalid")
        after(minutes=60)
        assert is_dead(refresh(token), "session-invalid")

    def test_ends_sooner_on_request(self, given, refresh):
        scenarios.choose("session_minutes", "5")
        token = given(ONLINE)
        after(minutes=6)
        assert is_dead(refresh(token), "session-invalid")

    def test_takes_a_code_that_waits_with_it(self, client, phone, allow, post_token):
        code = allow(scope=ONLINE)["code"]
        client.post(SIGN_OUT)
        answer = post_token(f"grant_type=authorization_code&code={code}&client_id=phone")
        assert answer.json()["error"] == "invalid_grant"


class TestOfflineAccess:
    @pytest.mark.conformance("X49")
    def test_outlives_the_session(self, client, given, refresh):
        token = given()
        client.post(SIGN_OUT)
        after(days=30)
        assert refresh(token).status_code == 200

    @pytest.mark.conformance("X49")
    def test_ends_after_three_idle_months_and_use_extends_it(self, given, refresh):
        token = given()
        for days in (91.99, 183, 273):
            after(days=days)
            assert refresh(token).status_code == 200
        after(days=273 + 92, minutes=1)
        assert is_dead(refresh(token))
        after(days=280)
        assert is_dead(refresh(token))

    @pytest.mark.conformance("X49")
    def test_ends_when_staff_end_it(self, client, given, refresh):
        token = given()
        client.post("/control/grants/end", {"client_id": "phone"}, content_type="application/json")
        assert is_dead(refresh(token))

    def test_wins_over_online_access(self, client, given, refresh):
        token = given(f"{ONLINE} offline_access")
        client.post(SIGN_OUT)
        assert refresh(token).status_code == 200


class TestAccessThatIsNotUsed:
    @pytest.mark.parametrize(("scope", "lasts"), [(ONLINE, timedelta(minutes=30)), (OFFLINE, timedelta(days=92))])
    def test_ends_at_the_very_moment_its_time_is_over_and_for_good(self, given, scope, lasts):
        given(scope)
        SmartGrant.objects.update(last_used_at=AT)
        grant = SmartGrant.objects.get()
        assert not ending.has_ended(grant, at=AT + lasts - timedelta(microseconds=1))
        assert SmartGrant.objects.get().ended_at is None
        assert ending.has_ended(grant, at=AT + lasts)
        kept = SmartGrant.objects.get()
        assert (kept.ended_at, kept.end_reason) == (AT + lasts, "not used for too long")
        for whichever in (grant, kept):
            assert ending.has_ended(whichever, at=AT)

    def test_keeps_the_reason_that_it_ended_for_before(self, given):
        given()
        ending.end(SmartGrant.objects.all(), reason="sign-out", at=AT)
        assert ending.has_ended(SmartGrant.objects.get(), at=AT + timedelta(days=365))
        assert SmartGrant.objects.get().end_reason == "sign-out"


class TestRotation:
    def test_answers_with_a_new_token_and_ends_the_old_one(self, given, refresh):
        scenarios.choose("rotation", "on")
        first = given()
        second = refresh(first).json()["refresh_token"]
        assert is_dead(refresh(first))
        assert refresh(second).json()["refresh_token"] not in {first, second}

    def test_can_be_gracious(self, given, refresh):
        scenarios.choose("rotation", "on")
        scenarios.choose("rotation_grace", "60")
        token = given()
        assert refresh(token).status_code == 200
        after(seconds=50)
        assert refresh(token).status_code == 200
        after(seconds=70)
        assert is_dead(refresh(token))

    def test_can_punish(self, given, refresh):
        scenarios.choose("rotation", "on")
        scenarios.choose("rotation_reuse", "ends-grant")
        first = given()
        second = refresh(first).json()["refresh_token"]
        assert is_dead(refresh(first))
        assert is_dead(refresh(second))

    def test_can_forget_everybodys_for_a_while(self, given, refresh):
        token = given()
        scenarios.choose("refresh_tokens", "forgotten")
        assert is_dead(refresh(token))
        scenarios.choose("refresh_tokens", "known")
        assert refresh(token).status_code == 200


class TestSignIn:
    def test_of_interface_a_gives_no_access_here(self, client, application, phone, ada, grace):
        address = (
            "/a/r4/auth/authorize?response_type=code&client_id=app&redirect_uri=https%3A%2F%2Fapp.example%2Fback%2F7Q"
        )
        client.post(address, {"step": "sign-in", "username": "grace", "password": "hopper-1906", "keep": "on"})
        assert b"Sign in at your practice" in client.get(authorize()).content
        assert b"You are signed in as" in client.post(authorize(), ADA).content
