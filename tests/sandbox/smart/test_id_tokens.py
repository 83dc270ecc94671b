"""ID tokens: correct by OpenID Connect Core section 3.1.3.7, or wrong in exactly one way."""

import base64
import json
from datetime import UTC, datetime

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from apps.sandbox import clock, scenarios
from apps.sandbox.models import Account, SmartApplication, SmartGrant, Tenant
from apps.sandbox.smart.identity import id_tokens, issuers, wrong_claims, wrong_forms
from apps.sandbox.switches import smart_identity

pytestmark = pytest.mark.django_db

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
TENANT = "-8c1f6f4b7e2d4a53a9d0c6b1e2f3a47"
ISSUER = "http://testserver/b/authorization/tenants/-8c1f6f4b7e2d4a53a9d0c6b1e2f3a47/oidc/idsps/{}/"


@pytest.fixture
def grant(db):
    """Ada let an application know who she is."""
    clock.set_to(AT)
    account = Account.objects.create(username="ada", display_name="Ada")
    application = SmartApplication.objects.create(name="App", client_id="app", requested_at=AT)
    tenant = Tenant.objects.create(id=TENANT, name="Willow")
    return SmartGrant.objects.create(
        application=application,
        account=account,
        tenant=tenant,
        host="myrecord",
        version="r4",
        persona="patient",
        aud="",
        scopes=["openid", "fhirUser"],
        fhir_user="Patient/a1",
        nonce="n-0S6_WzA2Mj",
        created_at=AT,
        last_used_at=AT,
    )


@pytest.fixture
def issue(grant, client):
    """An ID token with the switches set, and the key set published beside it."""

    def issue(**switches):
        for name, value in switches.items():
            scenarios.choose(name, value)
        token = id_tokens.issue(grant, at=AT)
        return token, {key["kid"]: key for key in client.get("/b/authorization/jwk").json()["keys"]}

    return issue


def decoded(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def claims(token):
    return json.loads(decoded(token.split(".")[1]))


def integer(text):
    return int.from_bytes(decoded(text), "big")


def is_signed(token, key):
    head, payload, signature = token.split(".")
    numbers = rsa.RSAPublicNumbers(integer(key["e"]), integer(key["n"]))
    try:
        numbers.public_key().verify(
            decoded(signature), f"{head}.{payload}".encode(), padding.PKCS1v15(), hashes.SHA256()
        )
    except InvalidSignature:
        return False
    return True


def fault(token, keys):
    """What is wrong with a token, as the one it was issued for would find; None for nothing. Written from the RFCs."""
    if token.count(".") != 2 or not token.startswith("ey"):
        return "form"
    head = json.loads(decoded(token.split(".")[0]))
    if head.keys() - {"alg", "kid", "typ"}:
        return "header"
    if head["alg"] != "RS256":
        return "algorithm"
    key = keys.get(head.get("kid"))
    if key is None or key["kty"] != "RSA":
        return "key"
    if not is_signed(token, key):
        return "signature"
    try:
        said = claims(token)
        return fault_of_claims(said, int(AT.timestamp()))
    except (ValueError, AttributeError):
        return "payload"


def fault_of_claims(said, now):
    audiences = said.get("aud") if isinstance(said.get("aud"), list) else [said.get("aud")]
    is_number = {name: isinstance(said.get(name), int) for name in ("exp", "iat", "nbf")}
    checks = {
        "issuer": said.get("iss") == ISSUER.format(issuers.idsp(TENANT, "patient")),
        "audience": "app" in audiences,
        "party": said.get("azp", "app") == "app" and (len(audiences) == 1 or "azp" in said),
        "expiry": is_number["exp"] and said["exp"] > now,
        "issued": is_number["iat"] and now - 86_400 < said["iat"] <= now + 60,
        "not-yet": "nbf" not in said or said["nbf"] <= now,
        "nonce": said.get("nonce") == "n-0S6_WzA2Mj",
        "subject": isinstance(said.get("sub"), str) and 0 < len(said["sub"]) <= 255,
    }
    return next((name for name, holds in checks.items() if not holds), None)


FORM_FAULTS = {
    "alg": "algorithm",
    "hs256": "algorithm",
    "rs384": "algorithm",
    "ps256": "algorithm",
    "es256": "algorithm",
    "signature": "signature",
    "payload-altered": "signature",
    "payload": "payload",
    "key-foreign": "signature",
    "key-retired": "key",
    "key": "header",
    "critical": "header",
    "kid-of-another": "signature",
    "kid": "key",
    "not": "form",
    "five": "form",
    "empty": "form",
    "cut": "signature",
}


class TestARightToken:
    @pytest.mark.conformance("X67")
    def test_is_signed_with_rs256_by_a_published_key_and_says_who_for_whom_and_how_long(self, issue):
        token, keys = issue()
        assert fault(token, keys) is None
        assert claims(token) == {
            "iss": ISSUER.format(issuers.idsp(TENANT, "patient")),
            "aud": "app",
            "sub": claims(token)["sub"],
            "iat": 1772443800,
            "exp": 1772444400,
            "nonce": "n-0S6_WzA2Mj",
            "fhirUser": f"http://testserver/b/myrecord/r4/{TENANT}/Patient/a1",
        }

    def test_has_no_nonce_where_none_was_sent(self, issue, grant):
        grant.nonce = ""
        assert "nonce" not in claims(issue()[0])

    def test_says_the_user_by_the_scopes_granted(self, issue, grant):
        grant.scopes = ["openid"]
        assert not {"fhirUser", "profile"} & claims(issue()[0]).keys()
        grant.scopes = ["openid", "profile"]
        assert claims(issue()[0])["profile"].endswith("/Patient/a1")

    @pytest.mark.parametrize(
        ("mode", "said"),
        [("list-of-one", {"aud": ["app"]}), ("several", {"aud": ["app", "another-application"], "azp": "app"})],
    )
    def test_names_its_audience_in_every_lawful_way(self, issue, mode, said):
        token, keys = issue(id_token_audience=mode)
        assert fault(token, keys) is None
        assert said.items() <= claims(token).items()

    @pytest.mark.parametrize(
        ("mode", "said"),
        [
            ("relative", "Patient/a1"),
            ("foreign-root", "https://fhir.example/r4/Patient/a1"),
            ("RelatedPerson", f"http://testserver/b/myrecord/r4/{TENANT}/RelatedPerson/a1"),
            ("absent", None),
            ("profile-claim", None),
        ],
    )
    def test_says_the_user_as_asked(self, issue, mode, said):
        token, keys = issue(fhir_user=mode)
        assert fault(token, keys) is None
        assert claims(token).get("fhirUser") == said
        assert ("profile" in claims(token)) == (mode == "profile-claim")

    def test_is_held_back_on_request(self, issue):
        assert issue(id_token="never")[0] is None

    def test_names_the_same_person_alike_to_every_application_and_otherwise_at_another_tenant(self, grant):
        before = id_tokens.subject(grant)
        grant.application = SmartApplication(client_id="other")
        assert id_tokens.subject(grant) == before
        grant.tenant_id = "another"
        assert id_tokens.subject(grant) != before


class TestAWrongToken:
    @pytest.mark.parametrize("way", wrong_claims.WRONG_CLAIMS)
    def test_is_signed_well_and_says_one_thing_wrongly(self, issue, way):
        token, keys = issue(id_token_claims=way)
        assert fault(token, keys) == way.split("-")[0].replace("expired", "expiry").replace("not", "not-yet")

    @pytest.mark.parametrize("way", wrong_forms.WRONG_FORMS)
    def test_is_formed_wrongly_in_one_way(self, issue, way):
        token, keys = issue(id_token_form=way)
        expected = next(
            FORM_FAULTS[start] for start in sorted(FORM_FAULTS, key=len, reverse=True) if way.startswith(start)
        )
        assert fault(token, keys) == expected

    def test_can_be_wrong_in_two_ways(self, issue):
        token, keys = issue(id_token_claims="expired", id_token_form="alg-none")
        assert fault(token, keys) == "algorithm"
        assert fault_of_claims(claims(token), int(AT.timestamp())) == "expiry"

    def test_has_a_switch_for_every_way(self):
        assert tuple(wrong_claims.WRONG_CLAIMS) == smart_identity.WRONG_CLAIMS
        assert tuple(wrong_forms.WRONG_FORMS) == smart_identity.WRONG_FORMS


class TestTheIssuers:
    @pytest.mark.conformance("X67")
    def test_are_three_strings_of_which_one_ends_with_a_slash_below_a_tenant(self):
        patient, provider = (issuers.identity("t", persona) for persona in ("patient", "provider"))
        assert len({issuers.authorization(), issuers.configuration("t"), patient, provider}) == 4
        assert issuers.authorization() == "http://testserver/b/authorization/"
        assert issuers.configuration("t") == "http://testserver/b/authorization/tenants/t"
        assert patient.startswith("http://testserver/b/authorization/tenants/t/oidc/idsps/")
        assert patient.endswith("/")


class TestTheOpenidConfiguration:
    @pytest.fixture
    def address(self, grant):
        return (
            issuers.identity(TENANT, "patient").removeprefix("http://testserver") + ".well-known/openid-configuration"
        )

    @pytest.mark.conformance("X67")
    def test_is_below_the_issuer_and_names_it_and_its_keys(self, client, address):
        response = client.get(address)
        assert response.status_code == 200
        assert response.json()["issuer"] == ISSUER.format(issuers.idsp(TENANT, "patient"))
        assert response.json()["jwks_uri"] == "http://testserver/b/authorization/jwk"
        assert response.json()["id_token_signing_alg_values_supported"] == ["RS256"]
        assert response["Access-Control-Allow-Origin"] == "*"

    def test_is_nowhere_else(self, client, address, grant):
        assert client.get(address.replace(TENANT, "another")).status_code == 404
        assert client.get(address.replace(issuers.idsp(TENANT, "patient"), "x")).status_code == 404
        Tenant.objects.update(is_suspended=True)
        assert client.get(address).status_code == 404

    def test_can_be_absent_or_lead_elsewhere(self, client, address):
        scenarios.choose("openid_configuration", "absent")
        assert client.get(address).status_code == 404
        scenarios.choose("openid_configuration", "foreign-issuer")
        assert client.get(address).json()["issuer"] == "https://login.example/"
        scenarios.choose("openid_configuration", "foreign-keys")
        assert client.get(address).json()["jwks_uri"] == "https://keys.example/jwk"
