"""The people who can sign in from the start: in both versions, one with little data and one with much."""

import pytest

from apps.sandbox.models import Account
from apps.sandbox.people import populating

pytestmark = pytest.mark.django_db


class TestNamedPeople:
    @pytest.mark.conformance("X75")
    def test_include_one_with_little_and_one_with_much_in_both_versions(self):
        counts = {one.username: one.resources for one in populating.cast()}
        assert max(counts["ines"].values()) < 50
        assert min(counts["ruth"].values()) > 1_000
        for username in ("ines", "ruth"):
            account = Account.objects.get(username=username)
            assert account.patient_ids("dstu2")
            assert account.patient_ids("r4")

    @pytest.mark.conformance("X75")
    @pytest.mark.parametrize("version", ["dstu2", "r4"])
    @pytest.mark.parametrize("username", ["ines", "ruth"])
    def test_can_sign_in_for_either_version(self, client, application, version, username):
        list(populating.cast())
        address = (
            f"/a/{version}/auth/authorize?response_type=code&client_id=app"
            "&redirect_uri=https%3A%2F%2Fapp.example%2Fback%2F7Q"
        )
        page = client.post(address, {"step": "sign-in", "username": username, "password": f"{username}-pass-1"})
        assert b"You are signed in as" in page.content
        assert client.post(address, {"step": "allow"})["Location"].startswith("https://app.example/back/7Q?code=")

    def test_are_told_on_the_start_page(self, client):
        list(populating.cast())
        page = client.get("/").content.decode()
        for words in ("Ruth Alder", "ruth-pass-1", "Type 2 diabetes since 2014"):
            assert words in page
