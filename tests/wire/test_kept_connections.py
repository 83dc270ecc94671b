"""Calls of one thread reuse a connection while it may still be open, and it is known what was sent."""

import io
import time

import pytest

from apps.wire import sockets, token_endpoint, transport
from apps.wire.addresses import AddressPolicy
from apps.wire.client_authentication import Authentication, Client
from apps.wire.dialects import DIALECTS
from apps.wire.errors import Unavailable, UnexpectedAnswer
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenEndpoint
from tests.wire.servers import http, serving

POLICY = AddressPolicy(allow_loopback_http=True)
TOKENS = http(body={"access_token": "a"}, Set_Cookie="who=canary; Path=/")


def refresh(url: str, client_id: str = "ours") -> str:
    client = Client(client_id, Secret("s"), Authentication.QUERY)
    endpoint = TokenEndpoint(url, client, DIALECTS["patient-access"], POLICY)
    return token_endpoint.refresh(endpoint, refresh_token=Secret("r")).access_token.reveal()


class TestTokenCalls:
    def test_share_a_connection_and_nothing_else(self):
        with serving(TOKENS) as server:
            refresh(server.url("/token"), "one")
            refresh(server.url("/token"), "another")
            assert server.connections == 1
            assert [dict(request.query)["client_id"] for request in server.requests] == ["one", "another"]
            assert all("cookie" not in request.headers for request in server.requests)

    @pytest.mark.parametrize("limit", ["KEPT_IDLE_SECONDS", "KEPT_SECONDS"])
    def test_open_another_where_it_rested_or_lasted_too_long(self, monkeypatch, limit):
        monkeypatch.setattr(sockets, limit, 0.0)
        with serving(TOKENS) as server:
            refresh(server.url("/token"))
            refresh(server.url("/token"))
            assert server.connections == 2

    def test_trade_a_code_on_a_connection_of_their_own(self):
        with serving(TOKENS) as server:
            client = Client("ours", Secret("s"), Authentication.QUERY)
            endpoint = TokenEndpoint(server.url("/token"), client, DIALECTS["patient-access"], POLICY)
            refresh(server.url("/token"))
            token_endpoint.exchange(endpoint, code=Secret("c"), redirect_uri="https://app.test/return")
            refresh(server.url("/token"))
            assert server.connections == 2


class TestAConnectionThatTheFarEndIsJustClosing:
    """The second request on a connection arrives, and the server closes without a word."""

    @pytest.fixture
    def server(self):
        answered: set[int] = set()

        def closing(_request):
            if server.connections in answered:
                raise OSError
            answered.add(server.connections)
            yield TOKENS

        with serving(closing) as server:
            yield server

    def test_is_replaced_for_a_reading(self, server):
        with transport.session(POLICY) as session:
            assert [session.get(server.url("/fhir")).status_code for _ in range(3)] == [200, 200, 200]
        assert (server.connections, len(server.requests)) == (3, 5)

    def test_is_replaced_once(self, server):
        def closing(_request):
            raise OSError

        with transport.session(POLICY) as session:
            session.get(server.url("/fhir"))
            server.answer = closing
            with pytest.raises(Unavailable):
                session.get(server.url("/fhir"))
        assert len(server.requests) == 3

    def test_is_not_replaced_where_the_first_answer_had_begun(self, server):
        with transport.session(POLICY) as session:
            session.get(server.url("/fhir"))

            def breaking_off(_request):
                yield b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"
                raise OSError

            server.answer = breaking_off
            with pytest.raises(Unavailable):
                session.get(server.url("/fhir"))
        assert len(server.requests) == 2

    def test_ends_a_refresh_which_may_have_arrived(self, server):
        refresh(server.url("/token"))
        with pytest.raises(Unavailable) as raised:
            refresh(server.url("/token"))
        assert raised.value.was_sent
        assert len(server.requests) == 2


class TestAnInterimAnswer:
    """A server may say that its answer will come, as often as it likes."""

    @pytest.mark.parametrize("status", [100, 102, 103, 199])
    def test_is_none_and_what_comes_after_it_answers_nobody_else(self, status):
        def saying_so(request):
            yield f"HTTP/1.1 {status} Wait\r\nLink: </style.css>\r\n\r\n".encode() * 2
            time.sleep(0.05)  # so that whoever asks next has asked by then
            yield http(body={"access_token": dict(request.query)["client_id"]})

        with serving(saying_so) as server:
            assert [refresh(server.url("/token"), whose) for whose in ("hers", "his")] == ["hers", "his"]
            assert server.connections == 1

    def test_that_ends_http_ends_its_connection(self):
        def switching(request):
            if dict(request.query)["client_id"] == "hers":
                yield b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"
            time.sleep(0.05)
            yield http(body={"access_token": dict(request.query)["client_id"]})

        with serving(switching) as server:
            with pytest.raises(UnexpectedAnswer):
                refresh(server.url("/token"), "hers")
            assert refresh(server.url("/token"), "his") == "his"
            assert server.connections == 2

    def test_that_ends_http_ends_its_connection_where_it_is_a_stream(self):
        def switching(request):
            if request.path == "/hers":
                yield b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"
            time.sleep(0.05)
            yield http(body=request.path)

        with serving(switching) as server:
            told = []
            for path in ("/hers", "/his"):
                with transport.stream(server.url(path), POLICY, headers={}) as answer:
                    told.append((answer.status, answer.body()))
            assert told == [(101, b""), (200, b"/his")]
            assert server.connections == 2


class TestMoreThanWasAskedFor:
    """Another whole answer in one piece with the first, which ends where a read of ours does."""

    def twice(self, request):
        if request.path == "/hers":
            head = len(http(body=b"x" * 8000)) - 8000
            yield http(body=b"x" * (io.DEFAULT_BUFFER_SIZE - head)) + http(body="nobody's")
        else:
            time.sleep(0.05)  # so that whoever asks finds what is there already
            yield http(body=request.path)

    def told(self, policy, url):
        with transport.session(policy) as session:
            session.get(f"{url}/hers")
            return session.get(f"{url}/his").text

    def test_answers_nobody(self):
        with serving(self.twice) as server:
            assert self.told(POLICY, server.url()) == "/his"
            assert server.connections == 2

    def test_answers_nobody_under_tls(self, authority, tls_provider, route, tmp_path):
        with tls_provider(authority.context(tmp_path, "provider.example"), self.twice) as server:
            route(server.port)
            assert self.told(AddressPolicy(), "https://provider.example") == "/his"
            assert server.connections == 2


class TestACallThatFails:
    def test_was_not_sent_where_nobody_listens(self):
        with serving(TOKENS) as server:
            url = server.url("/token")
        with pytest.raises(Unavailable) as raised:
            refresh(url)
        assert not raised.value.was_sent

    def test_was_sent_where_the_answer_breaks_off(self):
        with serving(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{") as server:
            answer = server.answer

            def breaking_off(request):
                yield from answer(request)
                raise OSError

            server.answer = breaking_off
            with pytest.raises(Unavailable) as raised:
                refresh(server.url("/token"))
        assert raised.value.was_sent
