"""The token endpoint of interface B (specification S3): how a code is exchanged, and the answers."""

import base64
import json
from datetime import datetime, timedelta

import pytest
from joserfc import jwt
from joserfc.jwk import import_key

from apps.sandbox import clock, scenarios
from apps.sandbox.models import SmartApplication, SmartGrant, Tenant
from tests.sandbox.smart.literal import FORM, RIVERSIDE, WILLOW, authorize, token_address

pytestmark = pytest.mark.django_db

# RFC 7636 appendix B
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
CHALLENGED = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}
OLDER = f"/b/authorization/tenants/{WILLOW}/protocols/oauth2/profiles/smart-v1/token"


def is_refused(response, error, status=400):
    assert response.status_code == status, response.content
    assert response.json()["error"] == error
    assert "access_token" not in response.json()
    return True


class TestTheRequest:
    @pytest.mark.conformance("X40")
    def test_of_the_specification_gives_a_token(self, allow, phone, post_token):
        code = allow(redirect_uri=None)["code"]
        answer = post_token(f"grant_type=authorization_code&code={code}&client_id=phone&state=s-0123456789-abcdef")
        assert answer.status_code == 200
        assert answer.json()["access_token"]

    @pytest.mark.conformance("X40")
    @pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "HEAD"])
    def test_is_a_post(self, client, phone, method):
        response = client.generic(method, token_address())
        assert response.status_code == 405
        assert response["Allow"] == "OPTIONS, POST"

    @pytest.mark.conformance("X40")
    @pytest.mark.parametrize("content_type", ["application/json", "text/plain", "", "multipart/form-data; boundary=x"])
    def test_is_a_form(self, allow, phone, post_token, content_type):
        body = f"grant_type=authorization_code&code={allow()['code']}&client_id=phone"
        assert is_refused(post_token(body, content_type=content_type), "invalid_request")
        assert post_token(body, content_type=f"{FORM}; charset=UTF-8").status_code == 200

    @pytest.mark.conformance("X40")
    def test_is_not_json(self, allow, phone, post_token):
        body = {"grant_type": "authorization_code", "code": allow()["code"], "client_id": "phone"}
        assert is_refused(post_token(json.dumps(body), content_type="application/json"), "invalid_request")

    @pytest.mark.conformance("X40")
    def test_may_say_what_nobody_knows(self, exchange):
        assert exchange({"colour": "red", "resource": "https://x.example"}).status_code == 200

    @pytest.mark.conformance("X40")
    @pytest.mark.parametrize("name", ["grant_type", "code", "client_id", "state", "colour"])
    def test_says_each_thing_once(self, allow, phone, post_token, name):
        code = allow()["code"]
        values = {"grant_type": "authorization_code", "code": code, "client_id": "phone"}
        again = f"&{name}={values.get(name, 'x')}" * (1 if name in values else 2)
        body = f"grant_type=authorization_code&code={code}&client_id=phone{again}"
        assert is_refused(post_token(body), "invalid_request")

    @pytest.mark.conformance("X40")
    def test_has_nothing_secret_in_its_address(self, allow, phone, post_token):
        code = allow()["code"]
        whole = f"grant_type=authorization_code&code={code}&client_id=phone"
        assert is_refused(post_token("", address=f"{token_address()}?{whole}"), "invalid_request")
        assert is_refused(post_token(whole, address=f"{token_address()}?client_id=phone"), "invalid_request")
        assert is_refused(post_token(whole, address=f"{token_address()}?client_secret=s"), "invalid_request")
        assert post_token(whole, address=f"{token_address()}?trace=1").status_code == 200

    @pytest.mark.parametrize(
        ("body", "error"),
        [
            ("", "invalid_request"),
            ("grant_type=", "invalid_request"),
            ("grant_type=authorization_code&client_id=phone", "invalid_request"),
            ("grant_type=refresh_token&client_id=phone", "invalid_request"),
            ("grant_type=password&username=ada&password=lovelace-1815&client_id=phone", "unsupported_grant_type"),
            ("grant_type=AUTHORIZATION_CODE&code=x&client_id=phone", "unsupported_grant_type"),
            ("grant_type=authorization_code&code=never-given&client_id=phone", "invalid_grant"),
            ("grant_type=authorization_code&code=never-given%00&client_id=phone%00", "invalid_client"),
            ("grant_type=refresh_token&refresh_token=never-given", "invalid_grant"),
        ],
    )
    def test_is_told_what_is_wrong_with_it(self, phone, post_token, body, error):
        assert is_refused(post_token(body), error, 401 if error == "invalid_client" else 400)


class TestTheAddress:
    @pytest.mark.conformance("X30")
    def test_carries_tenant_host_and_profile(self, exchange):
        assert exchange(address=token_address()).status_code == 200
        assert exchange(address=OLDER).status_code == 404

    @pytest.mark.conformance("X30")
    def test_has_no_host_in_the_older_form(self, exchange):
        scenarios.choose("token_path", "older")
        assert exchange(address=OLDER).status_code == 200
        assert exchange(address=token_address()).status_code == 404

    @pytest.mark.parametrize("address", [token_address(RIVERSIDE), token_address(host="ehr"), token_address("nowhere")])
    def test_is_that_of_the_code(self, exchange, address):
        response = exchange(address=address)
        assert is_refused(response, "invalid_grant")
        assert "tenant%3Amismatch" in response.json()["error_uri"]


class TestACode:
    def test_works_once_and_takes_what_it_gave_with_it(self, allow, phone, post_token):
        body = f"grant_type=authorization_code&code={allow()['code']}&client_id=phone"
        token = post_token(body).json()["refresh_token"]
        assert is_refused(post_token(body), "invalid_grant")
        assert is_refused(post_token(f"grant_type=refresh_token&refresh_token={token}"), "invalid_grant")

    def test_that_was_used_ends_what_it_gave_however_late_it_comes_again(self, allow, phone, post_token):
        clock.set_to(datetime.fromisoformat("2026-03-02T09:30:00Z"))
        body = f"grant_type=authorization_code&code={allow()['code']}&client_id=phone"
        token = post_token(body).json()["refresh_token"]
        clock.move(3_600)
        assert is_refused(post_token(body), "invalid_grant")
        assert is_refused(post_token(f"grant_type=refresh_token&refresh_token={token}"), "invalid_grant")

    def test_waits_a_minute(self, allow, phone, post_token):
        at = datetime.fromisoformat("2026-03-02T09:30:00Z")
        codes = []
        for state in ("first-state-123456", "second-state-12345"):
            clock.set_to(at)
            codes.append(allow(state=state)["code"])
        clock.set_to(at + timedelta(seconds=58))
        body = "grant_type=authorization_code&client_id=phone&code="
        assert post_token(body + codes[0]).status_code == 200
        clock.set_to(at + timedelta(seconds=62))
        assert is_refused(post_token(body + codes[1]), "invalid_grant")

    def test_is_of_one_application(self, exchange, smart):
        smart("other")
        response = exchange({"client_id": "other"})
        assert is_refused(response, "invalid_grant")
        assert "client%3Amismatch" in response.json()["error_uri"]

    @pytest.mark.conformance("X41")
    @pytest.mark.parametrize("state", ["another-state-123", "S-0123456789-abcdef", "s-0123456789-abcdef "])
    def test_comes_with_its_own_state_or_none(self, exchange, state):
        assert is_refused(exchange({"state": state}), "invalid_grant")
        assert exchange({"state": None}).status_code == 200
        assert exchange({"state": "s-0123456789-abcdef"}).status_code == 200

    @pytest.mark.conformance("X41")
    def test_that_had_no_state_gets_none_later(self, exchange):
        scenarios.choose("state", "optional")
        assert is_refused(exchange({"state": "s"}, state=None), "invalid_grant")

    @pytest.mark.parametrize("address", ["https://app.example/back/7Q/", "https://app.example/", "x"])
    def test_comes_with_its_own_redirect_address(self, exchange, address):
        assert is_refused(exchange({"redirect_uri": address}), "invalid_grant")

    def test_that_had_no_redirect_address_gets_none_later(self, exchange):
        assert is_refused(exchange(redirect_uri=None), "invalid_grant")
        assert exchange({"redirect_uri": ""}, redirect_uri=None).status_code == 200

    def test_repeats_its_redirect_address_on_request(self, exchange):
        assert exchange({"redirect_uri": None}).status_code == 200
        scenarios.choose("token_redirect_uri", "required")
        assert is_refused(exchange({"redirect_uri": None}), "invalid_grant")
        assert exchange({"redirect_uri": None}, redirect_uri=None).status_code == 200

    def test_is_dead_where_the_organization_is_gone(self, allow, phone, post_token):
        code = allow()["code"]
        Tenant.objects.filter(pk=WILLOW).update(is_suspended=True)
        body = f"grant_type=authorization_code&code={code}&client_id=phone"
        assert is_refused(post_token(body), "invalid_grant")

    def test_is_dead_where_the_organization_lets_the_application_in_no_more(self, allow, phone, post_token):
        code = allow()["code"]
        SmartApplication.objects.update(enabled_tenants=[])
        body = f"grant_type=authorization_code&code={code}&client_id=phone"
        assert is_refused(post_token(body), "unauthorized_client")


class TestPkce:
    @pytest.mark.conformance("X64")
    def test_wants_the_verifier_of_the_challenge(self, exchange):
        assert exchange({"code_verifier": VERIFIER}, **CHALLENGED).status_code == 200

    @pytest.mark.conformance("X64")
    @pytest.mark.parametrize("verifier", [None, "", VERIFIER[:-1], VERIFIER.lower(), CHALLENGE])
    def test_takes_no_other(self, exchange, verifier):
        assert is_refused(exchange({"code_verifier": verifier}, **CHALLENGED), "invalid_grant")

    @pytest.mark.conformance("X64")
    def test_takes_no_verifier_that_nothing_challenged(self, exchange):
        assert is_refused(exchange({"code_verifier": VERIFIER}), "invalid_grant")

    def test_gives_a_code_one_more_try_after_a_wrong_verifier(self, allow, phone, post_token):
        body = f"grant_type=authorization_code&client_id=phone&code={allow(**CHALLENGED)['code']}"
        assert is_refused(post_token(f"{body}&code_verifier={'a' * 43}"), "invalid_grant")
        assert post_token(f"{body}&code_verifier={VERIFIER}").status_code == 200


class TestTheAnswer:
    @pytest.mark.conformance("X42")
    def test_has_a_signed_token_and_says_how_long_it_works(self, client, exchange):
        answer = exchange(scope="launch/patient patient/Observation.read").json()
        assert answer.keys() == {"access_token", "token_type", "expires_in", "scope", "patient"}
        assert answer["token_type"] == "Bearer"
        assert answer["expires_in"] == 570
        assert answer["scope"] == "launch/patient patient/Observation.read"
        header, payload, _ = answer["access_token"].split(".")
        header, payload = (json.loads(base64.urlsafe_b64decode(part + "==")) for part in (header, payload))
        assert header["alg"] == "ES256"
        assert payload["aud"] == f"http://testserver/b/myrecord/r4/{WILLOW}/"
        assert payload["exp"] - payload["iat"] == 570  # specification 3: it ends when expires_in has passed

    @pytest.mark.conformance("X42")
    def test_has_a_token_that_a_published_key_signed(self, client, exchange):
        token = exchange().json()["access_token"]
        kid = json.loads(base64.urlsafe_b64decode(token.split(".")[0] + "=="))["kid"]
        keys = client.get("/b/authorization/jwk").json()["keys"]
        (key,) = [key for key in keys if key["kid"] == kid]
        assert jwt.decode(token, import_key(key), algorithms=["ES256"]).claims["azp"] == "phone"

    @pytest.mark.conformance("X43")
    @pytest.mark.parametrize(
        ("scope", "extra"),
        [
            ("patient/Observation.read", set()),
            ("launch/patient patient/Observation.read", {"patient"}),
            ("launch/patient user/Practitioner.read", {"patient"}),
            ("patient/Observation.read online_access", {"refresh_token"}),
            ("patient/Observation.read offline_access", {"refresh_token"}),
            ("patient/Observation.read openid", {"id_token"}),
            ("patient/Observation.read fhirUser", set()),
            ("openid fhirUser launch/patient offline_access", {"id_token", "patient", "refresh_token"}),
        ],
    )
    def test_has_each_further_field_under_its_condition(self, exchange, scope, extra):
        answer = exchange(scope=scope).json()
        assert answer.keys() - {"access_token", "token_type", "expires_in", "scope"} == extra

    @pytest.mark.conformance("X43")
    def test_has_nothing_for_what_was_dropped(self, exchange):
        scope = "openid launch/patient patient/Observation.read offline_access"
        answer = exchange(scope=scope, drop=["openid", "offline_access"]).json()
        assert answer.keys() == {"access_token", "token_type", "expires_in", "scope", "patient"}
        assert answer["scope"] == "launch/patient patient/Observation.read"

    def test_tells_nobody_whose_record_it_is_on_request(self, exchange):
        scenarios.choose("launch_patient", "kept-back")
        assert "patient" not in exchange().json()
        assert SmartGrant.objects.get().patient_id == "r-ada"

    def test_spells_things_otherwise_on_request(self, exchange):
        scenarios.choose("token_type_case", "bearer")
        scenarios.choose("expires_in_form", "text")
        answer = exchange().json()
        assert (answer["token_type"], answer["expires_in"]) == ("bearer", "570")


class TestHeaders:
    NAMES = {
        "Cache-Control": "no-store",
        "Pragma": "no-cache",
        "Content-Type": "application/json",
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Allow-Methods": "OPTIONS, POST",
        "Access-Control-Allow-Headers": "Content-Type, Authorization",
    }

    @pytest.mark.conformance("X44")
    def test_are_on_every_answer(self, exchange, post_token, client):
        answers = [
            exchange(),
            post_token("grant_type=authorization_code"),
            post_token("grant_type=authorization_code&code=x&client_id=nobody"),
            post_token("{}", content_type="application/json"),
            client.get(token_address()),
        ]
        assert [answer.status_code for answer in answers] == [200, 400, 401, 400, 405]
        for answer in answers:
            assert {name: answer[name] for name in self.NAMES} == self.NAMES

    @pytest.mark.conformance("X45")
    def test_answer_a_preflight(self, client):
        asked = {
            "Origin": "https://app.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type",
        }
        answer = client.options(token_address(), headers=asked)
        assert answer.status_code == 200
        assert answer["Access-Control-Allow-Origin"] == "*"
        assert "POST" in answer["Access-Control-Allow-Methods"]
        assert answer["Access-Control-Allow-Headers"] == "Content-Type, Authorization"


class TestRefusals:
    @pytest.mark.conformance("X63")
    def test_name_a_page_that_explains_them(self, client, phone, post_token):
        answer = post_token("grant_type=authorization_code&code=never-given&client_id=phone").json()
        assert answer.keys() == {"error", "error_uri"}
        begin = (
            "http://testserver/b/authorization/errors/urn%3Asandbox%3Aerror%3Aauthorization-server%3Aoauth2%3Atoken%3A"
        )
        assert answer["error_uri"].startswith(begin)
        assert f"?client=phone&tenant={WILLOW}" in answer["error_uri"]
        assert client.get(answer["error_uri"]).status_code == 200

    @pytest.mark.parametrize(("form", "body"), [("text", b"invalid_grant"), ("empty", b"")])
    def test_have_other_forms_on_request(self, phone, post_token, form, body):
        scenarios.choose("token_error_form", form)
        answer = post_token("grant_type=authorization_code&code=never-given&client_id=phone")
        assert (answer.status_code, answer.content) == (400, body)

    def test_and_faults_meet_this_address_too(self, client, post_token, phone):
        client.post("/control/faults", {"route": "token", "kind": "unavailable"}, content_type="application/json")
        client.post("/control/faults", {"route": "authorize", "kind": "error"}, content_type="application/json")
        assert post_token("grant_type=refresh_token&refresh_token=x").status_code == 503
        assert client.get(authorize()).status_code == 500
        assert client.get(authorize()).status_code == 200


class TestTheLifeOfAnAccessToken:
    @pytest.mark.conformance("X42")
    @pytest.mark.parametrize("seconds", ["600", "300", "90"])
    def test_is_half_a_minute_less_than_the_switch_says_and_told_as_it_is(self, exchange, seconds):
        scenarios.choose("smart_access_seconds", seconds)
        told, lives = self.told_and_lived(exchange)
        assert told == lives == int(seconds) - 30

    @pytest.mark.parametrize("seconds", ["600", "300", "90"])
    def test_is_longer_than_told_and_less_than_the_switch_says_on_request(self, exchange, seconds):
        scenarios.choose("smart_access_end", "later")
        scenarios.choose("smart_access_seconds", seconds)
        assert self.told_and_lived(exchange) == (int(seconds) - 30, int(seconds) - 1)

    def told_and_lived(self, exchange):
        answer = exchange().json()
        claims = json.loads(base64.urlsafe_b64decode(answer["access_token"].split(".")[1] + "=="))
        return answer["expires_in"], claims["exp"] - claims["iat"]
