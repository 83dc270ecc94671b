"""Faulty answers: each kind, on each kind of route, as often as it was armed."""

import json
import re
import time

import pytest

from apps.sandbox import clock, faults, recorder
from apps.sandbox.faults import Fault
from apps.sandbox.models import AuthorizationCode
from config import env

pytestmark = pytest.mark.django_db


@pytest.fixture
def spoil(exchange):
    """A code exchange that meets one fault."""

    def spoil(kind, **fields):
        faults.arm(Fault("token", kind, **fields))
        return exchange()

    return spoil


class TestFaultOfTheTokenEndpoint:
    @pytest.mark.conformance("X70")
    @pytest.mark.parametrize(
        ("kind", "status"),
        [
            *(("forbidden", 403), ("gone", 410), ("throttled", 429)),
            *(("error", 500), ("bad-gateway", 502), ("unavailable", 503)),
        ],
    )
    def test_answers_instead_of_it(self, spoil, kind, status):
        response = spoil(kind, retry_after="7")
        assert response.status_code == status
        assert response.get("Retry-After") == ("7" if kind in {"throttled", "unavailable"} else None)
        assert AuthorizationCode.objects.get().used_at is None

    @pytest.mark.conformance("X70")
    @pytest.mark.parametrize(
        ("kind", "content_type", "sign"),
        [
            ("html", "text/html; charset=utf-8", b"<!doctype html>"),
            ("wrong-type", "text/plain", b'{"access_token"'),
        ],
    )
    def test_spoils_its_answer(self, spoil, kind, content_type, sign):
        response = spoil(kind)
        assert (response.status_code, response["Content-Type"]) == (200, content_type)
        assert response.content.startswith(sign)

    @pytest.mark.conformance("X70")
    def test_cuts_json_and_empties_it(self, spoil):
        cut = spoil("cut")
        assert cut.content.startswith(b'{"access_token"')
        with pytest.raises(json.JSONDecodeError):
            json.loads(cut.content)
        assert spoil("empty").content == b""

    @pytest.mark.conformance("X70")
    def test_delays_and_dribbles(self, spoil):
        began = time.monotonic()
        assert spoil("slow", seconds=0.2).json()["access_token"]
        assert time.monotonic() - began >= 0.2
        dribbled = spoil("dribble", seconds=0.001)
        pieces = list(dribbled.streaming_content)
        assert {len(piece) for piece in pieces} == {1}
        assert dribbled["Content-Length"] == str(len(pieces))
        assert json.loads(b"".join(pieces))["access_token"]

    def test_redirects_to_another_host(self, spoil):
        response = spoil("redirect")
        assert response.status_code == 302
        assert response["Location"].startswith("http://127.0.0.2/")

    def test_loses_the_answer_after_the_work_was_done(self, spoil):
        assert spoil("lost").status_code == 502
        assert AuthorizationCode.objects.get().used_at is not None

    @pytest.mark.conformance("X70")
    @pytest.mark.parametrize(("kind", "is_done"), [("dropped", False), ("dropped-after", True)])
    def test_ends_the_connection_before_or_after_the_work(self, spoil, kind, is_done):
        with pytest.raises(ConnectionResetError):
            b"".join(spoil(kind).streaming_content)
        assert (AuthorizationCode.objects.get().used_at is not None) is is_done

    def test_is_recorded_with_the_status_the_client_saw(self, spoil):
        spoil("throttled")
        assert recorder.requests(path="token")[-1].status == 429


class TestThePageOfTheSandbox:
    def test_names_each_kind_of_fault(self):
        page = (env.ROOT / "apps" / "sandbox" / "README.md").read_text(encoding="utf-8")
        _before, _heading, below = page.partition("\n**Faults.** ")
        named = set(re.findall(r"`([a-z-]+)`", below.partition("\n\n")[0]))
        assert named - {"route"} == {*faults.KINDS, *faults.ROUTES}


class TestFault:
    def test_meets_the_next_so_many_requests(self, client):
        faults.arm(Fault("authorize", "error", count=2))
        assert [client.get("/a/r4/auth/authorize").status_code for _ in range(3)] == [500, 500, 400]

    def test_lets_some_pass_first(self, client):
        faults.arm(Fault("authorize", "error", after=2))
        assert [client.get("/a/r4/auth/authorize").status_code for _ in range(4)] == [400, 400, 500, 400]

    def test_stays_until_disarmed_without_a_count(self, client):
        faults.arm(Fault("authorize", "error", count=None))
        assert [client.get("/a/r4/auth/authorize").status_code for _ in range(3)] == [500] * 3
        faults.disarm("authorize")
        assert client.get("/a/r4/auth/authorize").status_code == 400

    @pytest.mark.conformance("X70", "X71")
    def test_is_over_when_the_clock_says_so(self, client):
        faults.arm(Fault("authorize", "unavailable", count=None, lasts_seconds=72_000))
        assert client.get("/a/r4/auth/authorize").status_code == 503
        clock.move(71_990)
        assert client.get("/a/r4/auth/authorize").status_code == 503
        clock.move(20)
        assert client.get("/a/r4/auth/authorize").status_code == 400

    def test_meets_addresses_that_contain_its_path(self, client):
        faults.arm(Fault("authorize", "error", path="state=b"))
        assert client.get("/a/r4/auth/authorize?state=a").status_code == 400
        assert client.get("/a/r4/auth/authorize?state=b").status_code == 500

    @pytest.mark.parametrize(
        ("path", "route"),
        [
            ("/a/r4/auth/token", "token"),
            ("/a/dstu2/auth/authorize", "authorize"),
            ("/a/r4/auth/revoke", "revoke"),
            ("/a/r4/fhir/r4/metadata", "metadata"),
            ("/a/r4/fhir/R4/Metadata", "metadata"),
            ("/a/r4/fhir/r4/Observation", "data"),
            ("/a/r4/fhir/r4/Patient/auth", "data"),
            ("/b/myrecord/r4/-t/metadata", "metadata"),
            ("/b/myrecord/r4/-t/.well-known/smart-configuration", "metadata"),
            ("/b/myrecord/r4/-t/Observation", "data"),
            ("/b/authorization/tenants/-t/hosts/ehr/protocols/oauth2/profiles/smart-v1/token", "token"),
            ("/b/authorization/tenants/-t/protocols/oauth2/profiles/smart-v1/token/revoke", "revoke"),
            ("/b/authorization/tenants/-t/protocols/oauth2/profiles/smart-v1/personas/patient/authorize", "authorize"),
            ("/b/authorization/jwk", "keys"),
            ("/b/authorization/tenants/-t/oidc/idsps/-i/.well-known/openid-configuration", "keys"),
            ("/b/authorization/tenants/-t/personas/patient/my-authorizations", None),
            ("/b/launch/", None),
            ("/b/desk/", None),
            ("/portal/", None),
            ("/control/state", None),
        ],
    )
    def test_knows_kinds_of_routes(self, path, route):
        assert faults.route_of(path) == route

    def test_refuses_unknown_names(self):
        with pytest.raises(ValueError, match="route is one of"):
            Fault("token", "tired")


class TestUsualAnswer:
    @pytest.mark.conformance("X74")
    def test_is_never_throttled_by_default(self, exchange, ask_token):
        refresh_token = exchange().json()["refresh_token"]
        statuses = {ask_token(grant_type="refresh_token", refresh_token=refresh_token).status_code for _ in range(60)}
        assert statuses == {200}
        assert clock.offset().total_seconds() == 0

    @pytest.mark.conformance("X74")
    def test_needs_no_version_header(self, client, application):
        address = (
            "/a/r4/auth/authorize?response_type=code&client_id=app&redirect_uri=https%3A%2F%2Fapp.example%2Fback%2F7Q"
        )
        response = client.get(address)
        assert response.status_code == 200
        assert not [name for name in response.headers if "version" in name.lower()]
