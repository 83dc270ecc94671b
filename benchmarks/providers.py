"""What providers in processes of their own have in common: how one is started and stopped, and how it answers."""

import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from config import env
from development import processes
from development.ports import LOOPBACK, free_port


@contextmanager
def starting(name: str, *numbers: int, within_seconds: float = 20) -> Iterator[str]:
    """The origin of `python -m benchmarks.NAME PORT NUMBERS`, which runs as long as the block."""
    port = free_port()
    command = [sys.executable, "-m", f"benchmarks.{name}", *map(str, (port, *numbers))]
    process = processes.start(command, environment=os.environ, folder=env.ROOT)
    try:
        _wait_for(port, within_seconds)
        yield f"http://{LOOPBACK}:{port}"
    finally:
        processes.stop(process)


def _wait_for(port: int, seconds: float) -> None:
    """Until something listens there."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection((LOOPBACK, port), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return


class Server(ThreadingHTTPServer):
    """Whoever asks may be killed."""

    daemon_threads = True

    def handle_error(self, *_asked: object) -> None:
        """Say nothing of that."""


class Answering(BaseHTTPRequestHandler):
    """In JSON, and silently: a log would be measured."""

    protocol_version = "HTTP/1.1"  # connections are kept
    wbufsize = -1  # headers and body leave together

    def log_message(self, *_words: object) -> None:
        """Say nothing."""

    def answer(self, body: bytes | memoryview, *headers: tuple[str, str], status: int = 200) -> None:
        """With these headers besides the two that every answer has."""
        self.send_response(status)
        for header, value in (("Content-Type", "application/json"), ("Content-Length", str(len(body))), *headers):
            self.send_header(header, value)
        self.end_headers()
        self.wfile.write(body)

    def received(self) -> bytes:
        """The body of the request."""
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))
