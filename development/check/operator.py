"""What an operator tries from a shell while the demo runs: system access in each of its forms.

The commands run in processes of their own, with the demo's settings. What they print is compared with what the sandbox
is told to give.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from config import env
from development.check.page import NotThere

Step = tuple[str, Callable[[], None]]
_SECONDS = 120


class Operator:
    """An operator with a shell, in the demo's environment."""

    def __init__(self, surroundings: Mapping[str, str]) -> None:
        self._surroundings = {**surroundings, "DJANGO_SETTINGS_MODULE": "config.settings.local"}

    def steps(self) -> Iterator[Step]:
        """Each form once (specification S5 and S6)."""
        yield "system access: with a secret, by Basic", self.with_a_secret
        yield "system access: signed, in the header", self.signed_in_the_header
        yield "system access: signed, in the form", self.signed_in_the_form

    def with_a_secret(self) -> None:
        self._ask(self._registration("client_secret_basic"), way="client_secret_basic")

    def signed_in_the_header(self) -> None:
        self._ask(self._registration("private_key_jwt"), way="bearer_jwt")

    def signed_in_the_form(self) -> None:
        registration = self._registration("private_key_jwt")
        here = ("register_client", "--authorization-server", registration["authorization_server"])
        self._command(*here, "--system-authentication", "private_key_jwt")
        try:
            self._ask(registration, way="private_key_jwt")
        finally:
            self._command(*here, "--system-authentication", "usual")

    def _registration(self, authentication: str) -> dict[str, Any]:
        """The demo's registration at a SMART deployment with this authentication method, as the command that stores it
        prints it."""
        for line in self._command("register_client", "--all-sandbox").splitlines():
            registration: dict[str, Any] = json.loads(line)
            if registration["interfaces"] == ["smart"] and registration["authentication"] == authentication:
                return registration
        raise NotThere(f"no registration that proves itself by {authentication}")

    def _ask(self, registration: Mapping[str, Any], *, way: str) -> None:
        said = self._command("system_token", "--endpoint", registration["fhir_base_urls"][0], "--check")
        wanted = (f"as {registration['system_account_id']}, by {way}", "granted system/Patient.", "until 20")
        missing = [words for words in wanted if words not in said]
        if missing:
            raise NotThere(f"{missing} in what the command said: {said!r}")
        if "eyJ" in said:  # how every signed token begins
            raise NotThere("a command that keeps tokens to itself")

    def _command(self, *arguments: str) -> str:
        ended = subprocess.run(
            [sys.executable, "-m", "django", *arguments],
            cwd=env.ROOT,
            env=self._surroundings,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
        if ended.returncode != 0:
            why = (ended.stderr.strip().splitlines() or ["it did not say why"])[-1]
            raise NotThere(f"a command {arguments[0]} that ends well: {why}")
        return ended.stdout
