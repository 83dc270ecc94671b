"""Every change in the admin requires a password given recently; asking for it loses nothing that was typed but
secrets."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib import admin
from django.test import RequestFactory
from django.urls import reverse

from apps.accounts.admin_reauthentication import ReauthenticationAdmin
from apps.accounts.models import User
from apps.directory.models import ClientRegistration, SigningKey
from tests.directory.test_admin import form
from tests.fixtures.cast import PASSWORD, gave_password

pytestmark = pytest.mark.django_db

LONG_AGO = 3600
SECRET = "canary-secret-9d1f"
LIST = "/admin/directory/clientregistration/"


@pytest.fixture
def registration(make_provider, make_endpoint) -> ClientRegistration:
    make_endpoint(make_provider("Harbor"), registration={"status": "provisional"})
    return ClientRegistration.objects.get()


@pytest.fixture
def late(staff, stella):
    """Stella's browser, an hour after she signed in."""
    gave_password(staff, stella, ago=LONG_AGO)
    return staff


def typed(registration: ClientRegistration) -> dict[str, str]:
    return form(registration, label="As she typed it", client_id="typed-id", new_secret=SECRET)


def hidden(page: str) -> list[tuple[str, str]]:
    """What a form sends by itself."""
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page)
    return [(name, value) for name, value in found if name != "csrfmiddlewaretoken"]


class TestAChangeInTheAdmin:
    def test_is_not_saved_long_after_the_password_and_has_all_that_was_typed(self, late, stella, registration):
        address = f"{LIST}{registration.pk}/change/"
        before = ClientRegistration.objects.values().get()
        page = late.post(address, typed(registration))
        text = page.content.decode()
        assert page.status_code == 200
        assert "Nothing was saved yet." in text
        assert 'value="As she typed it"' in text
        assert 'value="typed-id"' in text
        assert SECRET not in text
        assert SECRET not in str(dict(late.session))
        assert ClientRegistration.objects.values().get() == before

        gave_password(late, stella)
        late.post(address, typed(registration))
        row = ClientRegistration.objects.get()
        assert (row.label, row.client_id) == ("As she typed it", "typed-id")
        assert row.sealed_secret != before["sealed_secret"]

    def test_is_saved_after_the_password_was_given_in_another_tab(self, late, registration):
        page = late.post(f"{LIST}{registration.pk}/change/", typed(registration)).content.decode()
        asks = re.search(r'href="(/accounts/reauthenticate/[^"]+)" target="_blank"', page)
        assert asks
        there = parse_qs(urlsplit(asks[1]).query)["next"][0]
        answer = late.post(asks[1], {"password": PASSWORD, "next": there}, follow=True)
        assert answer.request["PATH_INFO"] == reverse("password_given")
        assert "Close this tab and go back" in answer.content.decode()
        late.post(f"{LIST}{registration.pk}/change/", typed(registration))
        assert ClientRegistration.objects.get().label == "As she typed it"

    def test_adds_nothing_before_it_either(self, late):
        late.post("/admin/directory/signingkey/add/", {"algorithm": "ES384"})
        assert not SigningKey.objects.exists()

    @pytest.mark.parametrize("action", ["switch_off", "retire", "reject", "approve", "delete_selected"])
    def test_by_action_waits_with_what_was_ticked(self, late, stella, registration, action):
        sent = {"action": action, "_selected_action": [str(registration.pk)], "confirmed": "yes", "post": "yes"}
        before = ClientRegistration.objects.values().get()
        page = late.post(LIST, sent).content.decode()
        assert "Nothing was changed yet." in page
        assert ClientRegistration.objects.values().get() == before
        again = dict(hidden(page))
        assert again == {**sent, "_selected_action": str(registration.pk)}
        gave_password(late, stella)
        late.post(LIST, again)
        assert list(ClientRegistration.objects.values()) != [before]

    def test_by_action_is_not_hidden_behind_one_that_only_looks(self, late, registration):
        chosen = {"action": ["check_now", "switch_off"], "index": "1"}
        endpoint = registration.authorization_server.endpoints.get()
        late.post("/admin/directory/endpoint/", {**chosen, "_selected_action": str(endpoint.pk)})
        endpoint.refresh_from_db()
        assert endpoint.is_switched_on

    def test_that_deletes_asks_on_the_way_to_the_question(self, late, sam):
        address = reverse("admin:accounts_user_change", args=[sam.pk])
        assert late.get(address).status_code == 200
        group = reverse("admin:auth_group_add")
        late.post(group, {"name": "support"})
        step = reverse("admin:axes_accessattempt_delete", args=[1])
        assert late.get(step)["Location"].startswith("/accounts/reauthenticate/")
        assert late.post(step, {"post": "yes"})["Location"] == step

    def test_is_possible_nowhere_without(self, stella):
        request = RequestFactory().get("/admin/")
        request.user = stella
        for page in admin.site._registry.values():
            may = (
                page.has_add_permission(request),
                page.has_change_permission(request),
                page.has_delete_permission(request),
            )
            assert isinstance(page, ReauthenticationAdmin) or not any(may), page

    def test_stops_nobody_from_signing_in_long_after_the_password(self, late, alice):
        late.post(reverse("admin:accounts_user_change", args=[alice.pk]), {"is_staff": "on"})
        alice.refresh_from_db()
        assert (alice.is_active, alice.is_staff) == (True, False)


class TestLooking:
    def test_wants_no_password(self, late, registration):
        for address in (LIST, f"{LIST}{registration.pk}/change/", "/admin/", "/admin/directory/endpoint/"):
            assert late.get(address).status_code == 200, address

    def test_that_was_ticked_is_done_at_once(self, late, monkeypatch, registration):
        chosen = {"action": "check_now", "_selected_action": [str(registration.pk)]}  # the id of no endpoint
        assert late.post("/admin/directory/endpoint/", chosen).status_code == 302


class TestThePageOfAnotherTab:
    def test_is_for_whoever_is_signed_in(self, client, hers: object, stella: User):
        assert client.get(reverse("password_given")).status_code == 200
        client.logout()
        assert client.get(reverse("password_given"))["Location"].startswith(reverse("account_login"))
