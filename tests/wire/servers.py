"""A local HTTP server for tests, written on bare sockets: it records what arrives byte by byte and can misbehave.

Deliberately knows nothing of the product, so that what it recorded is evidence.
"""

import json
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Recorded:
    """One request as it arrived; header names in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> list[tuple[str, str]]:
        return parse_qsl(urlsplit(self.target).query, keep_blank_values=True, strict_parsing=True)

    @property
    def form(self) -> list[tuple[str, str]]:
        return parse_qsl(self.body.decode(), keep_blank_values=True, strict_parsing=True)


Answer = Callable[[Recorded], Iterable[bytes]]


@dataclass
class Server:
    """Answers each request with what `answer` yields, then waits for the next one on the connection."""

    answer: Answer
    wrap: Callable[[socket.socket], socket.socket] = lambda connection: connection
    requests: list[Recorded] = field(default_factory=list)
    connections: int = 0
    port: int = 0

    def url(self, path: str = "", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def _serve(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _peer = listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        try:
            with connection, self.wrap(connection) as wrapped, wrapped.makefile("rb") as stream:
                while request := _read(stream):
                    self.requests.append(request)
                    for chunk in self.answer(request):
                        wrapped.sendall(chunk)
                    if request.headers.get("connection") == "close":
                        return
        except OSError:
            return


def _read(stream) -> Recorded | None:
    first = stream.readline().decode("latin-1").strip()
    if not first:
        return None
    method, target, _version = first.split(" ")
    headers = {}
    while line := stream.readline().decode("latin-1").strip():
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    return Recorded(method, target, headers, stream.read(int(headers.get("content-length", 0))))


@contextmanager
def serving(answer: Answer | bytes, wrap=None) -> Iterator[Server]:
    """A server on a free loopback port for as long as the block lasts."""
    fixed = answer if callable(answer) else None
    server = Server(fixed or (lambda _request: [answer]))  # type: ignore[list-item]
    if wrap is not None:
        server.wrap = wrap
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server.port = listener.getsockname()[1]
        thread = threading.Thread(target=server._serve, args=(listener,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(5)


def http(
    status: int = 200, body: bytes | str | dict[str, Any] | list[Any] = b"", content_type="application/json", **headers
) -> bytes:
    """A complete answer; header names are given with underscores."""
    octets = json.dumps(body).encode() if isinstance(body, dict | list) else body
    octets = octets.encode() if isinstance(octets, str) else octets
    fields = {"Content-Type": content_type, "Content-Length": str(len(octets))}
    fields |= {name.replace("_", "-"): str(value) for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value != "")
    return f"HTTP/1.1 {status} Something\r\n{head}\r\n".encode() + octets
