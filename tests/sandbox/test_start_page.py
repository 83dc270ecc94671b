"""The start page: whom you can sign in as, what you can break, the sandbox's time, and links to everything."""

import re

import pytest
from django.conf import settings
from django.core.management import call_command

from apps.sandbox import clock, scenarios
from apps.sandbox.models import Tenant

pytestmark = pytest.mark.django_db


class TestStartPage:
    def test_says_who_you_can_be(self, client, ada):
        page = client.get("/").content.decode()
        for words in ("Ada Byron", "lovelace-1815", "DSTU2 R4"):
            assert words in re.sub(r"\s+", " ", page)

    def test_offers_every_scenario(self, client):
        page = client.get("/").content.decode()
        for name, scenario in scenarios.SCENARIOS.items():
            assert f'value="{name}"' in page
            assert scenario.explains

    def test_says_what_is_not_as_usual(self, client):
        assert b"Not as usual" not in client.get("/").content
        scenarios.play("rotating-answer-lost")
        page = client.get("/").content
        assert b"rotation=on" in page
        assert b"token: lost" in page

    def test_says_what_time_it_is(self, client):
        clock.move(3_600 * 24 * 400)
        assert f"{clock.now():%Y}".encode() in client.get("/").content

    @pytest.mark.conformance("X1", "X2")
    def test_says_where_everything_is(self, client):
        page = client.get("/").content
        assert b"http://testserver/a/r4/fhir/r4<" in page
        assert b"http://testserver/a/dstu2/fhir/dstu2<" in page
        assert b"http://testserver/a/dstu2/auth/authorize<" in page

    @pytest.mark.conformance("X31")
    def test_says_what_the_smart_deployment_is(self, client):
        Tenant.objects.create(id="-one", name="Riverside University Hospital")
        Tenant.objects.create(id="gone", name="Old Harbor Infirmary", is_suspended=True)
        page = client.get("/").content
        assert b"Riverside University Hospital" in page
        assert b"http://testserver/b/myrecord/r4/-one/<" in page
        assert b"http://testserver/b/open/dstu2/-one/<" in page
        assert b"suspended" in page
        assert b"/gone/" not in page
        assert b'href="/b/authorization/tenants/-one/personas/patient/my-authorizations"' in page
        assert b'href="/b/launch/"' in page
        assert b'href="/b/desk/"' in page

    @pytest.mark.conformance("X72")
    @pytest.mark.parametrize(
        "address",
        [
            *("/", "/practice/", "/control/", "/approvals/", "/developers/sign-in", "/portal/", "/portal/request"),
            *("/console/", "/console/register", "/system-accounts/", "/system-accounts/request"),
        ],
    )
    def test_asks_nothing_of_other_hosts(self, developer, address):
        response = developer.get(address)
        assert response.status_code == 200
        fetched = re.findall(rb'(?:src|href|action)="([^"]*)"', response.content)
        assert [url for url in fetched if not url.startswith((b"/", b"data:,"))] == []
        assert "default-src 'none'" in response["Content-Security-Policy"]
        assert "unsafe" not in response["Content-Security-Policy"]

    @pytest.mark.conformance("X72")
    def test_answers_to_loopback_names_alone(self, client):
        assert client.get("/", headers={"Host": "sandbox.evil.example"}).status_code == 400
        assert client.get("/", headers={"Host": "127.0.0.1:8900"}).status_code == 200

    def test_has_cookies_of_its_own(self):
        # Browsers send cookies to every port of a host, so the site's names would clash.
        assert settings.SESSION_COOKIE_NAME == "sandbox_session"
        assert settings.CSRF_COOKIE_NAME == "sandbox_csrf"


class TestSeed:
    def test_makes_staff_and_can_be_repeated(self, client):
        call_command("seed", verbosity=0)
        call_command("seed", verbosity=0)
        assert client.login(username="admin", password="admin")
        assert client.get("/admin/").status_code == 200
