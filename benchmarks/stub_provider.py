"""`python -m benchmarks.stub_provider PORT LATENCY_MS`: a provider in a process of its own, that only waits.

It answers every token request with new tokens.
"""

import json
import sys
import time
from http.server import BaseHTTPRequestHandler

from benchmarks import providers
from development.ports import LOOPBACK

_TOKENS = json.dumps({"access_token": "a" * 400, "refresh_token": "r" * 400, "expires_in": 3600}).encode()


def main(port: int, latency_ms: int) -> None:
    """Serve until killed."""

    class Handler(providers.Answering, BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.received()
            time.sleep(latency_ms / 1000)
            self.answer(_TOKENS)

    providers.Server((LOOPBACK, port), Handler).serve_forever()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
