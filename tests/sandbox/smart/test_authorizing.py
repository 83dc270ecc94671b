"""The authorization endpoint of interface B: who may request what, and the way back (specification S2)."""

from urllib.parse import quote

import pytest
from django.test import Client

from apps.sandbox import scenarios
from apps.sandbox.models import SmartGrant
from tests.sandbox.smart.literal import ADA, RIVERSIDE, WILLOW, authorize, sent_back

pytestmark = pytest.mark.django_db

ROOT = f"http://testserver/b/myrecord/r4/{WILLOW}/"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"  # RFC 7636 appendix B
WHOLE = (
    "/b/authorization/tenants/5c2d9c1a-7e64-4b0f-9d53-0f8a6b1e2c37/protocols/oauth2/profiles/smart-v1"
    "/personas/patient/authorize?response_type=code&client_id=phone&scope=patient%2FObservation.read&state=af0ifjsldkj"
    "&aud=http%3A%2F%2Ftestserver%2Fb%2Fmyrecord%2Fr4%2F5c2d9c1a-7e64-4b0f-9d53-0f8a6b1e2c37%2F"
)


class TestTheRequest:
    @pytest.mark.conformance("X32", "X34")
    def test_of_the_specification_leads_to_a_code(self, client, phone, ada):
        client.post(WHOLE, ADA)
        back = sent_back(client.post(WHOLE, {"step": "allow", "scope": ["patient/Observation.read"]}))
        assert back.keys() == {"code", "state"}
        assert back["state"] == "af0ifjsldkj"

    @pytest.mark.conformance("X32")
    @pytest.mark.parametrize("name", ["scope", "state", "aud"])
    @pytest.mark.parametrize("value", [None, ""])
    def test_gives_no_code_without_scope_state_and_aud(self, client, phone, ada, name, value):
        response = client.get(authorize(**{name: value}))
        assert sent_back(response)["error"] == "invalid_request"
        for form in (ADA, {"step": "allow", "scope": "patient/Observation.read"}):
            assert sent_back(client.post(authorize(**{name: value}), form))["error"] == "invalid_request"
        assert not SmartGrant.objects.exists()

    @pytest.mark.conformance("X35")
    @pytest.mark.parametrize("value", ["token", "code token", "CODE", "id_token"])
    def test_is_for_a_code_and_nothing_else(self, client, phone, value):
        assert sent_back(client.get(authorize(response_type=value)))["error"] == "unsupported_response_type"

    def test_names_its_response_type(self, client, phone):
        assert sent_back(client.get(authorize(response_type=None)))["error"] == "invalid_request"

    @pytest.mark.parametrize("name", ["scope", "state", "aud", "response_type", "nonce", "something"])
    def test_says_each_thing_once(self, client, phone, name):
        response = client.get(authorize() + f"&{name}=a&{name}=a")
        assert sent_back(response)["error"] == "invalid_request"

    @pytest.mark.parametrize("state", ["s", "0123456789abcde"])
    def test_needs_a_long_state_on_request(self, client, phone, state):
        scenarios.choose("state", "at-least-16")
        assert sent_back(client.get(authorize(state=state)))["error"] == "invalid_request"
        assert client.get(authorize(state="0123456789abcdef")).status_code == 200

    def test_needs_no_state_on_request(self, client, phone, allow):
        scenarios.choose("state", "optional")
        assert allow(state=None).keys() == {"code"}

    def test_may_come_as_a_form(self, phone, ada):
        browser = Client(enforce_csrf_checks=True)
        address, query = authorize().split("?")
        response = browser.post(address, query, content_type="application/x-www-form-urlencoded")
        assert response.status_code == 303
        assert response["Location"] == authorize()
        assert b"Sign in at your practice" in browser.get(response["Location"]).content

    def test_is_answered_by_nobody_from_another_page(self, phone, ada):
        browser = Client(enforce_csrf_checks=True)
        assert browser.post(authorize(), ADA).status_code == 403
        assert browser.post(authorize(), {"step": "allow"}).status_code == 403

    @pytest.mark.conformance("X45")
    @pytest.mark.parametrize("method", ["get", "post", "options"])
    def test_is_no_business_of_scripts(self, client, phone, method):
        response = getattr(client, method)(authorize(), headers={"Origin": "https://app.example"})
        assert not [name for name in response.headers if name.lower().startswith("access-control-")]

    def test_knows_nothing_of_interface_a(self, client, application):
        assert client.get(authorize(client_id="app")).status_code == 400


class TestTheRedirectAddress:
    @pytest.mark.conformance("X34")
    @pytest.mark.parametrize(
        "address",
        [
            "https://app.example/back/7Q/",
            "https://app.example/back/7q",
            "https://app.example/back/7Q?a=1",
            "https://app.example/back/7Q#a",
            "https://evil.example/back/7Q",
            "http://app.example/back/7Q",
            "/back/7Q",
        ],
    )
    def test_is_letter_by_letter_one_that_is_registered(self, client, phone, address):
        response = client.get(authorize(redirect_uri=address))
        assert response.status_code == 400
        assert "Location" not in response
        assert b"not registered" in response.content

    @pytest.mark.conformance("X34")
    def test_may_be_left_out_where_there_is_only_one(self, allow, phone):
        assert "code" in allow(redirect_uri=None)

    @pytest.mark.conformance("X34")
    def test_is_needed_where_there_are_several(self, client, smart):
        smart(redirect_uris=["https://app.example/back/7Q", "https://app.example/other"])
        assert client.get(authorize(redirect_uri=None)).status_code == 400
        assert client.get(authorize()).status_code == 200

    def test_cannot_come_twice(self, client, phone):
        response = client.get(authorize() + "&redirect_uri=https%3A%2F%2Fevil.example%2F")
        assert response.status_code == 400
        assert "Location" not in response

    def test_keeps_its_own_query(self, client, smart, ada):
        smart(redirect_uris=["https://app.example/back/7Q?tenant=7&x=%20"])
        response = client.post(authorize(redirect_uri="https://app.example/back/7Q?tenant=7&x=%20"), {"step": "cancel"})
        assert response["Location"].startswith("https://app.example/back/7Q?tenant=7&x=%20&error=access_denied&")


class TestTheApplication:
    @pytest.mark.parametrize("client_id", ["nobody", None, "", "phone\0"])
    def test_is_shown_a_page_when_unknown(self, client, phone, client_id):
        response = client.get(authorize(client_id=client_id))
        assert response.status_code == 400
        assert "Location" not in response

    def test_is_shown_a_page_when_retired(self, client, smart):
        smart(status="retired")
        assert client.get(authorize()).status_code == 400

    def test_asks_where_its_people_sign_in(self, client, phone, noor):
        address = authorize(persona="provider", aud=f"http://testserver/b/ehr/r4/{WILLOW}/")
        assert sent_back(client.get(address))["error"] == "unauthorized_client"

    def test_asks_for_a_version_it_has(self, client, smart):
        smart(versions=["dstu2"])
        assert sent_back(client.get(authorize()))["error"] == "unauthorized_client"
        assert client.get(authorize(aud=ROOT.replace("r4", "dstu2"))).status_code == 200

    @pytest.mark.conformance("X60")
    def test_is_turned_away_where_it_is_not_enabled(self, client, smart):
        smart(enabled_tenants=[RIVERSIDE])
        back = sent_back(client.get(authorize()))
        assert back["error"] == "unauthorized_client"
        assert "unauthorized-client-for-tenant" in back["error_uri"]
        assert client.get(authorize(RIVERSIDE)).status_code == 200

    @pytest.mark.conformance("X60")
    def test_is_stopped_with_a_page_on_request(self, client, smart):
        smart(enabled_tenants=[])
        scenarios.choose("not_enabled", "error-page")
        response = client.get(authorize())
        assert response.status_code == 400
        assert b"has not enabled the application" in response.content


class TestTheAudience:
    @pytest.mark.conformance("X33")
    @pytest.mark.parametrize(
        "aud",
        [
            "https://evil.example/r4",
            f"http://testserver.evil.example/b/myrecord/r4/{WILLOW}/",
            f"http://testserver@evil.example/b/myrecord/r4/{WILLOW}/",
            f"https://testserver/b/myrecord/r4/{WILLOW}/",
            f"http://testserver/b/myrecord/r4/{RIVERSIDE}/",
            f"http://testserver/b/ehr/r4/{WILLOW}/",
            f"http://testserver/b/open/r4/{WILLOW}/",
            f"http://testserver/b/myrecord/r5/{WILLOW}/",
            f"http://testserver/b/MyRecord/r4/{WILLOW}/",
            f"http://testserver/b/myrecord/r4/{WILLOW.upper()}/",
            f"http://testserver/b/myrecord/r4/{WILLOW}//",
            f"http://testserver/b/myrecord/r4/{WILLOW}/Patient",
            f"http://testserver/b/myrecord/r4/{WILLOW}/?a=1",
            f"http://testserver/b/myrecord/r4/{WILLOW}#",
            f"http://testserver/b/myrecord/r4/x/../{WILLOW}/",
            "http://testserver/b/myrecord/r4/",
            "http://testserver/",
            "http://[",
            WILLOW,
        ],
    )
    def test_that_is_foreign_never_gives_a_code(self, client, phone, ada, aud):
        assert sent_back(client.get(authorize(aud=aud)))["error"] == "invalid_request"
        client.post(authorize(), {**ADA, "keep": "on"})
        back = sent_back(client.post(authorize(aud=aud), {"step": "allow", "scope": "patient/Observation.read"}))
        assert back["error"] == "invalid_request"
        assert "unknown-resource-server" in back["error_uri"]
        assert not SmartGrant.objects.exists()

    @pytest.mark.parametrize(
        "aud", [ROOT, ROOT.removesuffix("/"), ROOT.replace("http://testserver", "HTTP://TestServer")]
    )
    def test_may_lack_its_slash_and_be_cased_as_hosts_are(self, allow, phone, aud):
        assert "code" in allow(aud=aud)
        assert SmartGrant.objects.get().aud == aud

    def test_needs_its_slash_on_request(self, client, phone):
        scenarios.choose("aud_slash", "matters")
        assert sent_back(client.get(authorize(aud=ROOT.removesuffix("/"))))["error"] == "invalid_request"
        assert client.get(authorize()).status_code == 200

    @pytest.mark.conformance("X33")
    def test_is_understood_by_the_name_the_specification_gives_it(self, client, phone):
        assert client.get(authorize(aud=None, audience=ROOT)).status_code == 200
        assert client.get(authorize(audience=ROOT)).status_code == 200
        for foreign in ({"aud": None, "audience": "https://evil.example/"}, {"audience": "https://evil.example/"}):
            assert sent_back(client.get(authorize(**foreign)))["error"] == "invalid_request"

    def test_has_its_name_on_the_wire_alone_on_request(self, client, phone):
        scenarios.choose("aud_alias", "off")
        assert sent_back(client.get(authorize(aud=None, audience=ROOT)))["error"] == "invalid_request"
        assert client.get(authorize()).status_code == 200

    @pytest.mark.conformance("X33")
    def test_has_a_third_name_on_request(self, client, phone):
        address = authorize(aud=None, resource=ROOT)
        assert sent_back(client.get(address))["error"] == "invalid_request"
        scenarios.choose("aud_alias", "on")
        assert client.get(address).status_code == 200
        assert sent_back(client.get(authorize(resource="https://evil.example/")))["error"] == "invalid_request"

    def test_must_be_of_the_organization_that_is_asked(self, client, phone):
        assert sent_back(client.get(authorize("no-such-tenant", aud=ROOT)))["error"] == "invalid_request"


class TestScopes:
    @pytest.mark.conformance("X53")
    @pytest.mark.parametrize(
        "scope",
        [
            "Patient/Observation.read",
            "patient/observation.read",
            "patient/Observation.Read",
            "PATIENT/Observation.read",
            "patient/Observation",
            "patient/Observation.",
            "patient/Observation.reads",
            "patient/Observation.read,write",
            "patient/Observation.readwrite",
            "patient/*.read",
            "patient/Observation.*",
            "patient/*.*",
            "*/Observation.read",
            "patient:Observation.read",
            "practitioner/Observation.read",
            "system/Observation.read",
            "patient/Observation.rs",
            "patient/Observation.cruds",
            "launch/practitioner",
            "Offline_access",
            "email",
            "patient/Observation.read  openid",
            " patient/Observation.read",
            "patient/Observation.read\topenid",
            "patient/Obs\u0435rvation.read",
        ],
    )
    def test_are_refused_when_not_in_the_grammar(self, client, phone, scope):
        for wanted in (scope, f"patient/Patient.read {scope}"):
            assert sent_back(client.get(authorize(scope=wanted)))["error"] == "invalid_scope"

    @pytest.mark.conformance("X53")
    @pytest.mark.parametrize("scope", ["patient/Observation.rs", "patient/Observation.s", "user/Practitioner.r"])
    def test_are_v2_for_applications_registered_for_it(self, smart, allow, scope):
        smart(smart_version="v2")
        assert "code" in allow(scope=scope)
        assert SmartGrant.objects.get().scopes == [scope]

    @pytest.mark.conformance("X53")
    @pytest.mark.parametrize(
        "scope",
        ["patient/Observation.read", "patient/Observation.sr", "patient/Observation.rr", "patient/Observation.",
         "patient/*.rs", "patient/Observation.RS", "patient/Observation.rs?", "patient/Observation.rs?category"],
    )  # fmt: skip
    def test_are_v2_alone_for_those(self, client, smart, scope):
        smart(smart_version="v2")
        assert sent_back(client.get(authorize(scope=scope)))["error"] == "invalid_scope"

    @pytest.mark.conformance("X53")
    def test_are_of_both_versions_on_request(self, phone, allow):
        scenarios.choose("scope_grammar", "both")
        allow(scope="patient/Observation.rs patient/Condition.read")
        assert SmartGrant.objects.get().scopes == ["patient/Observation.rs", "patient/Condition.read"]

    def test_may_carry_the_old_prefix(self, phone, allow):
        scope = "http://smarthealthit.org/fhir/scopes/patient/Observation.read"
        allow(scope=scope)
        assert SmartGrant.objects.get().scopes == [scope]

    def test_that_cannot_be_granted_are_left_out(self, smart, allow):
        smart(smart_version="v2")
        allow(
            scope="patient/Observation.cruds patient/Condition.c patient/Practitioner.rs user/Practitioner.rs"
            " patient/MedicinalProduct.rs patient/Goal.rs?status=active patient/Goal.rs patient/Goal.rs"
            " launch/encounter"
        )
        assert SmartGrant.objects.get().scopes == ["patient/Observation.rs", "user/Practitioner.rs", "patient/Goal.rs"]

    def test_are_those_the_application_is_registered_for(self, smart, allow):
        smart(scopes=["openid", "patient/Observation.read"])
        allow(scope="openid patient/Observation.read patient/Condition.read offline_access")
        assert SmartGrant.objects.get().scopes == ["openid", "patient/Observation.read"]

    @pytest.mark.parametrize("scope", ["launch/patient", "offline_access online_access", "patient/Observation.write"])
    def test_must_open_something(self, client, phone, scope):
        told = sent_back(client.get(authorize(scope=scope)))
        assert told["error"] == "access_denied"
        assert "denied-by-server" in told["error_uri"]

    def test_are_not_more_than_a_header_holds(self, client, phone):
        scope = " ".join(f"patient/{'A' * 20}{chr(65 + n % 26)}{chr(65 + n // 26)}.read" for n in range(200))
        assert sent_back(client.get(authorize(scope="patient/Patient.read " + scope)))["error"] == "invalid_scope"


class TestLastingAccess:
    def test_needs_a_prompt_on_request(self, phone, allow):
        scenarios.choose("offline_consent", "with-prompt")
        allow()
        allow(prompt="login consent")
        first, second = SmartGrant.objects.order_by("pk")
        assert (first.access, "offline_access" in first.scopes) == ("", False)
        assert (second.access, "offline_access" in second.scopes) == ("offline", True)

    def test_asks_nobody_when_no_page_may_be_shown(self, client, phone, ada):
        assert sent_back(client.get(authorize(prompt="none")))["error"] == "login_required"
        client.post(authorize(), {**ADA, "keep": "on"})
        assert sent_back(client.get(authorize(prompt="none")))["error"] == "consent_required"


class TestPkce:
    @pytest.mark.conformance("X64")
    @pytest.mark.parametrize(
        "given",
        [
            {"code_challenge": CHALLENGE, "code_challenge_method": "plain"},
            {"code_challenge": CHALLENGE},
            {"code_challenge": CHALLENGE, "code_challenge_method": "s256"},
            {"code_challenge": CHALLENGE[:-1], "code_challenge_method": "S256"},
            {"code_challenge": CHALLENGE + "=", "code_challenge_method": "S256"},
            {"code_challenge_method": "S256"},
        ],
    )
    def test_is_s256_or_refused(self, client, phone, given):
        assert sent_back(client.get(authorize(**given)))["error"] == "invalid_request"

    @pytest.mark.conformance("X64")
    def test_is_needed_on_request(self, client, phone):
        scenarios.choose("pkce", "required")
        assert sent_back(client.get(authorize()))["error"] == "invalid_request"
        assert client.get(authorize(code_challenge=CHALLENGE, code_challenge_method="S256")).status_code == 200


class TestTheWayBack:
    @pytest.mark.conformance("X38")
    def test_says_that_it_was_cancelled_with_the_state(self, client, phone, ada):
        back = sent_back(client.post(authorize(), {"step": "cancel"}))
        assert back.keys() == {"error", "error_uri", "state"}
        assert (back["error"], back["state"]) == ("access_denied", "s-0123456789-abcdef")
        assert "denied-by-user" in back["error_uri"]

    @pytest.mark.conformance("X63")
    def test_carries_the_name_of_the_error_encoded_twice(self, client, phone):
        location = client.get(authorize(scope="x"))["Location"]
        name = quote(quote("urn:sandbox:error:authorization-server:oauth2:grant:invalid-scope", safe=""), safe="")
        assert f"errors%2F{name}%2Finstances%2F" in location
        assert "error_description" not in location

    @pytest.mark.parametrize("error", ["server_error", "temporarily_unavailable", "something_new"])
    def test_brings_another_error_on_request(self, phone, allow, error):
        scenarios.choose("authorize_error", error)
        assert allow()["error"] == error

    @pytest.mark.conformance("X65")
    @pytest.mark.parametrize(
        ("mode", "issuer"),
        [
            ("off", None),
            ("on", f"http://testserver/b/authorization/tenants/{WILLOW}"),
            ("wrong", "http://testserver/b/authorization/tenants/another-tenant"),
        ],
    )
    def test_names_who_answers_on_request(self, client, phone, allow, mode, issuer):
        scenarios.choose("issuer_in_answers", mode)
        assert allow().get("iss") == issuer
        assert sent_back(client.post(authorize(), {"step": "cancel"})).get("iss") == issuer

    def test_sends_no_referrer(self, client, phone):
        assert client.post(authorize(), {"step": "cancel"})["Referrer-Policy"] == "no-referrer"
