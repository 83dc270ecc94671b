"""What must exist before anybody can try the demo: tables, invented people, a directory, client registrations.

Every step may be repeated, so a run that was interrupted is simply started again.
"""

import io
import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from django.core.management import CommandError, call_command
from django.db import connection

from config import env
from development.control import Sandbox
from development.demo import terminal
from development.demo.failing import CannotRun
from development.demo.programs import Programs

APPLICATION = "Holdfast demo"

# How the demo proves itself at SMART deployments, one after the other: each way is tried somewhere.
_AUTHENTICATIONS = ("client_secret_basic", "private_key_jwt")


def sandbox(programs: Programs, data: Path | None) -> Sandbox:
    """The sandbox with its tables and people, and the Bundles of `data`; started, and answering."""
    if data is not None and not data.exists():
        raise CannotRun(f"{data} does not exist: DATA names a file or a folder of FHIR Bundles.")
    terminal.step("Preparing the sandbox")
    _sandbox_command("migrate", "--verbosity", "0")
    _sandbox_command("seed")
    programs.start_sandbox()
    control = Sandbox(env.sandbox_origin())
    if not control.get("/control/accounts")["accounts"]:
        terminal.step("Inventing its people")
        _sandbox_command("populate")
    if data is not None:
        terminal.step(f"Reading {data}")
        _sandbox_command("load_bundles", str(data.resolve()), is_shown=True)  # a folder may take minutes
    return control


def site(programs: Programs, control: Sandbox) -> None:
    """The site with its tables, the sandbox's directory and client registrations there; started, and answering."""
    terminal.step("Preparing the site")
    call_command("migrate", verbosity=0)
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder) / "sandbox.json"
        _sandbox_command("directory", "--output", str(directory))
        try:
            call_command("import_endpoints", directory, "--accept-shrinking", stdout=io.StringIO())
        except CommandError as error:
            raise CannotRun(f"The sandbox's directory could not be imported: {error}") from None
    terminal.step("Discovering the sandbox's SMART deployments, and registering there")
    try:
        call_command("discover_endpoints", "--all", stdout=io.StringIO())
    except CommandError as error:
        raise CannotRun(f"The sandbox's SMART deployments could not be discovered: {error}") from None
    _register(control)
    connection.close()
    programs.start_site()


def _register(control: Sandbox) -> None:
    """Register as with a real provider: print our addresses here, apply there, get approved, store the credentials
    here.

    Each authorization server has its own redirect URI, and therefore its own application.
    """
    authentications = itertools.cycle(_AUTHENTICATIONS)
    for row in _registrations("--all-sandbox"):
        if row["status"] == "approved":
            continue
        if row["interfaces"] == ["smart"]:
            application = _apply_at_console(control, row, next(authentications))
        else:
            application = control.post(
                "/control/applications",
                name=APPLICATION,
                redirect_uris=[row["redirect_uri"]],
                versions=row["fhir_versions"],
                status="approved",
            )
        _registrations(
            *("--authorization-server", row["authorization_server"], "--client-id", application["client_id"]),
            *(f"--issuer={issuer}" for issuer in application.get("id_token_issuers", ())),
            *("--approve", "--versions", ",".join(row["fhir_versions"])),
            *("--override", "requests_per_minute=600"),  # the sandbox bears it, and nobody waits minutes for a record
            secret=application["client_secret"],
        )


def _apply_at_console(control: Sandbox, row: dict[str, Any], authentication: str) -> Any:
    """An application of interface B: with a launch URL, a public key where that is how we prove ourselves, and the
    system account it is approved under."""
    chosen = ("--authorization-server", row["authorization_server"], "--authentication", authentication)
    copied = ("--key-set", "uploaded") if authentication == "private_key_jwt" else ()
    (prepared,) = _registrations(*chosen, *copied)
    key = prepared["public_jwk"]
    application = control.post(
        "/control/smart-applications",
        name=APPLICATION,
        redirect_uris=[prepared["redirect_uri"]],
        launch_url=prepared["launch_url"],
        versions=prepared["fhir_versions"],
        authentication=authentication,
        smart_version=prepared["smart_version"],
        enabled_tenants=prepared["tenants"],
        status="approved",
        **({"jwks": {"keys": [key]}} if key else {}),
    )
    account = ("--system-account", application["system_account"], "--system-account-name", APPLICATION)
    _registrations(*chosen[:2], *account)
    return application


def _registrations(*arguments: str, secret: str = "") -> list[dict[str, Any]]:
    """`register_client`: one JSON object per line. The secret is passed on standard input, because process lists show
    arguments."""
    said = _command("config.settings.local", "register_client", *arguments, typed=f"{secret}\n")
    return [json.loads(line) for line in said.splitlines() if line.startswith("{")]


def _sandbox_command(*arguments: str, is_shown: bool = False) -> str:
    return _command("config.settings.sandbox", *arguments, is_shown=is_shown)


def _command(settings: str, *arguments: str, typed: str = "", is_shown: bool = False) -> str:
    """Run a management command in a process of its own, and return what it printed; nothing if its output `is_shown`
    directly."""
    sys.stdout.flush()
    ended = subprocess.run(
        [sys.executable, "-u", "-m", "django", *arguments],
        cwd=env.ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": settings},
        input=typed,
        stdout=None if is_shown else subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        raise CannotRun(f"{arguments[0]} failed: {(ended.stderr.strip().splitlines() or ['it did not say why'])[-1]}")
    return ended.stdout or ""
