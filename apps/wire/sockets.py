"""Connections that go only where the URL guard allows, and end at a deadline.

urllib3 does the rest: pooling, TLS with the host's name, HTTP. Two things are ours. The name is resolved once, all its
addresses are checked, and the socket is connected to one of these, so that a second answer of the resolver changes
nothing. And each read and write may take only what is left of one deadline, because a time-out for each read never ends
a call to a server that sends a byte now and then.
"""

import io
import ipaddress
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from http.client import HTTPResponse
from typing import Any, cast

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection

from apps.wire.addresses import is_reachable
from apps.wire.errors import AddressFault, UnsafeAddress

KEPT_IDLE_SECONDS = 4.0  # many servers close after five
KEPT_SECONDS = 300.0
_INTERIM = range(102, 200)  # without 101, after which the connection is no longer HTTP

_Resolved = list[tuple[Any, ...]]


class Deadline(threading.local):
    """When this thread's request must be over, and how far it has come."""

    _ends_at = 0.0
    has_opened = has_sent = has_received = False

    def start(self, total_seconds: float) -> None:
        self._ends_at = time.monotonic() + total_seconds
        self.has_opened = self.has_sent = self.has_received = False

    def was_on_a_dead_connection(self) -> bool:
        """Whether the request was sent on a kept connection that returned nothing: the server was just closing it."""
        return self.has_sent and not self.has_opened and not self.has_received

    def is_over(self) -> bool:
        return time.monotonic() >= self._ends_at

    def remaining_seconds(self) -> float:
        """How many seconds are left, always more than 0. Raises TimeoutError if none are."""
        remaining = self._ends_at - time.monotonic()
        if remaining <= 0:
            raise TimeoutError
        return remaining


class _TimedReader(io.RawIOBase):
    """The raw stream below http.client's buffer."""

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._sock = sock
        self._stream = sock.makefile("rb", buffering=0)  # counts as a user of the socket until closed
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(self._deadline.remaining_seconds())
        count = self._stream.readinto(buffer)
        self._deadline.has_received = self._deadline.has_received or bool(count)
        return count

    def close(self) -> None:
        self._stream.close()
        super().close()


class _TimedSocket:
    """A connected socket, plain or TLS, as http.client and urllib3 use it."""

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._sock = sock
        self._deadline = deadline

    def sendall(self, data: Any) -> None:
        self._sock.settimeout(self._deadline.remaining_seconds())
        self._deadline.has_sent = True
        self._sock.sendall(data)

    def makefile(self, _mode: str, _buffering: int | None = None) -> io.BufferedReader:
        return io.BufferedReader(_TimedReader(self._sock, self._deadline))

    def settimeout(self, _seconds: float | None) -> None:
        """Ignored: the library sets a time-out for each read, and ours is for the whole request."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)


def connect(host: str, port: int, *, scheme: str, deadline: Deadline) -> socket.socket:
    """A socket to one of the addresses that the name resolves to. Raises UnsafeAddress if the guard refuses any."""
    deadline.has_opened = True
    candidates = _resolve(host, port, deadline)
    for *_, target in candidates:
        if not is_reachable(ipaddress.ip_address(target[0]), scheme=scheme):
            raise UnsafeAddress(fault=AddressFault.NOT_PUBLIC)
    failure: OSError = OSError("no address")
    for family, kind, protocol, _name, target in candidates:
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(deadline.remaining_seconds())
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.connect(target)
        except OSError as error:
            sock.close()
            failure = error
        else:
            return sock
    raise failure


def _resolve(host: str, port: int, deadline: Deadline) -> _Resolved:
    """Ask the system's resolver. It has no time-out, so it runs in a thread that we can abandon."""
    answers: queue.SimpleQueue[_Resolved | OSError | UnicodeError] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))
        except (OSError, UnicodeError) as error:
            answers.put(error)

    threading.Thread(target=ask, name="resolver", daemon=True).start()
    try:
        answer = answers.get(timeout=deadline.remaining_seconds())
    except queue.Empty:
        raise TimeoutError from None
    if isinstance(answer, Exception):
        raise OSError("the name does not resolve")
    return answer


class _FinalAnswer(HTTPResponse):
    """The final response. Any number of interim responses (1xx) may come before it (RFC 9110 section 15.2), of which
    the library skips only those with status 100. It would take any other for the response, and the real one for the
    response to the next request on that connection, whosever that is."""

    def _read_status(self) -> tuple[str, int, str]:
        version, status, reason = super()._read_status()  # type: ignore[misc]
        return version, HTTPStatus.CONTINUE if status in _INTERIM else status, reason

    def begin(self) -> None:
        """A response with status 101 leaves HTTP, so its connection must not be used again."""
        super().begin()
        self.will_close = self.will_close or self.status < HTTPStatus.OK

    def _read_next_chunk_size(self) -> int:
        """Refuse a negative size, with which the library would read everything that ever comes."""
        size: int = super()._read_next_chunk_size()  # type: ignore[misc]
        if size < 0:
            raise ValueError
        return size


class _KeptConnection(HTTPConnection):
    """A connection that is used again only while the server has probably not closed it, and not for so long that the
    name may lead elsewhere by now. A request on a connection that the server is just closing is lost."""

    response_class = _FinalAnswer
    _opened_at = _used_at = 0.0

    @property
    def is_connected(self) -> bool:
        now = time.monotonic()
        is_fresh = now < self._used_at + KEPT_IDLE_SECONDS and now < self._opened_at + KEPT_SECONDS
        return is_fresh and super().is_connected

    def connect(self) -> None:
        super().connect()
        self._opened_at = self._used_at = time.monotonic()

    def getresponse(self) -> Any:
        response = super().getresponse()
        self._used_at = time.monotonic()
        return response


class _PlainConnection(_KeptConnection):
    def __init__(self, *args: Any, deadline: Deadline, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline = deadline

    def _new_conn(self) -> socket.socket:
        sock = connect(self.host, self.port or 80, scheme="http", deadline=self._deadline)
        return cast("socket.socket", _TimedSocket(sock, self._deadline))


class _TlsConnection(_KeptConnection, HTTPSConnection):
    def __init__(self, *args: Any, deadline: Deadline, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline = deadline

    @property
    def is_connected(self) -> bool:
        """Not if the server sent more than we requested: that would be taken for the next answer. The library looks for
        it in the socket only, where it no longer is once it has been decrypted."""
        return super().is_connected and not cast("ssl.SSLSocket", self.sock).pending()

    def _new_conn(self) -> socket.socket:
        return connect(self.host, self.port or 443, scheme="https", deadline=self._deadline)

    def connect(self) -> None:
        super().connect()  # the handshake is one call under the socket's time-out, and verifies `self.host`
        self.sock = cast("socket.socket", _TimedSocket(self.sock, self._deadline))


class GuardedPoolManager(urllib3.PoolManager):
    """A pool manager that makes only guarded connections."""

    def __init__(self, deadline: Deadline, **connection_pool_kw: Any) -> None:
        super().__init__(**connection_pool_kw)
        self.pool_classes_by_scheme = {
            "http": cast(
                "Any", partial(_pool, urllib3.HTTPConnectionPool, partial(_PlainConnection, deadline=deadline))
            ),
            "https": cast(
                "Any", partial(_pool, urllib3.HTTPSConnectionPool, partial(_TlsConnection, deadline=deadline))
            ),
        }


def _pool(
    pool_class: type[urllib3.HTTPConnectionPool],
    connection_class: Callable[..., Any],
    *args: Any,
    **kwargs: Any,
) -> urllib3.HTTPConnectionPool:
    pool = pool_class(*args, **kwargs)
    pool.ConnectionCls = cast("Any", connection_class)
    return pool
