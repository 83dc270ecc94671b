"""The one module that sends HTTP requests, against a server on real sockets that misbehaves."""

import gzip
import itertools
import os
import socket
import time
import zlib

import pytest

from apps.wire import transport
from apps.wire.addresses import AddressPolicy
from apps.wire.errors import Code, EndpointMisconfigured, Throttled, Unavailable, UnexpectedAnswer, UnsafeAddress
from tests.wire.servers import http, serving

LOOPBACK = AddressPolicy(allow_loopback_http=True)
PUBLIC = "93.184.216.34"


def getting(url, **limits):
    with transport.session(LOOPBACK, **limits) as session:
        return session.get(url)


class TestASession:
    def test_names_itself_and_asks_for_nothing_exotic(self):
        with serving(http(200, {})) as server:
            getting(server.url("/x"))
        headers = server.requests[0].headers
        assert headers["user-agent"].startswith("Holdfast/")
        assert headers["accept-encoding"] == "gzip"

    def test_returns_an_answer_of_any_status_with_its_body(self):
        with serving(http(418, b"short and stout", "text/plain")) as server:
            answer = getting(server.url())
        assert (answer.status_code, answer.content, answer.text) == (418, b"short and stout", "short and stout")

    def test_takes_neither_proxy_nor_credential_from_the_environment(self, monkeypatch, tmp_path):
        (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password canary\n")
        monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
        with serving(http(502)) as proxy, serving(http(200)) as server:
            for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
                monkeypatch.setenv(name, proxy.url())
            monkeypatch.delenv("no_proxy", raising=False)
            assert getting(server.url()).status_code == 200
        assert not proxy.requests
        assert "authorization" not in server.requests[0].headers

    def test_keeps_no_cookie_for_the_next_person(self):
        with serving(http(200, Set_Cookie="who=alice; Path=/")) as server, transport.session(LOOPBACK) as session:
            session.get(server.url())
            session.get(server.url())
        assert not any("cookie" in request.headers for request in server.requests)

    def test_uses_one_connection_for_several_requests(self):
        with serving(http(200, {})) as server, transport.session(LOOPBACK) as session:
            for _ in range(3):
                session.get(server.url())
        assert (len(server.requests), server.connections) == (3, 1)

    def test_connects_again_where_the_server_hung_up(self):
        def answers_once(_request):
            yield http(200, {})
            raise OSError("hang up")

        with serving(answers_once) as server, transport.session(LOOPBACK) as session:
            for _ in range(2):
                session.get(server.url())
                time.sleep(0.05)
        assert server.connections == 2

    @pytest.mark.conformance("C68")
    @pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 307, 308])
    def test_follows_no_redirect(self, status):
        with serving(http(200)) as elsewhere, serving(http(status, Location=elsewhere.url())) as server:
            with pytest.raises(EndpointMisconfigured) as refused:
                getting(server.url())
            assert (refused.value.code, refused.value.status) == (Code.REDIRECTED, status)
            assert not elsewhere.requests
            assert len(server.requests) == 1

    def test_cannot_be_loosened_by_its_caller(self):
        with serving(http(302, Location="/other")) as server, transport.session(LOOPBACK) as session:
            with pytest.raises(EndpointMisconfigured):
                session.get(
                    server.url(), allow_redirects=True, verify=False, timeout=None, proxies={"http": server.url("/p")}
                )
            assert [request.target for request in server.requests] == ["/"]


class TestTheThreadsSession:
    def test_is_kept_for_the_same_limits_only(self):
        first = transport.thread_session(LOOPBACK)
        assert transport.thread_session(LOOPBACK) is first
        assert transport.thread_session(AddressPolicy()) is not first
        assert transport.thread_session(LOOPBACK, max_bytes=9) is not first


class TestTheTotalTime:
    LIMIT = 0.6

    def refused_after(self, url, **kwargs):
        began = time.monotonic()
        with pytest.raises(Unavailable) as refused:
            getting(url, total_seconds=self.LIMIT, **kwargs)
        assert refused.value.code is Code.TIMED_OUT
        return time.monotonic() - began

    def dribble(self, *before):
        def answer(_request):
            yield from before
            for _ in range(100):
                time.sleep(0.1)
                yield b"x"

        return answer

    @pytest.mark.parametrize(
        "before",
        [
            pytest.param([], id="in the status line"),
            pytest.param([b"HTTP/1.1 200 OK\r\nX-Slow: "], id="in a header"),
            pytest.param([b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n"], id="in a body of known length"),
            pytest.param([b"HTTP/1.1 200 OK\r\n\r\n"], id="in a body until the end"),
            pytest.param([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5f\r\n"], id="in a chunk"),
        ],
    )
    def test_ends_a_dribble(self, before):
        with serving(self.dribble(*before)) as server:
            assert self.LIMIT <= self.refused_after(server.url()) < self.LIMIT + 1.5

    def test_ends_a_silence(self):
        def silent(_request):
            time.sleep(3)
            yield b""

        with serving(silent) as server:
            assert self.refused_after(server.url()) < self.LIMIT + 1.5

    def test_ends_a_resolver_that_does_not_answer(self, monkeypatch):
        def slow(*_args, **_kwargs):
            time.sleep(3)
            raise OSError

        monkeypatch.setattr(socket, "getaddrinfo", slow)
        assert self.refused_after("http://localhost:9/") < self.LIMIT + 1.5

    def test_starts_anew_with_each_request(self):
        def slowly(_request):
            time.sleep(0.4)
            yield http(200)

        with serving(slowly) as server, transport.session(LOOPBACK, total_seconds=self.LIMIT) as session:
            for _ in range(3):
                assert session.get(server.url()).status_code == 200
        assert server.connections == 1


class TestTheSizeLimit:
    def refused(self, answer):
        with serving(answer) as server, pytest.raises(UnexpectedAnswer) as refused:
            getting(server.url(), max_bytes=100_000)
        return refused.value.code

    def test_lets_pass_what_just_fits(self):
        with serving(http(200, b"x" * 100_000)) as server:
            assert len(getting(server.url(), max_bytes=100_000).content) == 100_000

    def test_refuses_one_byte_more(self):
        assert self.refused(http(200, b"x" * 100_001)) is Code.TOO_LARGE

    def test_does_not_read_an_endless_body(self):
        sent = itertools.count()

        def endless(_request):
            yield b"HTTP/1.1 200 OK\r\n\r\n"
            while next(sent) < 10_000:
                yield b"x" * 65_536

        assert self.refused(endless) is Code.TOO_LARGE
        assert next(sent) < 1_000

    @pytest.mark.parametrize("coding", ["gzip", "deflate", "gzip, gzip"])
    def test_counts_what_a_compressed_body_unfolds_to(self, coding):
        plain = b"\0" * 50_000_000
        bomb = {"gzip": lambda: gzip.compress(plain), "deflate": lambda: zlib.compress(plain)}
        body = gzip.compress(gzip.compress(plain)) if "," in coding else bomb[coding]()
        assert len(body) < 100_000
        assert self.refused(http(200, body, Content_Encoding=coding)) is Code.TOO_LARGE

    def test_is_not_held_where_a_chunk_is_said_to_have_less_than_nothing(self):
        """Which the library takes for all that ever comes."""
        sent = itertools.count()

        def endless(_request):
            yield b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n"
            while next(sent) < 1_000:
                yield b"x" * 65_536
            raise OSError

        with serving(endless) as server, pytest.raises(Unavailable):
            getting(server.url(), max_bytes=100_000)
        assert next(sent) < 500

    def test_unfolds_an_honest_one(self):
        with serving(http(200, gzip.compress(b'{"a": 13.20}'), Content_Encoding="gzip")) as server:
            assert getting(server.url()).content == b'{"a": 13.20}'


class TestABrokenAnswer:
    @pytest.mark.parametrize(
        ("answer", "expected"),
        [
            (b"", Unavailable),
            (b"\0\0\0\0\r\n\r\n", Unavailable),
            (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", Unavailable),
            (b"HTTP/1.1 abc\r\n\r\n", Unavailable),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\ncut", Unavailable),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", Unavailable),
            (b"HTTP/1.1 200 OK\r\nX: " + b"a" * 70_000 + b"\r\n\r\n", Unavailable),
            (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n", Unavailable),
            (http(200, b"not gzip", Content_Encoding="gzip"), UnexpectedAnswer),
            (http(200, gzip.compress(os.urandom(5000))[:-900], Content_Encoding="gzip"), None),
            (http(200, b"{}", Content_Encoding="unheard-of"), None),
            (b"HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 2\r\n\r\n{}", None),
            (b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=\xff\r\nContent-Length: 2\r\n\r\n{}", None),
        ],
    )
    def test_is_an_error_of_ours_or_an_answer(self, answer, expected):
        def once(_request):
            yield answer
            raise OSError("hang up")

        with serving(once) as server:
            if expected is None:
                assert getting(server.url()).status_code == 200
            else:
                with pytest.raises(expected):
                    getting(server.url())

    def test_is_unavailable_where_nobody_listens(self):
        with serving(b"") as server:
            pass
        with pytest.raises(Unavailable) as refused:
            getting(server.url())
        assert refused.value.code is Code.UNREACHABLE
        assert not isinstance(refused.value, Throttled)

    def test_is_unavailable_where_the_name_is_unknown(self, monkeypatch):
        def unknown(*_args, **_kwargs):
            raise socket.gaierror(-2, "canary")

        monkeypatch.setattr(socket, "getaddrinfo", unknown)
        with pytest.raises(Unavailable):
            getting("https://unknown.example/")


class TestAnAnswerThatCannotBeUnpacked:
    def test_leaves_no_connection_open(self):
        """The server waits for more requests on it; only we can end it."""
        accepted: list[socket.socket] = []
        answer = http(200, b"not gzip" * 60_000, Content_Encoding="gzip")

        def keep(connection: socket.socket) -> socket.socket:
            accepted.append(connection)
            return connection

        with serving(answer, wrap=keep) as server, transport.session(LOOPBACK) as session:
            with pytest.raises(UnexpectedAnswer):
                session.get(server.url("/"))
            deadline = time.monotonic() + 3
            while accepted[0].fileno() != -1 and time.monotonic() < deadline:
                time.sleep(0.02)
            assert accepted[0].fileno() == -1


class TestAResolvedName:
    """What the resolver says is judged once, and the connection goes to exactly that."""

    @pytest.fixture
    def attempts(self, monkeypatch):
        """Where sockets were sent; none arrives."""
        targets = []

        def refuse(_socket, target):
            targets.append(target[0])
            raise ConnectionRefusedError

        monkeypatch.setattr(socket.socket, "connect", refuse)
        return targets

    def resolve_to(self, monkeypatch, *answers):
        """Each call of the resolver gives the next list of addresses, the last one for ever."""
        asked: list[str] = []

        def resolver(host, port, *_args, **_kwargs):
            addresses = answers[min(len(asked), len(answers) - 1)]
            asked.append(host)
            return [
                (socket.AF_INET6, socket.SOCK_STREAM, 6, "", (address, port, 0, 0))
                if ":" in address
                else (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
                for address in addresses
            ]

        monkeypatch.setattr(socket, "getaddrinfo", resolver)
        return asked

    @pytest.mark.conformance("C68")
    def test_that_changes_after_the_check_changes_nothing(self, monkeypatch, attempts):
        asked = self.resolve_to(monkeypatch, [PUBLIC], ["127.0.0.1"])
        with pytest.raises(Unavailable):
            getting("https://rebinding.example/")
        assert asked == ["rebinding.example"]
        assert attempts == [PUBLIC]

    @pytest.mark.parametrize(
        "addresses",
        [
            ["127.0.0.1"],
            ["169.254.169.254"],
            [PUBLIC, "127.0.0.1"],
            ["127.0.0.1", PUBLIC],
            [PUBLIC, "10.0.0.8"],
            [PUBLIC, "::1"],
            [PUBLIC, "fe80::1"],
            [PUBLIC, "::ffff:127.0.0.1"],
            ["64:ff9b::7f00:1"],
            ["2002:7f00:1::"],
        ],
    )
    @pytest.mark.parametrize("policy", [AddressPolicy(), LOOPBACK], ids=["strict", "loopback"])
    def test_is_refused_whole_if_any_address_is_not_public(self, addresses, policy, monkeypatch, attempts):
        self.resolve_to(monkeypatch, addresses)
        with transport.session(policy) as session, pytest.raises(UnsafeAddress):
            session.get("https://mixed.example/")
        assert attempts == []

    def test_is_tried_address_by_address(self, monkeypatch, attempts):
        self.resolve_to(monkeypatch, [PUBLIC, "2606:2800:220:1::1"])
        with pytest.raises(Unavailable):
            getting("https://provider.example/")
        assert attempts == [PUBLIC, "2606:2800:220:1::1"]

    def test_of_localhost_must_be_this_machine(self, monkeypatch, attempts):
        self.resolve_to(monkeypatch, [PUBLIC])
        with pytest.raises(UnsafeAddress):
            getting("http://localhost:8900/")
        assert attempts == []
