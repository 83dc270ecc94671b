"""System access: who gets a token, for what, and what it gives access to (specification S5, S6, 5.2.5 and 5.2.6)."""

import base64
import json

import pytest

from apps.sandbox import clock, scenarios
from apps.sandbox.models import SmartGrant, SmartRefreshToken, SystemAccount, Tenant
from tests.fixtures import signatures
from tests.sandbox.smart.data.conftest import records as records  # noqa: PLC0414 - the fixture
from tests.sandbox.smart.literal import RIVERSIDE, WILLOW, token_address
from tests.sandbox.smart.systems import (
    AT,
    JWKS,
    KEPT_AT,
    NOW,
    SCOPE,
    SECRET,
    assertion,
    basic,
    bearer,
    in_form,
)

pytestmark = pytest.mark.django_db

R4 = f"/b/myrecord/r4/{WILLOW}"
FOUR_FIELDS = {"access_token", "token_type", "expires_in", "scope"}


@pytest.fixture
def with_secret(smart):
    """The id of a system account that has a secret."""
    return str(smart("ward", client_type="confidential", authentication="client_secret_basic", secret=SECRET).guid)


@pytest.fixture
def with_keys(smart):
    """The id of a system account that registered keys."""
    keys = {"jwks": JWKS, "jwks_url": KEPT_AT}
    return str(smart("lab", client_type="confidential", authentication="private_key_jwt", **keys).guid)


@pytest.fixture
def ask(post_token):
    """A request for a system's token."""

    def ask(headers=None, form=None, *, scope=SCOPE, address=None, at=AT):
        clock.set_to(at)
        body = {"grant_type": "client_credentials", "scope": scope, **(form or {})}
        return post_token({name: value for name, value in body.items() if value is not None}, address, headers)

    return ask


@pytest.fixture
def read(client):
    def read(address, token):
        return client.get(address, headers={"Authorization": f"Bearer {token}", "Accept": "application/json"})

    return read


def is_unproven(answer):
    assert answer.status_code == 401, answer.content
    assert answer.json()["error"] == "invalid_client"
    assert answer["WWW-Authenticate"] == 'Basic realm="sandbox"'
    return True


def refusal(answer):
    return answer.status_code, answer.json()["error"]


class TestBasic:
    @pytest.mark.conformance("X55")
    def test_gives_a_token(self, ask, with_secret):
        answer = ask(basic(with_secret, SECRET))
        assert answer.status_code == 200, answer.content
        assert (answer.json()["token_type"], answer.json()["scope"]) == ("Bearer", SCOPE)
        assert (answer["Cache-Control"], answer["Pragma"]) == ("no-store", "no-cache")

    @pytest.mark.conformance("X55")
    @pytest.mark.parametrize(
        "header",
        [
            None,
            "",
            "Basic",
            "Basic !!!!",
            "Basic " + base64.b64encode(b"nobody:x").decode(),
            "Basic " + base64.b64encode(b"no colon").decode(),
            "Basic " + base64.b64encode(b"\xff\xfe:x").decode(),
            "Basic " + base64.b64encode(b"{id}\x00:x").decode(),
            "Digest x",
            "Bearer",
            "Bearer x",
        ],
    )
    def test_is_asked_for_where_the_header_is_bad(self, ask, with_secret, header):
        assert is_unproven(ask({} if header is None else {"Authorization": header}))

    @pytest.mark.conformance("X55")
    @pytest.mark.parametrize("secret", ["c2VjcmV0+/w==", "100%41", "with: a colon"])
    def test_is_as_the_specification_writes_it(self, ask, smart, secret):
        """5.2.5: Base64 of the account's id, a colon and the secret, as they are."""
        app = smart("ward", client_type="confidential", authentication="client_secret_basic", secret=secret)
        written = base64.b64encode(f"{app.guid}:{secret}".encode()).decode()
        assert ask({"Authorization": f"Basic {written}"}).status_code == 200
        assert ask(basic(str(app.guid), secret)).status_code == 200
        assert is_unproven(ask({"Authorization": "Basic " + base64.b64encode(f"{app.guid}:x".encode()).decode()}))

    @pytest.mark.conformance("X55")
    @pytest.mark.parametrize("secret", ["", "wrong", SECRET + "x", SECRET.upper()])
    def test_needs_the_right_secret(self, ask, with_secret, secret):
        assert is_unproven(ask(basic(with_secret, secret)))

    @pytest.mark.conformance("X55")
    @pytest.mark.parametrize("spell", [str.upper, lambda one: f"urn:uuid:{one}", lambda one: one.replace("-", "")])
    def test_needs_the_id_as_it_was_given(self, ask, with_secret, spell):
        assert is_unproven(ask(basic(spell(with_secret), SECRET)))

    def test_is_no_matter_of_the_application_s_own_id(self, ask, with_secret):
        assert is_unproven(ask(basic("ward", SECRET)))

    def test_is_not_how_an_account_with_keys_alone_proves_itself(self, ask, with_keys):
        assert is_unproven(ask(basic(with_keys, "")))
        assert is_unproven(ask(basic(with_keys, SECRET)))

    def test_is_no_secret_in_the_form(self, ask, with_secret):
        assert is_unproven(ask(form={"client_id": with_secret, "client_secret": SECRET}))

    def test_proves_nobody_else(self, ask, with_secret, with_keys):
        assert is_unproven(ask(basic(with_secret, SECRET), {"client_id": with_keys}))

    @pytest.mark.parametrize("status", ["requested", "rejected", "retired"])
    def test_gives_nothing_to_an_account_that_is_not_approved(self, ask, with_secret, status):
        SystemAccount.objects.filter(client_id=with_secret).update(status=status)
        assert is_unproven(ask(basic(with_secret, SECRET)))

    @pytest.mark.parametrize("status", ["requested", "provisional", "retired", None])
    def test_gives_nothing_where_no_approved_application_names_the_account(self, ask, smart, status):
        app = smart("ward", client_type="confidential", secret=SECRET, authentication="client_secret_basic")
        account_id, app.status = str(app.guid), status or app.status
        app.guid = None if status is None else app.guid
        app.save()
        assert is_unproven(ask(basic(account_id, SECRET)))


class TestAnAssertion:
    @pytest.mark.conformance("X57")
    @pytest.mark.parametrize("key", ["ec", "rsa"])
    @pytest.mark.parametrize("way", ["header", "form"])
    def test_is_taken_in_the_header_and_in_the_form(self, ask, with_keys, key, way):
        said = assertion(with_keys, key=key)
        answer = ask(bearer(said)) if way == "header" else ask(form=in_form(said))
        assert answer.status_code == 200, answer.content
        assert answer.json().keys() == FOUR_FIELDS

    @pytest.mark.conformance("X57")
    def test_is_not_taken_in_both_at_once(self, ask, with_keys):
        same = assertion(with_keys)
        assert refusal(ask(bearer(same), in_form(same))) == (400, "invalid_request")
        assert refusal(ask(bearer(assertion(with_keys)), in_form(assertion(with_keys)))) == (400, "invalid_request")
        assert ask(bearer(same)).status_code == 200  # neither was used up by being refused

    @pytest.mark.conformance("X57")
    def test_is_not_taken_beside_a_secret(self, ask, with_keys, with_secret):
        said = assertion(with_keys)
        assert refusal(ask(basic(with_secret, SECRET), in_form(said))) == (400, "invalid_request")
        assert refusal(ask(bearer(said), {"client_id": with_keys, "client_secret": "x"})) == (400, "invalid_request")

    def test_is_of_the_named_type_in_the_form(self, ask, with_keys):
        for changes in (
            {"client_assertion_type": "urn:x"},
            {"client_assertion_type": None},
            {"client_assertion": None},
        ):
            assert refusal(ask(form={**in_form(assertion(with_keys)), **changes})) == (400, "invalid_request")

    def test_proves_an_application_of_people_in_the_header_as_well(self, with_keys, allow, post_token):
        code = allow(client_id="lab")["code"]
        clock.set_to(AT)
        said = assertion("lab")
        answer = post_token({"grant_type": "authorization_code", "code": code}, None, bearer(said))
        assert answer.status_code == 200, answer.content


class TestAToken:
    @pytest.fixture
    def token(self, ask, with_secret, records):
        def token(scope=SCOPE, **asked):
            answer = ask(basic(with_secret, SECRET), scope=scope, **asked)
            assert answer.status_code == 200, answer.content
            return answer.json()["access_token"]

        return token

    @pytest.mark.conformance("X56")
    @pytest.mark.parametrize(
        "scope",
        [
            "patient/Patient.read",
            "user/Patient.read",
            f"{SCOPE} patient/Patient.read",
            f"{SCOPE} user/Observation.read",
            f"{SCOPE} openid",
            f"{SCOPE} launch/patient",
            f"{SCOPE} online_access",
            f"offline_access {SCOPE}",
            "system/Patient.rs",  # registered for v1
            "system/*.read",
            "system/Patient.*",
            "SYSTEM/Patient.read",
            "system/Patient.Read",
            "system/Patient.read  system/Observation.read",
            " ",
            "",
            None,
        ],
    )
    def test_is_for_system_scopes_alone(self, ask, with_secret, scope):
        assert refusal(ask(basic(with_secret, SECRET), scope=scope)) == (400, "invalid_scope")

    @pytest.mark.conformance("X56")
    def test_comes_alone_and_lives_under_ten_minutes(self, ask, with_secret):
        answer = ask(basic(with_secret, SECRET)).json()
        assert answer.keys() == FOUR_FIELDS
        assert answer["expires_in"] == 570
        claims = json.loads(signatures.decoded(answer["access_token"].split(".")[1]))
        assert claims["exp"] - claims["iat"] == 570
        assert not SmartRefreshToken.objects.exists()
        assert not SmartGrant.objects.exists()

    @pytest.mark.conformance("X56")
    def test_is_given_for_types_that_are_marked_for_systems(self, ask, with_secret):
        proof = basic(with_secret, SECRET)
        assert ask(proof, scope=f"system/Questionnaire.read {SCOPE}").json()["scope"] == SCOPE
        assert ask(proof, scope="system/Observation.read system/Observation.write").json()["scope"] == (
            "system/Observation.read"
        )
        for scope in ("system/Questionnaire.read", "system/Nothing.read", "system/Patient.write"):
            assert refusal(ask(proof, scope=scope)) == (400, "invalid_scope")

    @pytest.mark.conformance("X56")
    def test_opens_its_types_for_everybody_and_no_other(self, token, read):
        borne = token()
        for patient_id in ("r-ada", "r-grace"):
            assert read(f"{R4}/Patient/{patient_id}", borne).status_code == 200
            found = read(f"{R4}/Observation?patient={patient_id}&category=laboratory", borne)
            assert found.status_code == 200, found.content
            assert found.json()["total"] == 1
        refused = read(f"{R4}/DocumentReference?patient=r-ada", borne)
        assert refused.status_code == 403
        assert 'error="insufficient_scope", scope="system/DocumentReference.read"' in refused["WWW-Authenticate"]

    @pytest.mark.conformance("X56")
    def test_opens_no_type_that_is_not_marked_even_if_it_says_so(self, token, read, monkeypatch):
        monkeypatch.setattr("apps.sandbox.fhir.offered.FOR_SYSTEMS", frozenset({"Patient", "Observation"}))
        borne = token()
        monkeypatch.setattr("apps.sandbox.fhir.offered.FOR_SYSTEMS", frozenset({"Patient"}))
        assert read(f"{R4}/Patient/r-ada", borne).status_code == 200
        assert read(f"{R4}/Observation/o-1", borne).status_code == 403

    def test_opens_both_versions_of_its_tenant_and_nothing_elsewhere(self, token, read):
        borne = token()
        assert read(f"/b/myrecord/dstu2/{WILLOW}/Patient/d-ada", borne).status_code == 200
        for elsewhere in (f"/b/myrecord/r4/{RIVERSIDE}", f"/b/ehr/r4/{WILLOW}"):
            assert read(f"{elsewhere}/Patient/r-ada", borne).status_code == 401
        assert read("/a/r4/fhir/r4/Patient", borne).status_code == 401

    def test_dies_with_its_account_and_with_what_the_organization_allows(self, token, read, with_secret):
        borne = token()
        assert read(f"{R4}/Patient/r-ada", borne).status_code == 200
        SystemAccount.objects.filter(client_id=with_secret).update(status="retired")
        assert read(f"{R4}/Patient/r-ada", borne).status_code == 403

    def test_runs_out(self, token, read):
        borne = token()
        clock.set_to(AT.replace(minute=39, second=28))
        assert read(f"{R4}/Patient/r-ada", borne).status_code == 200
        clock.set_to(AT.replace(minute=39, second=30))
        assert read(f"{R4}/Patient/r-ada", borne).status_code == 401

    def test_is_neither_introspected_nor_revoked(self, token, with_secret, smart, post_token):
        smart("desk")
        for path, expected in (("/b/authorization/tokeninfo", 200), (f"{token_address()}/revoke", 400)):
            answer = post_token({"token": token(), "client_id": "desk"}, path)
            assert answer.status_code == expected
            assert "system" not in answer.content.decode()


class TestAnOrganization:
    def test_lets_in_whom_it_enabled(self, ask, smart):
        app = smart(
            "ward", client_type="confidential", secret=SECRET, authentication="client_secret_basic",
            enabled_tenants=[RIVERSIDE],
        )  # fmt: skip
        proof = basic(str(app.guid), SECRET)
        assert refusal(ask(proof)) == (400, "unauthorized_client")
        assert ask(proof, address=token_address(RIVERSIDE)).status_code == 200
        assert refusal(ask(proof, address=token_address("nobody"))) == (400, "unauthorized_client")
        Tenant.objects.filter(pk=RIVERSIDE).update(is_suspended=True)
        assert refusal(ask(proof, address=token_address(RIVERSIDE))) == (400, "unauthorized_client")

    def test_may_refuse_at_its_data_instead(self, ask, smart, records, read):
        app = smart(
            "ward", client_type="confidential", secret=SECRET, authentication="client_secret_basic",
            enabled_tenants=[RIVERSIDE],
        )  # fmt: skip
        scenarios.choose("not_enabled", "forbidden-at-data")
        answer = ask(basic(str(app.guid), SECRET))
        assert answer.status_code == 200
        assert read(f"{R4}/Patient/r-ada", answer.json()["access_token"]).status_code == 403

    def test_may_read_both_grammars(self, ask, with_secret):
        scenarios.choose("scope_grammar", "both")
        assert ask(basic(with_secret, SECRET), scope="system/Patient.rs").json()["scope"] == "system/Patient.rs"


class TestWhatIsKept:
    def test_of_an_assertion_is_a_digest_until_it_expires(self, ask, with_keys):
        account = SystemAccount.objects.get(client_id=with_keys)
        assert ask(bearer(assertion(with_keys, jti="canary-jti"))).status_code == 200
        (row,) = account.assertions.all()
        assert "canary" not in row.jti_sha256
        assert ask(bearer(assertion(with_keys, jti="canary-jti"))).status_code == 401
        assert row.expires_at.timestamp() >= NOW + 300
        later = assertion(with_keys, exp=NOW + 15 * 60 + 200)
        assert ask(bearer(later), at=AT.replace(minute=45)).status_code == 200
        assert [one.pk for one in account.assertions.all()] != [row.pk]
        assert account.assertions.count() == 1
