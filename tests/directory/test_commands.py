"""The operator's commands."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from apps.directory import credentials
from apps.directory.models import ClientRegistration, Endpoint
from apps.wire.secret import Secret
from tests.directory.test_importing import ROW, endpoint, row

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
        assert out == "1 providers, 1 endpoints, 0 vanished, 0 refused\n"
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
        with pytest.raises(CommandError, match="holdfast-directory/1"):
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
        with pytest.raises(CommandError, match="import its endpoints first"):
            run("register_client", "--authorization-server", "https://nowhere.example/authorize")

    def test_does_not_know_a_version_of_its_own(self, sandbox_rows):
        with pytest.raises(CommandError, match="dstu2 or r4"):
            run("register_client", "--all-sandbox", "--versions", "r5")
