"""The front desk, and the practices' directory."""

import json

import pytest
from django.core.management import call_command

from apps.sandbox.models import Account

pytestmark = pytest.mark.django_db
GRACE = {
    "practice": "bayou-general-hospital",
    "display_name": "Grace Hopper",
    "username": "grace",
    "password": "hopper-1906",
    "dstu2": "",
    "r4": "r-grace r-mary",
}


class TestFrontDesk:
    @pytest.mark.conformance("X6")
    def test_enrols_a_patient_who_can_sign_in_then(self, client, application):
        address = (
            "/a/r4/auth/authorize?response_type=code&client_id=app&redirect_uri=https%3A%2F%2Fapp.example%2Fback%2F7Q"
        )
        credentials = {"step": "sign-in", "username": "grace", "password": "hopper-1906"}
        assert b"do not go together" in client.post(address, credentials).content
        assert b"Grace Hopper can sign in now." in client.post("/practice/", GRACE, follow=True).content
        assert b"You are signed in as <strong>Grace Hopper</strong>" in client.post(address, credentials).content
        assert Account.objects.get().patients == {"dstu2": [], "r4": ["r-grace", "r-mary"]}

    def test_keeps_a_chosen_password_to_itself(self, client):
        client.post("/practice/", GRACE)
        account = Account.objects.get()
        assert "hopper-1906" not in str(vars(account))
        assert b"hopper-1906" not in client.get("/").content

    @pytest.mark.parametrize("missing", ["username", "password", "r4"])
    def test_refuses_a_form_that_opens_nothing(self, client, missing):
        assert b'role="alert"' in client.post("/practice/", {**GRACE, missing: ""}).content
        assert not Account.objects.exists()

    def test_says_where_everybody_is_enrolled(self, client):
        page = client.post("/practice/", GRACE, follow=True).content.decode()
        assert "Bayou General Hospital ·" in page

    @pytest.mark.parametrize("field", ["username", "display_name", "practice"])
    def test_refuses_what_is_too_long(self, client, field):
        assert b'role="alert"' in client.post("/practice/", {**GRACE, field: "x" * 201}).content
        assert not Account.objects.exists()

    @pytest.mark.conformance("X6")
    def test_ends_an_enrolment(self, client, application, ada):
        client.post(f"/practice/{ada.pk}/end")
        assert not Account.objects.get().has_password("lovelace-1815")


class TestDirectory:
    def test_names_practices_that_share_endpoints(self, tmp_path):
        call_command("directory", output=tmp_path / "directory.json")
        written = json.loads((tmp_path / "directory.json").read_text())
        assert written["format"] == "holdfast-directory/1"
        assert 6 <= len(written["providers"]) <= 10
        assert all(provider["is_sandbox"] for provider in written["providers"])
        endpoints = [endpoint for provider in written["providers"] for endpoint in provider["endpoints"]]
        bases = [endpoint["fhir_base_url"] for endpoint in endpoints if endpoint["interface"] == "patient-access"]
        assert len(set(bases)) == 2 < len(bases)

    @pytest.mark.conformance("X31")
    def test_gives_each_tenant_a_root_per_version(self, capsys):
        call_command("directory", origin="http://127.0.0.1:8900/")
        providers = json.loads(capsys.readouterr().out)["providers"]
        named = {provider["name"]: provider["endpoints"] for provider in providers}
        willow, riverside = "5c2d9c1a-7e64-4b0f-9d53-0f8a6b1e2c37", "-Zr8vQ2mXt5kWb7nJc4dLh9sPf3gYy1T"
        assert [len(willow), len(riverside)] == [36, 32]
        assert [one["interface"] for one in named["Willow Creek Family Medicine"]] == [
            *("patient-access", "patient-access", "smart", "smart"),
        ]
        assert named["Willow Creek Family Medicine"][2] == {
            "fhir_base_url": f"http://127.0.0.1:8900/b/myrecord/r4/{willow}/",
            "fhir_version": "r4",
            "interface": "smart",
            "tenant": willow,
            "dialect": "smart",
        }
        assert [(one["fhir_version"], one["fhir_base_url"]) for one in named["Riverside University Hospital"]] == [
            ("r4", f"http://127.0.0.1:8900/b/myrecord/r4/{riverside}/"),
            ("dstu2", f"http://127.0.0.1:8900/b/myrecord/dstu2/{riverside}/"),
        ]

    @pytest.mark.conformance("X1", "X2")
    def test_gives_each_version_trees_of_its_own(self, capsys):
        call_command("directory", origin="http://127.0.0.1:8900/")
        written = json.loads(capsys.readouterr().out)
        r4, dstu2, *_ = written["providers"][0]["endpoints"]
        assert r4 == {
            "fhir_base_url": "http://127.0.0.1:8900/a/r4/fhir/r4",
            "fhir_version": "r4",
            "interface": "patient-access",
            "tenant": "",
            "dialect": "patient-access",
            "authorization_server": {
                "authorize_url": "http://127.0.0.1:8900/a/r4/auth/authorize",
                "token_url": "http://127.0.0.1:8900/a/r4/auth/token",
                "revocation_url": "http://127.0.0.1:8900/a/r4/auth/revoke",
            },
        }
        assert dstu2["fhir_base_url"] == "http://127.0.0.1:8900/a/dstu2/fhir/dstu2"
        assert dstu2["authorization_server"]["token_url"] == "http://127.0.0.1:8900/a/dstu2/auth/token"
