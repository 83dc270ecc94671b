"""The operator's commands for the directory."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from apps.audit.models import AuditEvent
from apps.directory import credentials, registering
from apps.directory.models import ClientRegistration, Endpoint, SigningKey
from apps.wire.secret import Secret
from tests.directory.conftest import AT
from tests.directory.importing.lists import ROW, endpoint, row
from tests.directory.smart_deployment import LOGIN, statement

pytestmark = pytest.mark.django_db


@pytest.fixture
def directory_file(tmp_path):
    def write(*rows, **fields):
        path = tmp_path / "practice.json"
        path.write_text(json.dumps({"format": "holdfast-directory/1", "providers": rows, **fields}))
        return str(path)

    return write


def run(*arguments: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command(*arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


class TestImportEndpoints:
    def test_ends_with_a_summary(self, directory_file):
        out, err = run("import_endpoints", directory_file(ROW))
        summary = "1 provider (1 new, 0 changed), 1 endpoint (1 new, 0 changed), 0 vanished, 0 refused"
        assert out == f'directory "practice", {summary}\n'
        assert err == ""

    def test_names_the_endpoints_that_staff_must_switch_on(self, directory_file):
        path = directory_file(ROW)
        run("import_endpoints", path)
        Endpoint.objects.update(is_switched_on=False)
        out, err = run("import_endpoints", path)
        assert err == "switched off until staff switch it on: https://fhir.harbor.example/r4\n"
        assert out.endswith("0 refused\n")

    def test_says_a_line_for_each_row_refused_and_fails(self, directory_file):
        path = directory_file(row(name=""), ROW)
        err = io.StringIO()
        with pytest.raises(CommandError) as failure:
            call_command("import_endpoints", path, stdout=io.StringIO(), stderr=err)
        assert failure.value.returncode == 1
        assert err.getvalue() == "refused provider 1: name is missing\n"
        assert Endpoint.objects.count() == 1

    @pytest.mark.parametrize("content", ["", "{}", "<html>"])
    def test_refuses_a_file_of_another_kind(self, tmp_path, content):
        path = tmp_path / "x.json"
        path.write_text(content)
        with pytest.raises(CommandError, match="is no list that can be imported"):
            run("import_endpoints", str(path))

    def test_refuses_a_file_that_is_not_there(self, tmp_path):
        with pytest.raises(CommandError, match="cannot be read"):
            run("import_endpoints", str(tmp_path / "nothing.json"))


class TestRegisterClient:
    @pytest.fixture
    def sandbox_rows(self, directory_file):
        dstu2 = endpoint(
            fhir_base_url="https://fhir.harbor.example/dstu2",
            fhir_version="dstu2",
            authorization_server={
                "authorize_url": "https://auth.harbor.example/dstu2/authorize",
                "token_url": "https://auth.harbor.example/dstu2/token",
            },
        )
        run("import_endpoints", directory_file(row(is_sandbox=True, endpoints=[endpoint(), dstu2])))

    def test_prints_a_redirect_uri_for_each_server_of_the_sandbox(self, sandbox_rows):
        lines = [json.loads(line) for line in run("register_client", "--all-sandbox")[0].splitlines()]
        assert [line["fhir_versions"] for line in lines] == [["dstu2"], ["r4"]]
        assert len({line["redirect_uri"] for line in lines}) == 2
        assert all(line["redirect_uri"].startswith("http://testserver/connect/return/") for line in lines)
        assert [line["launch_url"] for line in lines] == [None, None]  # nobody can start us there
        assert ClientRegistration.objects.filter(status="requested", is_sandbox=True).count() == 2

    def test_twice_prints_the_same(self, sandbox_rows):
        assert run("register_client", "--all-sandbox") == run("register_client", "--all-sandbox")

    def test_keeps_the_secret_from_standard_input_and_never_prints_it(self, sandbox_rows, monkeypatch):
        monkeypatch.setattr("sys.stdin", io.StringIO("canary-secret\n"))
        out, err = run(
            "register_client", "--authorization-server", "https://auth.harbor.example/r4/authorize",
            "--client-id", "ours", "--approve", "--versions", "r4",
        )  # fmt: skip
        assert "canary" not in out + err
        registration = ClientRegistration.objects.get()
        assert (registration.status, registration.client_id, registration.versions_added) == (
            "approved",
            "ours",
            ["r4"],
        )
        assert credentials.client(registration).secret == Secret("canary-secret")

    def test_does_not_know_a_server_that_was_not_imported(self):
        with pytest.raises(CommandError, match="import its endpoints"):
            run("register_client", "--authorization-server", "https://nowhere.example/authorize")

    def test_does_not_know_a_version_of_its_own(self, sandbox_rows):
        with pytest.raises(CommandError, match="dstu2 or r4"):
            run("register_client", "--all-sandbox", "--versions", "r5")


class TestRegisterClientForASmartDeployment:
    @pytest.fixture
    def server(self, root):
        return root.discover()

    def register(self, server, *arguments: str) -> dict[str, object]:
        out, _ = run("register_client", "--authorization-server", server.authorize_url, *arguments)
        line: dict[str, object] = json.loads(out)
        return line

    def test_begins_with_what_the_server_says_of_itself(self, server, root):
        line = self.register(server)
        assert line["interfaces"] == ["smart"]
        assert line["fhir_base_urls"] == [root.url]
        assert line["authentication"] == "client_secret_basic"
        assert (line["smart_version"], line["refresh_scope"]) == ("v2", "offline_access")
        assert (line["asks_identity"], line["public_jwk"]) == (False, None)
        row = ClientRegistration.objects.get()
        assert (row.uses_pkce, row.sends_state) == (True, None)
        assert (row.refresh_window_hours, row.minimum_refresh_seconds) == (None, None)
        assert line["launch_url"] == f"http://testserver/connect/launch/{row.launch_id}/"
        assert line["redirect_uri"] == f"http://testserver/connect/return/{row.redirect_id}/"

    def test_writes_scopes_in_the_older_way_where_the_newer_is_not_promised(self, root):
        root.says(capabilities=["sso-openid-connect"])
        line = self.register(root.discover())
        assert (line["smart_version"], line["asks_identity"]) == ("v1", True)

    def test_takes_what_was_chosen_at_the_console(self, server):
        chosen = ("--authentication", "none", "--smart-version", "v1", "--refresh-scope", "none", "--identity")
        line = self.register(server, *chosen, "--prompt", "--client-id", "ours")
        assert (line["authentication"], line["smart_version"], line["refresh_scope"]) == ("none", "v1", "")
        row = ClientRegistration.objects.get()
        assert (row.asks_identity, row.prompts_for_consent) == (True, True)
        assert (row.client_id, row.sealed_secret, row.status) == ("ours", None, "provisional")
        assert credentials.client(row).authentication == "none"

    def test_makes_a_key_once_and_prints_its_public_half_alone(self, server):
        chosen = ("--authentication", "private_key_jwt")
        line = self.register(server, *chosen)
        assert self.register(server, *chosen, "--client-id", "ours")["public_jwk"] == line["public_jwk"]
        key = SigningKey.objects.get()
        assert line["public_jwk"] == key.public_jwk
        assert not {"d", "p", "q"} & set(key.public_jwk)
        assert (key.public_jwk["crv"], key.public_jwk["kid"]) == ("P-384", key.kid)

    def test_allows_issuers_that_the_server_does_not_declare(self, server):
        issuer = "https://login.example/tenants/one/oidc/idsps/9/"
        for _ in range(2):
            self.register(server, "--issuer", issuer)
        server.refresh_from_db()
        assert server.id_token_issuers == [LOGIN, issuer]
        assert AuditEvent.objects.filter(facts__changed="id_token_issuers").count() == 1
        for wrong in ("http://login.example/", "https://login.example/" + "x" * 1000):
            with pytest.raises(CommandError, match="not an address"):
                self.register(server, "--issuer", wrong)

    def test_says_which_organizations_beside_it_are_served(self, server, make_root):
        beside, elsewhere = make_root(), make_root()
        two = "https://login.example/tenants/two"
        beside.says(authorization_endpoint=f"{two}/authorize", token_endpoint=f"{two}/token")
        beside.discover()
        address = server.authorize_url
        _, told = run("register_client", "--authorization-server", address, "--serves", beside.url)
        assert registering.standing_at(beside.endpoint) == ClientRegistration.objects.get()
        assert f"{beside.url} is off until somebody looks at its host" in told
        with pytest.raises(CommandError, match="signs people in elsewhere"):
            self.register(server, "--serves", elsewhere.url)
        with pytest.raises(CommandError, match="no endpoint"):
            self.register(server, "--serves", "https://nowhere.example/")


class TestDiscoverEndpoints:
    def test_says_a_line_for_each_endpoint(self, root):
        out, err = run("discover_endpoints", "--all")
        assert out == f"discovered {root.url}: {LOGIN}/authorize\n1 discovered, 0 failed\n"
        assert err == ""

    def test_says_what_disagrees(self, root):
        root.metadata = statement(authorize=f"{LOGIN}/other", token=f"{LOGIN}/token")
        assert "(authorize_url differs)" in run("discover_endpoints", root.url)[0]

    def test_says_which_failed_and_ends_with_one(self, make_root):
        good, bad = make_root(), make_root()
        bad.configuration = 404
        out, err = io.StringIO(), io.StringIO()
        with pytest.raises(CommandError) as failure:
            call_command("discover_endpoints", "--stale", stdout=out, stderr=err)
        assert failure.value.returncode == 1
        assert err.getvalue().startswith(f"failed {bad.url}: ")
        assert err.getvalue().endswith("(no_smart_configuration)\n")
        assert out.getvalue().endswith("1 discovered, 1 failed\n")
        assert Endpoint.objects.get(pk=good.endpoint.pk).authorization_server is not None

    def test_asks_only_the_stale_ones_where_told_so(self, root):
        run("discover_endpoints", "--stale")
        said = "Nothing is stale, and nobody was asked. --all asks every one.\n"
        assert run("discover_endpoints", "--stale")[0] == said
        assert run("discover_endpoints", "--all")[0].endswith("1 discovered, 0 failed\n")

    def test_leaves_alone_what_is_configured_or_vanished(self, make_root):
        make_root(interface="patient-access", dialect="patient-access")
        gone = make_root(vanished_at=AT)
        for which in ("--all", "--stale"):
            assert run("discover_endpoints", which)[0] == "The directory has no endpoint of a SMART deployment.\n"
        assert "1 discovered" in run("discover_endpoints", gone.url)[0]
        with pytest.raises(CommandError, match="no endpoint"):
            run("discover_endpoints", "https://nowhere.example/")
