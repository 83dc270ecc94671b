"""Developer accounts: an e-mail address, and one sign-in for portal, console and system accounts."""

import pytest
from django.test import Client

from apps.sandbox.models import Application, Developer

pytestmark = pytest.mark.django_db
PAGES = (
    *("/portal/", "/portal/request", "/portal/1/", "/portal/1/addresses"),
    *("/console/", "/console/register", "/console/1/", "/console/1/change"),
    *("/system-accounts/", "/system-accounts/request", "/system-accounts/1/", "/system-accounts/1/keys"),
)
FORMS = (
    *("/portal/request", "/portal/1/credentials", "/portal/1/versions", "/portal/1/addresses", "/portal/1/retire"),
    *("/console/register", "/console/1/change", "/console/1/retire"),
    *("/system-accounts/request", "/system-accounts/1/secret", "/system-accounts/1/keys", "/system-accounts/1/retire"),
)


class TestSigningIn:
    def test_makes_an_account_the_first_time(self, client):
        page = client.post("/developers/sign-in", {"email": "Ada@App.Example"}, follow=True)
        assert page.redirect_chain == [("/portal/", 302)]
        assert b"There is an account for ada@app.example now." in page.content
        assert Developer.objects.get().email == "ada@app.example"

    def test_finds_it_again(self, client):
        for email in ("ada@app.example", " ADA@app.example "):
            page = client.post("/developers/sign-in", {"email": email}, follow=True)
        assert b"Welcome back, ada@app.example." in page.content
        assert Developer.objects.count() == 1

    def test_is_the_same_at_portal_and_console(self, developer):
        for page in ("/portal/", "/console/", "/system-accounts/"):
            assert b"dev@app.example" in developer.get(page).content

    @pytest.mark.parametrize(
        "email", ["", "ada", "ada@", "a\0b@app.example", f"{'a' * 250}@app.example", "a b@c.example"]
    )
    def test_needs_an_address(self, client, email):
        page = client.post("/developers/sign-in", {"email": email})
        assert b'role="alert"' in page.content
        assert not Developer.objects.exists()
        assert client.get("/portal/").status_code == 302

    @pytest.mark.parametrize("page", ["/console/", "/console/register", "/system-accounts/request"])
    def test_leads_where_the_developer_wanted_to_go(self, client, page):
        form = client.get(page, follow=True)
        assert form.redirect_chain[0][0].startswith("/developers/sign-in?next=")
        assert form.context["next"] == page
        there = client.post("/developers/sign-in", {"email": "a@app.example", "next": page})
        assert there["Location"] == page

    @pytest.mark.parametrize(
        "wanted",
        [
            *("https://evil.example/", "//evil.example/portal/", "/\\evil.example", "javascript:alert(1)", "\0", "/\0"),
            *("/portal/1/retire", "/control/", "/admin/logout/", "/developers/sign-out", "portal/", "/nowhere"),
        ],
    )
    def test_leads_nowhere_else(self, client, wanted):
        there = client.post("/developers/sign-in", {"email": "a@app.example", "next": wanted})
        assert there["Location"] == "/portal/"

    def test_gives_the_session_a_new_key(self, client):
        client.post("/developers/sign-in", {"email": "a@app.example"})
        before = client.session.session_key
        client.post("/developers/sign-in", {"email": "b@app.example"})
        assert client.session.session_key != before

    def test_needs_a_token_of_the_form(self):
        browser = Client(enforce_csrf_checks=True)
        assert browser.post("/developers/sign-in", {"email": "a@app.example"}).status_code == 403


class TestSigningOut:
    def test_closes_every_page(self, developer):
        developer.post("/developers/sign-out")
        assert developer.get("/portal/").status_code == 302

    def test_takes_a_form(self, developer):
        assert developer.get("/developers/sign-out").status_code == 405
        assert developer.get("/portal/").status_code == 200


class TestNobody:
    @pytest.mark.parametrize("page", PAGES)
    def test_sees_a_page_without_signing_in(self, client, page):
        assert client.get(page)["Location"].startswith("/developers/sign-in?")

    @pytest.mark.parametrize("page", FORMS)
    def test_sends_a_form_without_signing_in(self, client, page):
        answer = client.post(page, {"name": "App", "redirect_uris": "https://app.example/back", "version": "r4"})
        assert answer["Location"].startswith("/developers/sign-in?")
        assert not Application.objects.exists()

    @pytest.mark.parametrize("page", [page for page in FORMS if page.endswith(("credentials", "retire", "secret"))])
    def test_changes_anything_by_following_a_link(self, developer, page):
        assert developer.get(page).status_code == 405
