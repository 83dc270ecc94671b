"""Actions of lists in the admin: whoever may only view is offered none, and can run none."""

from collections.abc import Callable

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.test import Client

from apps.accounts.models import User
from apps.directory.models import ClientRegistration, Endpoint

pytestmark = pytest.mark.django_db

OF_REGISTRATIONS = "/admin/directory/clientregistration/"
OF_ENDPOINTS = "/admin/directory/endpoint/"


@pytest.fixture
def looking(make_user: Callable[..., User]) -> Client:
    """The browser of somebody who works here and may view everything, and change nothing."""
    viewer = make_user("vera@example.org", is_staff=True)
    viewer.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    browser = Client()
    browser.force_login(viewer)
    return browser


def test_each_asks_for_the_permission_to_change_or_to_delete():
    """One that asks for none is done for whoever may look at the list."""
    for model, page in admin.site._registry.items():
        for name in page.actions or ():
            needed = set(getattr(getattr(page, str(name)), "allowed_permissions", ()))
            assert needed & {"change", "delete"}, (model, name)


class TestWhoeverMayOnlyLook:
    @pytest.mark.parametrize("address", [OF_REGISTRATIONS, OF_ENDPOINTS])
    def test_is_offered_no_action(self, looking: Client, endpoint: Endpoint, address: str):
        page = looking.get(address)
        assert page.status_code == 200
        assert 'name="action"' not in page.content.decode()

    @pytest.mark.parametrize("action", ["switch_off", "retire"])
    def test_moves_no_registration(self, looking: Client, endpoint: Endpoint, action: str):
        before = ClientRegistration.objects.get()
        chosen = {"action": action, "_selected_action": str(before.pk), "confirmed": "yes"}
        looking.post(OF_REGISTRATIONS, chosen)
        after = ClientRegistration.objects.get()
        assert (after.is_switched_on, after.status) == (True, before.status)

    def test_switches_no_endpoint(self, looking: Client, endpoint: Endpoint):
        looking.post(OF_ENDPOINTS, {"action": "switch_off", "_selected_action": str(endpoint.pk)})
        endpoint.refresh_from_db()
        assert endpoint.is_switched_on
