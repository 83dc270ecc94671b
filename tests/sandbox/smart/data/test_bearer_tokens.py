"""Bearer tokens at the data routes of interface B (specification 5.2.4, 7.1; RFC 6750 section 3)."""

import base64
import json

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey

from apps.sandbox import clock, scenarios
from apps.sandbox.models import SmartApplication, SmartGrant
from tests.sandbox.smart.literal import RIVERSIDE, WILLOW

ROOT = f"/b/myrecord/r4/{WILLOW}"
INVALID = (
    'Bearer realm="myrecord", error="invalid_token", error_description="Token has expired or signature is invalid"'
)


def parts(token):
    """Header, claims and signature of a JWT."""
    header, claims, signature = token.split(".")
    return *(json.loads(base64.urlsafe_b64decode(part + "==")) for part in (header, claims)), signature


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def forgeries(token):
    """Tokens that a stranger could make of one that is ours."""
    header, claims, signature = parts(token)
    stranger = ECKey.generate_key("P-256")
    shared = OctKey.import_key(b"a secret that everybody could know, 32 bytes")
    other = {**claims, "scope": "user/Observation.read"}
    middle = signature[len(signature) // 2]
    yield "altered claims", f"{part(header)}.{part(other)}.{signature}"
    yield "altered signature", token.replace(signature, signature.replace(middle, "A" if middle != "A" else "B"))
    yield "unsigned", f"{part({'alg': 'none', 'kid': header['kid'], 'typ': 'JWT'})}.{part(claims)}."
    yield "no signature", f"{part(header)}.{part(claims)}."
    yield "another's key under our id", jwt.encode(header, claims, stranger)
    yield "another's key", jwt.encode({**header, "kid": "2026-01-01T00:00:00.000.p256"}, claims, stranger)
    yield "a key within", jwt.encode({**header, "jwk": stranger.as_dict(private=False)}, claims, stranger)
    yield "a shared secret", jwt.encode({**header, "alg": "HS256"}, claims, shared)
    yield "not a JWT", "opaque"
    yield "empty", ""


class TestRequestWithoutToken:
    @pytest.mark.conformance("X51")
    @pytest.mark.parametrize("header", [None, "Basic cGhvbmU6", "bearer", "Token abc"])
    def test_is_challenged_without_an_error(self, client, two_tenants, header):
        answer = client.get(f"{ROOT}/Patient/r-ada", headers={"Authorization": header} if header else {})
        assert answer.status_code == 401
        assert answer["WWW-Authenticate"] == 'Bearer realm="myrecord"'

    @pytest.mark.parametrize("rest", ["", "/", "/nothing/at/all", "/Patient/r-ada/_history/1"])
    def test_is_not_told_which_addresses_there_are(self, client, two_tenants, token, get, rest):
        answer = client.get(f"{ROOT}{rest}")
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, 'Bearer realm="myrecord"')
        assert get(f"{ROOT}{rest}", token()).status_code == 404
        assert client.get(f"{ROOT.replace('myrecord', 'open')}{rest}").status_code == 404

    @pytest.mark.conformance("X51")
    def test_has_no_token_in_the_query(self, client, token):
        answer = client.get(f"{ROOT}/Patient/r-ada?access_token={token()}")
        assert answer.status_code == 401
        assert answer["WWW-Authenticate"] == 'Bearer realm="myrecord"'

    @pytest.mark.conformance("X51")
    def test_is_challenged_by_the_host_it_asked(self, client, two_tenants):
        answer = client.get(f"/b/ehr/dstu2/{RIVERSIDE}/Patient/r-ada")
        assert answer["WWW-Authenticate"] == 'Bearer realm="ehr"'


class TestAccessToken:
    @pytest.mark.conformance("X50")
    def test_opens_its_root(self, token, get, client):
        opened = token()
        assert get(f"{ROOT}/Patient/r-ada", opened).status_code == 200
        assert client.get(f"{ROOT}/Patient/r-ada", headers={"Authorization": f"bearer {opened}"}).status_code == 200

    def test_is_refused_for_as_long_as_the_sandbox_is_told_to(self, token, get):
        opened = token()
        scenarios.choose("access_tokens", "refused")
        answer = get(f"{ROOT}/Patient/r-ada", opened)
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, INVALID)
        scenarios.choose("access_tokens", "known")
        assert get(f"{ROOT}/Patient/r-ada", opened).status_code == 200

    @pytest.mark.conformance("X50")
    def test_is_refused_when_forged(self, token, get):
        opened = token()
        for name, forged in forgeries(opened):
            answer = get(f"{ROOT}/Patient/r-ada", forged or " ")
            assert (name, answer.status_code, answer["WWW-Authenticate"]) == (name, 401, INVALID)
        assert get(f"{ROOT}/Patient/r-ada", opened).status_code == 200

    @pytest.mark.conformance("X50")
    def test_is_refused_where_it_is_an_id_token(self, exchange, records, get):
        answer = exchange(scope="launch/patient patient/Patient.read openid fhirUser")
        refused = get(f"{ROOT}/Patient/r-ada", answer.json()["id_token"])
        assert (refused.status_code, refused["WWW-Authenticate"]) == (401, INVALID)

    @pytest.mark.conformance("X50", "X52")
    def test_works_up_to_its_expiry_by_the_server_clock(self, token, get):
        self.works_for(570, token, get)  # specification 3: expires_in, and no longer

    def test_works_for_longer_than_told_on_request(self, token, get):
        scenarios.choose("smart_access_end", "later")
        self.works_for(599, token, get)

    def works_for(self, seconds, token, get):
        opened = token()
        header, claims, _ = parts(opened)
        assert header["alg"] == "ES256"
        left = claims["exp"] - clock.now().timestamp()
        assert seconds - 10 < left <= seconds
        clock.move(left - 2)
        assert get(f"{ROOT}/Patient/r-ada", opened).status_code == 200
        clock.move(3)
        answer = get(f"{ROOT}/Patient/r-ada", opened)
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, INVALID)

    @pytest.mark.conformance("X52")
    def test_can_expire_on_its_way(self, token, get):
        """An application that uses a token of 570 seconds in its last half minute is not safe from so much latency."""
        scenarios.choose("latency_seconds", "35")
        opened = token()
        clock.move(530)
        assert get(f"{ROOT}/Patient/r-ada", opened).status_code == 200
        clock.move(8)
        answer = get(f"{ROOT}/Patient/r-ada", opened)
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, INVALID)

    @pytest.mark.conformance("X31", "X50")
    @pytest.mark.parametrize(
        "root",
        [f"/b/myrecord/r4/{RIVERSIDE}", f"/b/myrecord/dstu2/{WILLOW}", f"/b/ehr/r4/{WILLOW}"],
    )
    def test_opens_no_other_root(self, token, get, root):
        answer = get(f"{root}/Patient/r-ada", token())
        assert answer.status_code == 401
        assert 'error="invalid_token"' in answer["WWW-Authenticate"]

    @pytest.mark.conformance("X50")
    def test_of_one_interface_opens_nothing_of_the_other(self, token, get, exchange, application):
        assert get("/a/r4/fhir/r4/Patient", token()).status_code == 401

    def test_runs_out_by_itself_when_its_grant_ends(self, token, get):
        """Interface facts 3.10: access tokens cannot be revoked."""
        opened = token()
        SmartGrant.objects.update(ended_at=clock.now())
        assert get(f"{ROOT}/Patient/r-ada", opened).status_code == 200

    @pytest.mark.conformance("X3")
    def test_goes_with_its_application(self, token, get):
        opened = token()
        assert get(f"{ROOT}/Patient/r-ada", opened).status_code == 200
        SmartApplication.objects.update(status="retired")
        answer = get(f"{ROOT}/Patient/r-ada", opened)
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, INVALID)

    def test_is_nobodys_after_a_reset(self, token, get, client):
        opened = token()
        assert get(f"{ROOT}/Patient/r-ada", opened).status_code == 200
        client.post("/control/reset", {}, content_type="application/json")
        answer = get(f"{ROOT}/Patient/r-ada", opened)
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, INVALID)

    @pytest.mark.conformance("X60")
    def test_stops_working_where_the_organization_shuts_its_application_out(self, token, get):
        opened = token()
        SmartApplication.objects.update(enabled_tenants=[RIVERSIDE])
        answer = get(f"{ROOT}/Patient/r-ada", opened)
        assert (answer.status_code, answer.content) == (403, b"The tenant is invalid or not accessible")
        SmartApplication.objects.update(enabled_tenants=[RIVERSIDE, WILLOW])
        assert get(f"{ROOT}/Patient/r-ada", opened).status_code == 200

    @pytest.mark.conformance("X60")
    def test_of_an_application_that_was_never_let_in_opens_no_data_by_switch(self, smart, records, exchange, get):
        scenarios.choose("not_enabled", "forbidden-at-data")
        smart("outside", enabled_tenants=[])
        answer = exchange({"client_id": "outside"}, client_id="outside", scope="launch/patient patient/Patient.read")
        assert get(f"{ROOT}/Patient/r-ada", answer.json()["access_token"]).status_code == 403
