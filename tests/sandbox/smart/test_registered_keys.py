"""Keys that a client publishes: fetched from this machine only, cached as long as allowed, and rotated."""

import json
import threading
import time
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey

from apps.sandbox import clock
from apps.sandbox.models import SystemAccount
from apps.sandbox.smart.clients import registered_keys
from tests.sandbox.smart.literal import WILLOW, authorize, token_address

pytestmark = pytest.mark.django_db

AT = datetime.fromisoformat("2026-03-02T09:30:00Z")
OLD, NEW = (ECKey.generate_key("P-384", {"kid": kid}) for kid in ("old", "new"))
TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


class Publisher:
    """A web server of an application's makers: what it answers, and how often it was asked."""

    def __init__(self):
        self.body = b""
        self.headers = {}
        self.status = 200
        self.seconds_a_byte = 0.0
        self.asked = 0
        self.address = ""
        self.publish(OLD)

    def publish(self, *keys, max_age=None):
        self.body = json.dumps({"keys": [key.as_dict(private=False) for key in keys]}).encode()
        self.headers = {} if max_age is None else {"Cache-Control": f"public, max-age={max_age}"}


@pytest.fixture
def publisher():
    publisher = Publisher()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            publisher.asked += 1
            self.send_response(publisher.status)
            for name, value in {"Content-Length": str(len(publisher.body)), **publisher.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if publisher.seconds_a_byte:
                for byte in publisher.body:
                    time.sleep(publisher.seconds_a_byte)
                    self.wfile.write(bytes([byte]))
            else:
                self.wfile.write(publisher.body)

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_):
            """A reader that hangs up is no fault of a test."""

    server = Server(("127.0.0.1", 0), Handler)
    publisher.address = f"http://127.0.0.1:{server.server_port}/keys.json"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield publisher
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def ids(publisher):
    """Which keys of that id the account has, as its makers publish them."""
    account = SystemAccount(jwks_url=publisher.address)
    return lambda kid, at=AT: [key["kid"] for key in registered_keys.named(account, kid, at=at)]


class TestAnAddress:
    def test_is_asked_for_its_keys(self, publisher, ids):
        assert ids("old") == ["old"]
        assert publisher.asked == 1

    @pytest.mark.parametrize(("after", "asked"), [(599, 1), (600, 2), (-1, 2)])
    def test_is_asked_again_when_its_answer_is_too_old(self, publisher, ids, after, asked):
        publisher.publish(OLD, max_age=600)
        ids("old")
        assert ids("old", AT + timedelta(seconds=after)) == ["old"]
        assert publisher.asked == asked

    def test_is_asked_again_within_a_day(self, publisher, ids):
        publisher.publish(OLD, max_age=999_999_999)
        ids("old")
        ids("old", AT + timedelta(days=1))
        assert publisher.asked == 2

    @pytest.mark.parametrize("said", ["", "no-store", "max-age=600, no-cache", "max-age=soon", "max-age=0"])
    def test_is_asked_each_time_where_nothing_may_be_kept(self, publisher, ids, said):
        publisher.headers = {"Cache-Control": said} if said else {}
        ids("old")
        ids("old")
        assert publisher.asked == 2

    def test_is_asked_once_more_for_an_unknown_key(self, publisher, ids):
        publisher.publish(OLD, max_age=600)
        ids("old")
        publisher.publish(OLD, NEW, max_age=600)
        assert ids("new") == ["new"]
        assert publisher.asked == 2
        assert (ids("new"), ids("old"), publisher.asked) == (["new"], ["old"], 2)
        assert (ids("other"), publisher.asked) == ([], 3)

    def test_that_takes_a_key_away_is_followed_once_its_answer_is_too_old(self, publisher, ids):
        publisher.publish(OLD, NEW, max_age=600)
        ids("old")
        publisher.publish(NEW, max_age=600)
        assert ids("old") == ["old"]
        assert ids("old", AT + timedelta(seconds=600)) == []

    def test_is_not_kept_when_it_fails(self, publisher, ids):
        publisher.publish(OLD, max_age=600)
        ids("old")
        publisher.status = 503
        assert ids("old", AT + timedelta(seconds=600)) == []
        publisher.status = 200
        assert ids("old", AT + timedelta(seconds=601)) == ["old"]

    def test_is_followed_nowhere(self, publisher, ids):
        publisher.status, publisher.headers = 302, {"Location": publisher.address.replace("keys", "other")}
        assert (ids("old"), publisher.asked) == ([], 1)

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"<html>",
            b"\xff\xfe",
            b"[" * 50_000,
            b"[]",
            b'{"keys": {}}',
            b'{"keys": [{"kid": 7}]}',
            json.dumps({"keys": [OLD.as_dict(private=True)]}).encode(),
            json.dumps({"keys": [OLD.as_dict(private=False)], "padding": "x" * registered_keys.MOST_BYTES}).encode(),
        ],
    )
    def test_gives_nothing_where_it_does_not_answer_with_public_keys(self, publisher, ids, body):
        publisher.body = body
        assert ids("old") == []

    def test_is_not_waited_for(self, publisher, ids, monkeypatch):
        monkeypatch.setattr(registered_keys, "MOST_SECONDS", 0.3)
        publisher.seconds_a_byte = 0.02
        began = time.monotonic()
        assert ids("old") == []
        assert time.monotonic() - began < 2

    @pytest.mark.parametrize(
        "address", ["https://app.example/keys.json", "http://192.0.2.1/keys.json", "file:///etc/hostname", ""]
    )
    def test_of_another_machine_is_not_asked(self, address):
        # A test that left this machine would fail by itself: tests/fixtures/network.py
        assert registered_keys.named(SystemAccount(jwks_url=address), "old", at=AT) == ()

    def test_that_nobody_listens_at_gives_nothing(self, publisher, ids):
        account = SystemAccount(jwks_url="http://127.0.0.1:1/keys.json")
        assert registered_keys.named(account, "old", at=AT) == ()


class TestRotation:
    """From end to end: the makers' keys at their address, the application's assertion at the token endpoint."""

    @pytest.fixture(autouse=True)
    def clinic(self, smart, publisher):
        clock.set_to(AT)
        return smart("clinic", client_type="confidential", authentication="private_key_jwt", jwks_url=publisher.address)

    @pytest.fixture
    def ask(self, allow, post_token):
        """An exchange that is proven with this key: the error, or "" for none."""

        def ask(key):
            now = int(clock.now().timestamp())
            said = {
                "iss": "clinic",
                "sub": "clinic",
                "aud": f"http://testserver{token_address(WILLOW)}",
                "exp": now + 290,
                "jti": f"{time.monotonic_ns()}",
            }
            signed = jwt.encode({"alg": "ES384", "kid": key.kid, "typ": "JWT"}, said, key, algorithms=["ES384"])
            code = allow(authorize(client_id="clinic"))["code"]
            body = {"grant_type": "authorization_code", "code": code}
            proof = {"client_assertion_type": TYPE, "client_assertion": signed}
            return post_token({**body, **proof}).json().get("error", "")

        return ask

    def test_overlaps(self, publisher, ask):
        publisher.publish(OLD, max_age=600)
        assert (ask(OLD), ask(NEW)) == ("", "invalid_client")
        publisher.publish(OLD, NEW, max_age=600)
        assert (ask(NEW), ask(OLD)) == ("", "")
        publisher.publish(NEW, max_age=600)
        clock.move(600)
        assert (ask(NEW), ask(OLD)) == ("", "invalid_client")

    def test_is_seen_at_once_after_a_reset(self, client, publisher, ask):
        publisher.publish(OLD, max_age=600)
        assert ask(OLD) == ""
        publisher.publish(NEW, max_age=600)
        client.post("/control/reset", {}, content_type="application/json")
        clock.set_to(AT + timedelta(minutes=1))
        assert ask(OLD) == "invalid_client"

    def test_happens_by_the_pages(self, client, developer, publisher, ask, clinic):
        """The same with an account from the form, whose address the developer registers."""
        developer.post("/system-accounts/request", {"description": "D", "client_name": "C", "kind": "key"})
        account = SystemAccount.objects.latest("pk")
        client.post("/approvals/", {"kind": "system-account", "id": account.pk, "decision": "approve"})
        type(clinic).objects.update(guid=account.client_id, developer=account.developer)
        assert ask(OLD) == "invalid_client"
        developer.post(f"/system-accounts/{account.pk}/keys", {"jwks_url": publisher.address})
        assert ask(OLD) == ""
        jwks = json.dumps({"keys": [NEW.as_dict(private=False)]})
        developer.post(f"/system-accounts/{account.pk}/keys", {"jwks": jwks})
        assert (ask(OLD), ask(NEW)) == ("invalid_client", "")


class TestInstalling:
    def test_takes_an_address_of_this_machine(self, client, two_tenants, publisher):
        body = {"redirect_uris": ["https://app.example/back"], "jwks_url": publisher.address}
        answer = client.post("/control/smart-applications", body, content_type="application/json")
        assert answer.status_code == 201
        told = answer.json()
        assert (told["authentication"], told["jwks"]) == ("private_key_jwt", None)
        assert told["jwks_url"] == publisher.address
