"""The one door to the network.

A session from here checks each address, resolves its name once and connects to what it resolved, gives up after a
total time whatever the far end dribbles, reads no more than it was told, follows no redirect, keeps no cookie, and
takes neither proxy nor credential from the environment. Whatever goes wrong comes out as a WireError that stands
alone: never chained to a library's exception, whose text holds the URL, which on interface A holds the secret.

What is too large to hold is streamed: `stream` gives the head of an answer, a redirect's too, and its body in pieces.
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
STALLED_SECONDS = 60.0  # a stream that brings less than one piece in that time: below 5 kB a second
_HEADERS = {"User-Agent": "Holdfast/0.1", "Accept-Encoding": "gzip", "Connection": "keep-alive"}
_LONGEST_REQUEST_URL = 300_000  # interface A's token calls carry codes and tokens of any length in it
_CHUNK_BYTES = 262_144

_THREAD = local()


def session(
    policy: AddressPolicy, *, total_seconds: float = TOTAL_SECONDS, max_bytes: int = MAX_BYTES
) -> requests.Session:
    """A session that can only be used safely. For one thread at a time.

    Its requests raise UnsafeAddress, EndpointMisconfigured (a redirect), Unavailable or UnexpectedAnswer (too
    large, unreadable encoding); any other status is returned as an answer.
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
    """Puts our adapter into an existing session, such as requests-oauthlib's, and returns it.

    The adapter sees addresses only after the library has mended them: whoever brings the session checks the
    writing first. With `keeps_connections` it is this thread's own, whose connections the next such session uses again:
    such a session must not be closed.
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
    """This thread's own session of that kind, so that the pages of a sync share a connection."""
    sessions: dict[object, requests.Session] = _THREAD.__dict__.setdefault("sessions", {})
    kind = (policy, total_seconds, max_bytes)
    if kind not in sessions:
        sessions[kind] = session(policy, total_seconds=total_seconds, max_bytes=max_bytes)
    return sessions[kind]


def is_cut(response: requests.Response) -> bool:
    """Whether the body of an answer to such a session ended before what was packed in it did. What its own form tells
    to be whole, as JSON does, need not ask."""
    return isinstance(response.raw, _Body) and response.raw.is_cut


@dataclass(frozen=True, repr=False)
class Stream:
    """An answer whose body is still on its way. `response` is for reading its status and headers."""

    response: requests.Response
    _deadline: Deadline
    _reader: Reader

    @property
    def status(self) -> int:
        return self.response.status_code

    def header(self, name: str) -> str:
        """The header's value, or empty."""
        return self.response.headers.get(name, "")

    def pieces(self, *, piece_bytes: int = _CHUNK_BYTES, stalled_seconds: float = STALLED_SECONDS) -> Iterator[bytes]:
        """The body, decoded, in pieces of that size; each has so long. Raises Unavailable where the far end stalls or
        breaks off before the length it announced or before what it packed ends, and UnexpectedAnswer (unreadable)."""
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
        """The whole body, where it is small. Raises UnexpectedAnswer (too large), and what `pieces` does."""
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
    """One request, whose answer begins in time and then may take as long as it keeps coming. A redirect is an answer
    like any other: nothing is followed here. The connection is kept where the body was read to its end.

    Raises UnsafeAddress, RequestRefused for a header that can be none, and Unavailable where no answer begins.
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
    """The library quotes a header that it refuses, which may hold a token: nothing of its error is kept."""
    with suppress(ValueError):
        return requests.Request(method, url, headers=headers).prepare()
    raise RequestRefused(code=Code.INVALID_REQUEST)


class _CheckingSession(requests.Session):
    """Checks an address as it was written, before the library mends it: to the adapter `https://a/b/../c` is gone."""

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
        """Nothing: the library would read its certificates from disk for each connection; our context has them."""

    def send(self, request: requests.PreparedRequest, *_args: Any, **_kwargs: Any) -> requests.Response:
        """Ignores every argument but the request: what they could loosen is decided here.

        A GET that met a kept connection just being closed is sent once more, on a new one (RFC 9110 section 9.2.2).
        """
        parse_address(request.url or "", self._policy, longest=_LONGEST_REQUEST_URL)
        self.deadline.start(self._total_seconds)
        answer = self._answer(request)
        if isinstance(answer, Unavailable) and request.method == "GET" and self.deadline.was_on_a_dead_connection():
            answer = self._answer(request)
        if isinstance(answer, Unavailable):
            answer.was_sent = self.deadline.has_sent
        if isinstance(answer, WireError):
            raise answer  # here and not below, so that nothing hangs on it as its context
        return answer

    def _answer(self, request: requests.PreparedRequest) -> requests.Response | WireError:
        try:
            response = super().send(request, stream=True, timeout=self._total_seconds, verify=True, proxies=None)
            return self._read(response)
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError, ValueError) as unprintable:
            return Unavailable(code=Code.TIMED_OUT) if self.deadline.is_over() else _named(unprintable)

    def _read(self, response: requests.Response) -> requests.Response:
        """Puts the decoded body in the place of the stream; a connection that was not read to its end is closed."""
        try:
            body = self._body(response)
        except BaseException:  # the library closes after errors of the connection, not after those of decoding
            response.raw.close()
            raise
        response.raw.release_conn()
        response.raw = body
        return response

    def _body(self, response: requests.Response) -> "_Body":
        """Up to the limit, which a compressed flood meets like any other."""
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
    """Returns the answer as soon as its head is here; the body is the caller's to read."""

    def _read(self, response: requests.Response) -> requests.Response:
        return response


@lru_cache(maxsize=1)
def tls_context() -> ssl.SSLContext:
    """Chain and host name verified, TLS 1.2 or newer (facts section 6, row 17); the system's authorities and the
    library's, because a slim image may have none of its own."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _named(unprintable: Exception) -> WireError:
    """The error of ours for one of theirs; nothing of its text is kept."""
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
    """Whether the certificate was refused, which no waiting mends, and not a handshake that merely broke off."""
    while unprintable is not None and not isinstance(unprintable, ssl.SSLCertVerificationError):
        unprintable = unprintable.__cause__ or unprintable.__context__
    return unprintable is not None
