"""The only module that sends HTTP requests to the network.

Its sessions check each address, resolve its name once and connect to that result. They give up after a total time,
however slowly the server sends, and read no more than a maximum. They follow no redirects, keep no cookies, and take
neither a proxy nor credentials from the environment. Whatever goes wrong is raised as a WireError that is not chained
to a library's exception: the text of that contains the URL, and on interface A the URL contains the secret.

`stream` is for answers that are too large for memory. It returns the body in pieces.
"""

import io
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from http.cookiejar import DefaultCookiePolicy
from threading import local
from typing import Any, TypeVar

import certifi
import requests
import urllib3
from requests.adapters import HTTPAdapter

from apps.wire.addresses import AddressPolicy, check_address, parse_address
from apps.wire.decompressing import Reader
from apps.wire.errors import (
    Code,
    EndpointMisconfigured,
    RequestRefused,
    Unavailable,
    UnexpectedAnswer,
    WireError,
)
from apps.wire.quieting_libraries import quiet_libraries
from apps.wire.sockets import Deadline, GuardedPoolManager

__all__ = [
    "AddressPolicy",
    "Stream",
    "check_address",
    "guard",
    "is_cut",
    "session",
    "stream",
    "thread_session",
    "tls_context",
]

quiet_libraries()

AnySession = TypeVar("AnySession", bound=requests.Session)

TOTAL_SECONDS = 10.0  # facts section 6, row 16
MAX_BYTES = 5_000_000  # facts section 6, row 16
STALLED_SECONDS = 60.0  # a stream that brings less than one piece in that time is slower than 5 kB a second
_HEADERS = {"User-Agent": "Holdfast/0.1", "Accept-Encoding": "gzip", "Connection": "keep-alive"}
_LONGEST_REQUEST_URL = 300_000  # on interface A, token requests have codes and tokens of any length in it
_CHUNK_BYTES = 262_144

_THREAD = local()


def session(
    policy: AddressPolicy, *, total_seconds: float = TOTAL_SECONDS, max_bytes: int = MAX_BYTES
) -> requests.Session:
    """A guarded session, for one thread at a time.

    Its requests raise UnsafeAddress, EndpointMisconfigured (a redirect), Unavailable or UnexpectedAnswer (too large,
    unreadable encoding). A response with any other status is returned.
    """
    return guard(_CheckingSession(policy), policy, total_seconds=total_seconds, max_bytes=max_bytes)


def guard(
    unguarded: AnySession,
    policy: AddressPolicy,
    *,
    total_seconds: float = TOTAL_SECONDS,
    max_bytes: int = MAX_BYTES,
    keeps_connections: bool = False,
) -> AnySession:
    """Put our adapter into an existing session, such as that of requests-oauthlib, and return the session.

    The adapter sees addresses only after the library has normalized them, so the caller must check them before. With
    `keeps_connections` the adapter is shared by this thread's sessions, which use its connections again: do not close
    such a session.
    """
    adapters: dict[object, _GuardedAdapter] = _THREAD.__dict__.setdefault("adapters", {}) if keeps_connections else {}
    kind = (policy, total_seconds, max_bytes)
    if kind not in adapters:
        adapters[kind] = _GuardedAdapter(policy, total_seconds=total_seconds, max_bytes=max_bytes)
    adapter = adapters[kind]
    unguarded.adapters.clear()
    unguarded.mount("https://", adapter)
    unguarded.mount("http://", adapter)
    unguarded.trust_env = False
    unguarded.max_redirects = 0
    unguarded.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    unguarded.headers.clear()
    unguarded.headers.update(_HEADERS)
    return unguarded


def thread_session(
    policy: AddressPolicy, *, total_seconds: float = TOTAL_SECONDS, max_bytes: int = MAX_BYTES
) -> requests.Session:
    """This thread's session with these limits, so that the pages of a sync share a connection."""
    sessions: dict[object, requests.Session] = _THREAD.__dict__.setdefault("sessions", {})
    kind = (policy, total_seconds, max_bytes)
    if kind not in sessions:
        sessions[kind] = session(policy, total_seconds=total_seconds, max_bytes=max_bytes)
    return sessions[kind]


def is_cut(response: requests.Response) -> bool:
    """Whether the compressed body of a response ended too early. Cut JSON shows that by itself."""
    return isinstance(response.raw, _Body) and response.raw.is_cut


@dataclass(frozen=True, repr=False)
class Stream:
    """An answer whose body has not been read yet. `response` is for its status and headers."""

    response: requests.Response
    _deadline: Deadline
    _reader: Reader

    @property
    def status(self) -> int:
        return self.response.status_code

    def header(self, name: str) -> str:
        """The header's value; empty if there is none."""
        return self.response.headers.get(name, "")

    def pieces(self, *, piece_bytes: int = _CHUNK_BYTES, stalled_seconds: float = STALLED_SECONDS) -> Iterator[bytes]:
        """The body, decompressed, in pieces of at most that size, each of which may take that long. Raises Unavailable
        if the server stalls, or if the body ends too early, and UnexpectedAnswer (unreadable)."""
        while True:
            self._deadline.start(stalled_seconds)
            piece = self._piece(piece_bytes)
            if isinstance(piece, WireError):
                raise piece  # here and not below, as in `_GuardedAdapter.send`
            if not piece and self._reader.is_cut:
                raise Unavailable(code=Code.UNREACHABLE)
            if not piece:
                return
            yield piece

    def body(self, *, total_seconds: float = TOTAL_SECONDS, max_bytes: int = MAX_BYTES) -> bytes:
        """The whole body of a small answer. Raises UnexpectedAnswer (too large), and what `pieces` raises."""
        self._deadline.start(total_seconds)
        body = bytearray()
        while piece := self._piece():
            if isinstance(piece, WireError):
                raise piece
            body += piece
            if len(body) > max_bytes:
                raise UnexpectedAnswer(code=Code.TOO_LARGE, status=self.status)
        return bytes(body)

    def _piece(self, piece_bytes: int = _CHUNK_BYTES) -> bytes | WireError:
        try:
            piece = self._reader.read(piece_bytes)
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as unprintable:
            return Unavailable(code=Code.TIMED_OUT) if self._deadline.is_over() else _named(unprintable)
        return piece


@contextmanager
def stream(
    url: str,
    policy: AddressPolicy,
    *,
    method: str = "GET",
    headers: Mapping[str, str],
) -> Iterator[Stream]:
    """Make one request. Its answer must begin in time, and may then take as long as data keeps coming. A redirect is
    returned like any other answer, not followed. The connection is kept if the body was read to its end.

    Raises UnsafeAddress, RequestRefused for an invalid header, and Unavailable if no answer begins.
    """
    check_address(url, policy)
    adapters: dict[object, _GuardedAdapter] = _THREAD.__dict__.setdefault("adapters", {})
    kind = ("streaming", policy)
    if kind not in adapters:
        adapters[kind] = _StreamingAdapter(policy, total_seconds=STALLED_SECONDS, max_bytes=0)
    response = adapters[kind].send(_prepared(method, url, {**_HEADERS, **headers}))
    try:
        yield Stream(response, adapters[kind].deadline, Reader(response.raw))
    finally:
        response.raw.close()  # a connection that went back to its pool is not touched by this


def _prepared(method: str, url: str, headers: Mapping[str, str]) -> requests.PreparedRequest:
    """The request. Nothing of the library's error is kept: it quotes the header that it refuses, which may contain a
    token."""
    with suppress(ValueError):
        return requests.Request(method, url, headers=headers).prepare()
    raise RequestRefused(code=Code.INVALID_REQUEST)


class _CheckingSession(requests.Session):
    """Checks each address before the library normalizes it: the adapter would never see `https://a/b/../c`."""

    def __init__(self, policy: AddressPolicy) -> None:
        super().__init__()
        self._policy = policy

    def request(self, method: str | bytes, url: str | bytes, *args: Any, **kwargs: Any) -> requests.Response:
        check_address(url if isinstance(url, str) else url.decode("latin-1"), self._policy)
        return super().request(method, url, *args, **kwargs)


class _GuardedAdapter(HTTPAdapter):
    """Sends one request within one deadline and returns an answer whose body has been read."""

    def __init__(self, policy: AddressPolicy, *, total_seconds: float, max_bytes: int) -> None:
        self._policy = policy
        self._total_seconds = total_seconds
        self._max_bytes = max_bytes
        self.deadline = Deadline()
        super().__init__(max_retries=0)

    def init_poolmanager(self, *_args: Any, **_kwargs: Any) -> None:
        self.poolmanager = GuardedPoolManager(self.deadline, ssl_context=tls_context())

    def cert_verify(self, *_args: Any, **_kwargs: Any) -> None:
        """Do nothing. The library would read its certificates from disk for each connection; our context has them."""

    def send(self, request: requests.PreparedRequest, *_args: Any, **_kwargs: Any) -> requests.Response:
        """Ignores all arguments but the request, because they could weaken the checks.

        A GET on a kept connection that the server was just closing is sent once more, on a new one (RFC 9110 section
        9.2.2).
        """
        parse_address(request.url or "", self._policy, longest=_LONGEST_REQUEST_URL)
        self.deadline.start(self._total_seconds)
        answer = self._answer(request)
        if isinstance(answer, Unavailable) and request.method == "GET" and self.deadline.was_on_a_dead_connection():
            answer = self._answer(request)
        if isinstance(answer, Unavailable):
            answer.was_sent = self.deadline.has_sent
        if isinstance(answer, WireError):
            raise answer  # not inside an except block, where the library's exception would become its context
        return answer

    def _answer(self, request: requests.PreparedRequest) -> requests.Response | WireError:
        try:
            response = super().send(request, stream=True, timeout=self._total_seconds, verify=True, proxies=None)
            return self._read(response)
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError, ValueError) as unprintable:
            return Unavailable(code=Code.TIMED_OUT) if self.deadline.is_over() else _named(unprintable)

    def _read(self, response: requests.Response) -> requests.Response:
        """Replace the stream by the body, decompressed. A connection that was not read to its end is closed."""
        try:
            body = self._body(response)
        except BaseException:  # the library closes after errors of the connection, not after those of decoding
            response.raw.close()
            raise
        response.raw.release_conn()
        response.raw = body
        return response

    def _body(self, response: requests.Response) -> "_Body":
        """The body, decompressed, which may not be larger than the limit."""
        if response.status_code < 200:  # what follows on this connection answers nothing that we asked
            raise UnexpectedAnswer(status=response.status_code)
        if 300 <= response.status_code < 400:
            raise EndpointMisconfigured(code=Code.REDIRECTED, status=response.status_code)
        body, reader = _Body(), Reader(response.raw)
        while chunk := reader.read(_CHUNK_BYTES):
            body.write(chunk)
            if body.tell() > self._max_bytes:
                raise UnexpectedAnswer(code=Code.TOO_LARGE, status=response.status_code)
        body.seek(0)
        body.is_cut = reader.is_cut
        return body


class _Body(io.BytesIO):
    """A body that has been read."""

    is_cut = False


class _StreamingAdapter(_GuardedAdapter):
    """Returns the answer as soon as its headers are here. The caller reads the body."""

    def _read(self, response: requests.Response) -> requests.Response:
        return response


@lru_cache(maxsize=1)
def tls_context() -> ssl.SSLContext:
    """TLS 1.2 or newer, with chain and host name verified (facts section 6, row 17). It trusts the authorities of the
    system and those of certifi, because a small image may have none of its own."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _named(unprintable: Exception) -> WireError:
    """Our error for one of a library's. Nothing of its text is kept."""
    if isinstance(unprintable, requests.Timeout | urllib3.exceptions.TimeoutError | TimeoutError):
        return Unavailable(code=Code.TIMED_OUT)
    if _is_untrusted(unprintable):
        return EndpointMisconfigured(code=Code.UNTRUSTED_CERTIFICATE)
    if isinstance(unprintable, urllib3.exceptions.DecodeError | requests.exceptions.ContentDecodingError):
        return UnexpectedAnswer(code=Code.UNREADABLE)
    if isinstance(unprintable, requests.ConnectionError | urllib3.exceptions.HTTPError | OSError):
        return Unavailable(code=Code.UNREACHABLE)
    return UnexpectedAnswer(code=Code.UNREADABLE)


def _is_untrusted(unprintable: BaseException | None) -> bool:
    """Whether we refused the certificate, so that waiting does not help; else the handshake just broke off."""
    while unprintable is not None and not isinstance(unprintable, ssl.SSLCertVerificationError):
        unprintable = unprintable.__cause__ or unprintable.__context__
    return unprintable is not None
