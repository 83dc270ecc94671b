"""Staff at the desk during a directory import: a step that meets it waits for a moment, and then says so."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import QuerySet
from django.test import Client
from django.utils import timezone

from apps.directory import import_waits
from apps.directory.models import AuthorizationServer, Endpoint, KnownOrigins
from tests.fixtures.imports import an_import
from tests.portal.desk.conftest import BACKEND
from tests.portal.desk.test_moves import address, link, moved, seen

__all__ = ["link", "moved"]  # fixtures

pytestmark = pytest.mark.django_db(transaction=True)

NOT_DONE = "This is not done yet, because a list is being imported."


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for long."""
    monkeypatch.setattr(import_waits, "_PATIENCE", "SET LOCAL lock_timeout = '100ms'")


def told(browser: Client, url: str, fields: dict[str, str], *changes: QuerySet[Any]) -> str:
    """What a step says that is taken during an import which changed these rows."""
    with an_import(*changes):
        return browser.post(url, fields, follow=True).content.decode()


@pytest.mark.usefixtures("link")
class TestAMove:
    def test_is_approved_once_the_import_is_over(self, staff: Client, moved: Endpoint) -> None:
        assert NOT_DONE in told(staff, address(moved), seen())
        assert not KnownOrigins.objects.exists()
        staff.post(address(moved), seen())
        assert KnownOrigins.objects.get().withdrawn_at is None

    def test_is_not_approved_where_an_import_begins_while_it_is(
        self, staff: Client, moved: Endpoint, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(import_waits, "wait", lambda: None)  # none was running then
        assert NOT_DONE in told(staff, address(moved), seen(), Endpoint.objects.all())
        assert not KnownOrigins.objects.exists()

    def test_is_taken_back_at_once_where_it_meets_none_of_its_rows(self, staff: Client, moved: Endpoint) -> None:
        staff.post(address(moved), seen())
        assert "Taken back" in told(staff, address(moved), {"withdraw": "1"})
        assert KnownOrigins.objects.get().withdrawn_at is not None

    def test_is_taken_back_wholly_or_not_at_all(self, staff: Client, moved: Endpoint) -> None:
        staff.post(address(moved), seen())
        Endpoint.objects.filter(pk=moved.pk).update(moved_from=None)  # its row would change
        assert NOT_DONE in told(staff, address(moved), {"withdraw": "1"}, Endpoint.objects.all())
        assert KnownOrigins.objects.get().withdrawn_at is None


class TestAStep:
    @pytest.fixture
    def stranger(self, make_endpoint: Callable[..., Endpoint]) -> Endpoint:
        """Off until somebody looks at its host."""
        made = make_endpoint()
        off = {"is_switched_on": False, "switched_off_at": timezone.now(), "is_stranger": True}
        Endpoint.objects.filter(pk=made.pk).update(**off)
        return made

    def test_switches_no_host_on(self, staff: Client, stranger: Endpoint) -> None:
        url, shown = f"/desk/endpoints/{stranger.pk}/look/", {"server": str(stranger.authorization_server_id)}
        assert NOT_DONE in told(staff, url, shown, Endpoint.objects.all())
        stranger.refresh_from_db()
        assert not stranger.is_switched_on
        staff.post(url, shown)
        stranger.refresh_from_db()
        assert stranger.is_switched_on

    def test_begins_nothing(self, staff: Client, make_endpoint: Callable[..., Endpoint]) -> None:
        endpoint = make_endpoint()
        assert NOT_DONE in told(staff, f"/desk/start/{endpoint.pk}/", {})
        assert staff.post(f"/desk/start/{endpoint.pk}/").status_code == 303

    def test_keeps_what_was_typed(self, staff: Client, make_endpoint: Callable[..., Endpoint]) -> None:
        endpoint = make_endpoint(has_server=False)
        typed = {
            "authorize_url": "https://harbor.example.org/authorize",
            "token_url": "https://harbor.example.org/token",
        }
        page = told(staff, f"/desk/start/{endpoint.pk}/addresses/", typed)
        assert NOT_DONE in page
        assert all(f'value="{url}"' in page for url in typed.values())
        assert not AuthorizationServer.objects.exists()

    def test_is_nobody_elses(self, sam: Any, stranger: Endpoint) -> None:
        browser = Client()
        browser.force_login(sam, backend=BACKEND)
        with an_import(Endpoint.objects.all()):
            answer = browser.post(f"/desk/endpoints/{stranger.pk}/look/", {})
        assert answer.status_code == 404
        assert NOT_DONE not in answer.content.decode()
