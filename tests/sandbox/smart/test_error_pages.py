"""What interface B calls an error, and the page that explains it."""

import re
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import pytest

from apps.sandbox import scenarios
from apps.sandbox.smart.errors import addresses
from apps.sandbox.smart.errors.catalogue import ERRORS

pytestmark = pytest.mark.django_db

WHERE = {"client_id": "app", "tenant": "-t", "persona": "patient"}
PAGE = (
    "/b/authorization/errors/urn%3Asandbox%3Aerror%3Aauthorization-server%3Aoauth2%3Agrant%3Adenied-by-user"
    "/instances/1b9a7c1e-6c1f-4d83-8a49-0c7b8a0d3a11"
)


class TestTheAddress:
    @pytest.mark.conformance("X63")
    def test_names_the_fault_encoded_and_the_instance_and_who_was_there(self):
        address = addresses.error_uri("oauth2:grant:denied-by-user", **WHERE)
        assert re.fullmatch(
            r"http://testserver/b/authorization/errors/"
            r"urn%3Asandbox%3Aerror%3Aauthorization-server%3Aoauth2%3Agrant%3Adenied-by-user"
            r"/instances/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
            r"\?client=app&tenant=-t&persona=patient",
            address or "",
        )

    @pytest.mark.conformance("X63")
    def test_is_encoded_twice_in_a_redirect(self):
        answer = addresses.explained("access_denied", "oauth2:grant:denied-by-user", **WHERE)
        assert "urn%253Asandbox%253Aerror%253Aauthorization-server%253Aoauth2" in urlencode(answer)

    def test_calls_a_client_without_a_name_unknown(self):
        address = addresses.error_uri("oauth2:token:invalid-authorization-header", client_id="", tenant="t")
        assert parse_qs(urlsplit(address or "").query) == {"client": ["unknown"], "tenant": ["t"]}

    def test_is_left_out_or_leads_elsewhere_on_request(self):
        scenarios.choose("error_uri", "off")
        assert addresses.explained("access_denied", "oauth2:grant:denied-by-user", **WHERE) == {
            "error": "access_denied"
        }
        scenarios.choose("error_uri", "foreign-host")
        address = addresses.error_uri("oauth2:grant:denied-by-user", **WHERE)
        assert (address or "").startswith("https://help.example/")

    def test_is_made_of_nothing_nobody_names(self):
        with pytest.raises(KeyError):
            addresses.error_uri("oauth2:grant:bad-weather", **WHERE)


class TestThePage:
    @pytest.mark.conformance("X63")
    @pytest.mark.parametrize("name", ERRORS)
    def test_answers_at_the_address_of_every_fault(self, client, name):
        address = addresses.error_uri(name, **WHERE)
        page = client.get((address or "").removeprefix("http://testserver"))
        assert page.status_code == 200
        assert f"urn:sandbox:error:authorization-server:{name}" in page.content.decode()

    def test_opens_when_the_fault_was_left_encoded_twice(self, client):
        assert client.get(PAGE.replace("%", "%25")).status_code == 200

    def test_explains_in_words_and_shows_nothing_of_its_query(self, client):
        page = client.get(PAGE + "?client=" + quote("<b>Pay here</b>") + "&tenant=t").content
        assert b"You chose not to share." in page
        assert b"Pay here" not in page

    def test_says_that_closing_is_safe_and_may_not_be_framed(self, client):
        page = client.get(PAGE)
        assert b"You can close this page." in page.content
        assert b"window.close" not in page.content
        assert page["X-Frame-Options"] == "DENY"

    def test_is_not_there_for_what_nobody_names(self, client):
        assert client.get(PAGE.replace("denied-by-user", "bad-weather")).status_code == 404
