"""What gunicorn does with a request before our code sees it, and what it logs about one that failed.

gunicorn logs such a request with its whole address. We keep only the path, because codes and states are in the query.
"""

import logging
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
from gunicorn.config import Config
from gunicorn.http.errors import LimitRequestLine
from gunicorn.http.message import Request
from gunicorn.http.parser import RequestParser
from gunicorn.http.unreader import IterUnreader

from config import gunicorn


class TestALineOfGunicorn:
    @pytest.mark.parametrize(
        ("message", "arguments", "kept"),
        [
            ("Error handling request %s %s", ("GET", "/connect/return/1/?code=C&state=S"), "GET /connect/return/1/"),
            ("Invalid request from ip=%s: %s", ("10.0.0.1", "Invalid: 'GET /a?code=C x'"), "Invalid: 'GET /a x'"),
            ("Booting worker with pid: %s", (17,), "pid: 17"),
        ],
    )
    def test_keeps_the_path_and_loses_the_query(self, message, arguments, kept):
        record = logging.LogRecord("gunicorn.error", logging.ERROR, __file__, 1, message, arguments, None)
        assert gunicorn.without_query(record)
        assert kept in record.getMessage()
        assert "code=" not in record.getMessage()

    def test_of_each_request_has_no_query_and_no_referer(self):
        assert not any(part in gunicorn.access_log_format for part in ("%(r)s", "%(q)s", "%(f)s"))


def read(path: str) -> Any:
    cfg = Config()
    cfg.set("limit_request_line", gunicorn.limit_request_line)
    cfg.set("limit_request_field_size", gunicorn.limit_request_field_size)
    lines = f"GET {path} HTTP/1.1\r\nHost: holdfast.example\r\n\r\n".encode()
    chunks = (lines[start : start + 8192] for start in range(0, len(lines), 8192))
    return Request(cfg, IterUnreader(chunks), ("127.0.0.1", 1))


class TestARequestLine:
    def test_may_hold_a_code_of_64_kib(self):
        assert read("/connect/return/?code=" + "c" * 65_536).query == "code=" + "c" * 65_536

    def test_may_not_go_on_for_ever(self):
        with pytest.raises(LimitRequestLine):
            read("/" + "c" * 200_000)


def dripping(browser: socket.socket, stopped: threading.Event) -> None:
    """Send a byte now and then, for as long as somebody takes them."""
    with suppress(OSError):
        while not stopped.wait(0.05):
            browser.sendall(b"a")


class TestARequestThatComesByTheByte:
    @pytest.fixture
    def ends(self, monkeypatch):
        monkeypatch.setattr(gunicorn, "SLOWEST_SECONDS", 0.5)
        ours, browser = socket.socketpair()
        with ours, browser:
            yield ours, browser

    @pytest.fixture
    def drip(self, ends):
        """Begin with this, and go on byte by byte."""
        stopped, threads = threading.Event(), list[threading.Thread]()

        def begin(sent: bytes) -> None:
            ends[1].sendall(sent)
            threads.append(threading.Thread(target=dripping, args=(ends[1], stopped)))
            threads[-1].start()

        yield begin
        stopped.set()
        for thread in threads:
            thread.join()

    def test_holds_no_thread_by_its_head(self, ends, drip):
        drip(b"POST / HTTP/1.1\r\nHost: holdfast.example\r\nX-Long: ")
        began_at = time.monotonic()
        with pytest.raises(ConnectionResetError):
            next(RequestParser(Config(), ends[0], ("127.0.0.1", 1)))
        while ends[0].recv(9_000):  # ends at once: nobody waits for what comes still
            pass
        assert time.monotonic() - began_at < 5

    def test_holds_no_thread_by_its_body_which_has_as_long_as_its_head(self, ends, drip):
        requests = RequestParser(Config(), ends[0], ("127.0.0.1", 1))
        drip(b"POST / HTTP/1.1\r\nHost: holdfast.example\r\nContent-Length: 16000\r\n\r\n")
        request = next(requests)
        request.unreader._left = 0.0
        gunicorn.pre_request(None, request)
        began_at = time.monotonic()
        with pytest.raises(ConnectionResetError):
            request.body.read(16_000)
        assert 0.3 < time.monotonic() - began_at < 5

    def test_leaves_the_next_one_on_its_connection_as_long_as_any(self, ends):
        """A proxy keeps its connections: a slow form is no reason to break off somebody else's page."""
        requests = RequestParser(Config(), ends[0], ("127.0.0.1", 1))
        ends[1].sendall(b"POST / HTTP/1.1\r\nHost: holdfast.example\r\nContent-Length: 3\r\n\r\nabc")
        first = next(requests)
        gunicorn.pre_request(None, first)
        assert first.body.read() == b"abc"
        first.unreader._left = 0.0
        gunicorn.post_request(None, first, {}, None)
        ends[1].sendall(b"GET /next HTTP/1.1\r\nHost: holdfast")
        late = threading.Timer(0.2, ends[1].sendall, [b".example\r\n\r\n"])
        late.start()
        assert next(requests).path == "/next"
        late.join()

    def test_is_given_up_sooner_where_gunicorn_wants_it_so(self, ends):
        requests = RequestParser(Config(), ends[0], ("127.0.0.1", 1))
        ends[1].sendall(b"POST / HTTP/1.1\r\nHost: holdfast.example\r\nContent-Length: 16000\r\n\r\n")
        next(requests)
        assert requests.finish_body(deadline=time.monotonic() + 0.2) is False

    def test_that_comes_at_once_is_read_and_leaves_the_connection_as_it_was(self, ends):
        ends[1].sendall(b"POST / HTTP/1.1\r\nHost: holdfast.example\r\nContent-Length: 3\r\n\r\nabc")
        request = next(RequestParser(Config(), ends[0], ("127.0.0.1", 1)))
        assert request.body.read() == b"abc"
        assert ends[0].gettimeout() is None


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="no Linux")
class TestAConnection:
    def accepted(self, listening: socket.socket) -> tuple[socket.socket, socket.socket]:
        """Both ends of one that gunicorn would have taken."""
        gunicorn.when_ready(SimpleNamespace(LISTENERS=[SimpleNamespace(sock=listening)]))
        browser = socket.create_connection(listening.getsockname())
        ours, _address = listening.accept()
        return ours, browser

    def test_whose_far_end_takes_nothing_is_broken_off(self, monkeypatch):
        monkeypatch.setattr(gunicorn, "STALLED_MS", 1_000)
        with socket.create_server(("127.0.0.1", 0)) as listening:
            ours, browser = self.accepted(listening)
        with ours, browser:
            ours.settimeout(30)  # only so that the test ends: then the error is another
            began_at = time.monotonic()
            with pytest.raises(TimeoutError, match="Connection timed out"):
                ours.sendall(bytes(50_000_000))
            assert time.monotonic() - began_at < 20

    def test_has_a_minute(self):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            ours, browser = self.accepted(listening)
        with ours, browser:
            assert ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 60_000

    def test_through_a_file_is_left_as_it_is(self, tmp_path):
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(tmp_path / "socket"))
            gunicorn.when_ready(SimpleNamespace(LISTENERS=[SimpleNamespace(sock=listening)]))


class TestAProcessOfTheSite:
    @pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux does this")
    def test_shows_its_memory_to_no_other_program_of_its_user(self):
        """Who starts it as root may read everything, so it is asked whether it would let others."""
        program = (
            "import ctypes, os, subprocess, sys; from config import gunicorn; gunicorn.on_starting(None);"
            "lets = 'ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)';"  # PR_GET_DUMPABLE
            "forked = os.fork();"
            "forked and os.waitpid(forked, 0);"
            "print(eval(lets), flush=True);"
            "forked or os._exit(0);"
            "subprocess.run([sys.executable, '-c', f'import ctypes; print({lets})'])"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["0", "0", "1"]
