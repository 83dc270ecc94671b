"""The sandbox's SMART deployments, discovered and registered at as staff would do it."""

import io
import json
import sys
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.audit.recording import Actor
from apps.directory import linkability, reaching, registering
from apps.directory.desk import system_accounts
from apps.directory.linkability import Obstacle
from apps.directory.models import AuthorizationServer, Endpoint
from apps.wire import token_endpoint
from apps.wire.errors import AuthorizationExpired, ClientRejected, Code
from apps.wire.secret import Secret
from tests.directory.conftest import AT

pytestmark = pytest.mark.django_db
ACTOR = Actor.system("test")


def run(command: str, *arguments: object) -> str:
    out = io.StringIO()
    call_command(command, *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def discovered(sandbox, directory_file) -> list[Endpoint]:
    """The endpoints of interface B."""
    run("import_endpoints", directory_file)
    run("discover_endpoints", "--all")
    return list(Endpoint.objects.filter(interface="smart").order_by("fhir_base_url"))


@pytest.fixture
def install(sandbox, monkeypatch, settings):
    """Walk the way of a registration at one authorization server: ask here, apply there, keep the credentials here."""

    settings.SITE_ORIGIN = "http://localhost:8000"

    def walk(server: AuthorizationServer, *chosen: str, **given: Any) -> None:
        here = ("register_client", "--authorization-server", server.authorize_url)
        line = json.loads(run(*here, *chosen))
        application = sandbox.post(
            "/control/smart-applications",
            name="Holdfast",
            redirect_uris=[line["redirect_uri"]],
            launch_url=line["launch_url"],
            authentication=line["authentication"],
            enabled_tenants=line["tenants"],
            **({"jwks": {"keys": [line["public_jwk"]]}} if line["public_jwk"] else {}),
        )
        typed = given.get("secret", application["client_secret"])
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{typed}\n"))
        run(*here, "--client-id", application["client_id"], "--approve", "--versions", "r4,dstu2")

    return walk


def refusal(endpoint: Endpoint) -> Exception:
    """What the token endpoint says to a refresh token nobody has. It looks at the client first."""
    registration = registering.standing_at(endpoint)
    assert registration is not None
    with pytest.raises(Exception) as refused:  # noqa: PT011 - which one is what the tests compare
        token_endpoint.refresh(reaching.token_endpoint(endpoint, registration), refresh_token=Secret("nobody-has-it"))
    return refused.value


class TestSystemAccess:
    @pytest.mark.conformance("C50", "C51")
    @pytest.mark.parametrize(
        ("chosen", "way"),
        [
            (("--authentication", "client_secret_basic"), "client_secret_basic"),
            (("--authentication", "private_key_jwt", "--algorithm", "ES384"), "bearer_jwt"),
            (("--authentication", "private_key_jwt", "--algorithm", "RS384"), "bearer_jwt"),
            (
                ("--authentication", "private_key_jwt", "--system-authentication", "private_key_jwt"),
                "private_key_jwt",
            ),
        ],
    )
    def test_is_given_by_the_sandbox_in_each_form(self, discovered, sandbox, install, chosen, way):
        endpoint = discovered[0]
        server = endpoint.authorization_server
        install(server, *chosen)
        application = sandbox.get("/control/smart-applications")["applications"][-1]
        account = system_accounts.note_request(description="ours", actor=ACTOR, at=AT)
        system_accounts.approve(account, account_id=application["system_account"], actor=ACTOR, at=AT)
        run("register_client", "--authorization-server", server.authorize_url, "--system-account", account.account_id)
        run("register_client", "--authorization-server", server.authorize_url, "--smart-version", "v1")
        lines = run("system_token", "--endpoint", endpoint.fhir_base_url, "--check").splitlines()
        assert lines[1] == f"as {application['system_account']}, by {way}"
        assert lines[3] == "granted system/Patient.read"
        assert lines[4].startswith("until ")
        again = run("system_token", "--endpoint", endpoint.fhir_base_url, "--check")  # a proof works once: it is new
        assert again.splitlines()[:4] == lines[:4]
        with pytest.raises(CommandError, match="invalid_scope"):
            run("system_token", "--endpoint", endpoint.fhir_base_url, "--check", "--scope", "system/Questionnaire.read")

    def test_is_refused_where_the_account_is_not_the_sandbox_s(self, discovered, install):
        endpoint = discovered[0]
        install(endpoint.authorization_server, "--authentication", "client_secret_basic")
        account = system_accounts.note_request(description="ours", actor=ACTOR, at=AT)
        system_accounts.approve(account, account_id="3b0f1d52-9a4c-4f7e-8d11-6f0e2c7a9b35", actor=ACTOR, at=AT)
        here = ("register_client", "--authorization-server", endpoint.authorization_server.authorize_url)
        run(*here, "--system-account", account.account_id)
        with pytest.raises(CommandError, match="invalid_client"):
            run("system_token", "--endpoint", endpoint.fhir_base_url, "--check")


class TestTheSandboxesSmartDeployments:
    @pytest.mark.conformance("C22")
    def test_are_discovered_and_wait_for_a_registration(self, discovered):
        assert len(discovered) == 4
        assert {endpoint.authorization_server.source for endpoint in discovered} == {"discovered"}
        for endpoint in discovered:
            assert f"/tenants/{endpoint.tenant}/" in endpoint.authorization_server.token_url
            assert linkability.obstacle(endpoint, at=AT) is Obstacle.NO_REGISTRATION

    def test_stay_discovered_when_the_directory_is_imported_again(self, discovered, directory_file):
        run("import_endpoints", directory_file)
        found = Endpoint.objects.filter(interface="smart").order_by("fhir_base_url")
        assert [each.authorization_server for each in found] == [each.authorization_server for each in discovered]

    @pytest.mark.conformance("C34")
    @pytest.mark.parametrize(
        "chosen",
        [
            ("--authentication", "none"),
            ("--authentication", "client_secret_basic"),
            ("--authentication", "client_secret_post"),
            ("--authentication", "private_key_jwt"),
            ("--authentication", "private_key_jwt", "--algorithm", "RS384"),
        ],
    )
    def test_know_us_in_every_way_we_prove_ourselves(self, discovered, install, chosen):
        install(discovered[0].authorization_server, *chosen)
        endpoint = Endpoint.objects.get(pk=discovered[0].pk)
        assert linkability.obstacle(endpoint, at=AT) is None
        refused = refusal(endpoint)
        assert isinstance(refused, AuthorizationExpired)
        assert refused.code is Code.INVALID_GRANT

    def test_do_not_know_us_by_a_wrong_secret(self, discovered, install):
        install(discovered[0].authorization_server, secret="not-the-one")
        refused = refusal(discovered[0])
        assert isinstance(refused, ClientRejected)
        assert refused.code is Code.INVALID_CLIENT
