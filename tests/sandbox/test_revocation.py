"""The revocation endpoint of interface A."""

import pytest

from apps.sandbox import scenarios
from apps.sandbox.bearer import Unauthorized

pytestmark = pytest.mark.django_db
FORM = "application/x-www-form-urlencoded"


class TestRevocation:
    @pytest.mark.parametrize("which", ["access_token", "refresh_token"])
    @pytest.mark.parametrize("place", ["query", "body"])
    def test_ends_the_grant(self, client, exchange, access, which, place):
        tokens = exchange().json()
        given = "client_id=app&client_secret=the%20secret%20of%20the%20app&token=" + tokens[which]
        address, body = (f"/a/r4/auth/revoke?{given}", "") if place == "query" else ("/a/r4/auth/revoke", given)
        response = client.generic("POST", address, body.encode(), content_type=FORM, CONTENT_TYPE=FORM)
        assert response.status_code == 200
        with pytest.raises(Unauthorized):
            access(tokens["access_token"])

    def test_is_silent_about_tokens_of_others(self, client, exchange, access, install):
        token = exchange().json()["access_token"]
        install("other", secret="s")
        address = f"/a/r4/auth/revoke?client_id=other&client_secret=s&token={token}"
        assert client.generic("POST", address, CONTENT_TYPE=FORM).status_code == 200
        assert access(token).client_id == "app"

    @pytest.mark.conformance("X1")
    @pytest.mark.parametrize("which", ["access_token", "refresh_token"])
    def test_is_silent_about_tokens_of_the_other_version(self, client, exchange, access, which):
        """Section 9.1: each version has an authorization server of its own."""
        tokens = exchange().json()
        address = (
            f"/a/dstu2/auth/revoke?client_id=app&client_secret=the%20secret%20of%20the%20app&token={tokens[which]}"
        )
        assert client.generic("POST", address, CONTENT_TYPE=FORM).status_code == 200
        assert access(tokens["access_token"]).client_id == "app"

    def test_needs_the_application_to_say_who_it_is(self, client, exchange):
        token = exchange().json()["access_token"]
        address = f"/a/r4/auth/revoke?client_id=app&client_secret=no&token={token}"
        assert client.generic("POST", address, CONTENT_TYPE=FORM).status_code == 401

    def test_can_be_absent(self, client, application):
        scenarios.choose("revocation", "off")
        address = "/a/r4/auth/revoke?client_id=app&client_secret=the%20secret%20of%20the%20app&token=x"
        assert client.generic("POST", address, CONTENT_TYPE=FORM).status_code == 404
