"""A client for the sandbox's control API, which apps/sandbox/README.md describes."""

import json
import time
import urllib.error
import urllib.request
from typing import Any

_SECONDS = 60


class Sandbox:
    """The running sandbox: its `origin`, and its control API as `get`, `post` and `delete`.

    Raises `urllib.error.HTTPError` if the sandbox refuses, `urllib.error.URLError` if it does not answer.
    """

    def __init__(self, origin: str) -> None:
        self.origin = origin

    def __repr__(self) -> str:
        return f"<Sandbox {self.origin}>"

    def wait(self, *, seconds: float) -> None:
        """Wait until it answers, up to a limit."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                self.get("/control/state")
            except (urllib.error.URLError, ConnectionError):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
            else:
                return

    def get(self, path: str) -> Any:
        """The JSON behind an address such as `/control/requests?path=token`."""
        return self._ask("GET", path)

    def post(self, path: str, /, **body: Any) -> Any:
        """POST the fields to `path`: `sandbox.post("/control/scenarios", name="throttled")`."""
        return self._ask("POST", path, body)

    def delete(self, path: str) -> Any:
        """DELETE `path`."""
        return self._ask("DELETE", path)

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        request = urllib.request.Request(
            self.origin + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "Accept": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
            return json.loads(answer.read() or b"null")
