"""A site that browsers can reach, registered with its own sandbox, and a worker for it."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.core.management import call_command
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from apps.directory.models import AuthorizationServer
from development.control import Sandbox
from tests.fixtures.cast import PASSWORD
from tests.fixtures.consent import agree

# Of what is in order axe would describe each node, too: that was most of its answer, and nobody reads it.
_ASKED_OF_AXE = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}


@pytest.fixture
def site(
    live_server: LiveServer,
    sandbox: Sandbox,
    worker: Any,
    directory_file: Path,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> str:
    """The origin of a running site whose registrations at the sandbox are approved, in both versions."""
    settings.SITE_ORIGIN = live_server.url
    settings.MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = True
    call_command("import_endpoints", directory_file, stdout=io.StringIO())
    for server in AuthorizationServer.objects.order_by("authorize_url"):
        (prepared,) = _register_client(monkeypatch, server)
        application = sandbox.post(
            "/control/applications",
            name="Holdfast",
            redirect_uris=[prepared["redirect_uri"]],
            versions=prepared["fhir_versions"],
            status="approved",
        )
        versions = ",".join(prepared["fhir_versions"])
        credentials = ("--client-id", application["client_id"], "--approve", "--versions", versions)
        pace = ("--override", "requests_per_minute=600")  # a whole record at the usual one takes minutes
        _register_client(monkeypatch, server, *credentials, *pace, typed=application["client_secret"])
    return str(live_server.url)


@pytest.fixture
def signed_in(site: str, alice: Any) -> Callable[[Page], None]:
    """Signs Alice in, who has agreed to the notice in force."""
    agree(alice)

    def sign_in(page: Page) -> None:
        page.goto(f"{site}/accounts/login/")
        page.get_by_label("E-mail address").fill(alice.email)
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Sign in", exact=True).click()

    return sign_in


@pytest.fixture
def assert_accessible() -> Callable[[Page], None]:
    """Fails where axe finds something on the page, or where the page scrolls sideways."""
    axe = Axe()

    def check(page: Page) -> None:
        page.wait_for_load_state("load")  # without its stylesheet a page is another one
        found = axe.run(page, options=_ASKED_OF_AXE)
        assert found.violations_count == 0, f"{page.url}\n{found.generate_report()}"
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert overflow <= 0, f"{page.url} scrolls sideways by {overflow} px"

    return check


def _register_client(
    monkeypatch: pytest.MonkeyPatch, server: AuthorizationServer, *arguments: str, typed: str = ""
) -> list[dict[str, Any]]:
    said = io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{typed}\n"))
    call_command("register_client", "--authorization-server", server.authorize_url, *arguments, stdout=said)
    return [json.loads(line) for line in said.getvalue().splitlines()]
