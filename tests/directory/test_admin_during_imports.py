"""Staff save and act during an import: whoever comes second waits, and neither fails because of the other."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client

from apps.directory import import_waits
from apps.directory.models import ClientRegistration, Endpoint, Provider, SearchWord
from apps.directory.searching import vocabulary
from tests.fixtures.admin_pages import Page, address, opened, saved
from tests.fixtures.imports import an_import

pytestmark = pytest.mark.django_db(transaction=True)


class Import(threading.Thread):
    """Holds the words, and wants every row as soon as somebody waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.is_under_way, self.faults = threading.Event(), list[BaseException]()

    def run(self) -> None:
        try:
            with transaction.atomic():
                vocabulary.hold()
                self.is_under_way.set()
                self._wait_for_staff()
                for model in (Endpoint, Provider):
                    model.objects.update(is_sandbox=False, vanished_at=None)
        except BaseException as fault:  # noqa: BLE001 - the test looks at it
            self.faults.append(fault)
        finally:
            connection.close()

    @staticmethod
    def _wait_for_staff() -> None:
        asks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND NOT granted"
        for _ in range(1000):
            with connection.cursor() as cursor:
                cursor.execute(asks, [SearchWord.LOCK])
                if cursor.fetchone()[0]:
                    return
            threading.Event().wait(0.01)
        raise AssertionError("nobody waits")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for long."""
    monkeypatch.setattr(import_waits, "_PATIENCE", "SET LOCAL lock_timeout = '100ms'")


class TestAPageThatIsSavedDuringAnImport:
    @pytest.fixture
    def under_way(self) -> Iterator[Import]:
        thread = Import()
        yield thread
        thread.join(20)

    @pytest.mark.parametrize("kind", ["endpoint", "provider"])
    def test_waits_for_its_end(self, staff: Client, endpoint: Endpoint, under_way: Import, kind: str):
        row, changes = {
            "endpoint": (endpoint, {"portals-0-name": "Fernlea Chart"}),
            "provider": (Provider.objects.get(), {"name": "Fernlea"}),
        }[kind]
        page = opened(staff, row)
        under_way.start()
        assert under_way.is_under_way.wait(10)
        saved(staff, row, page, **changes)
        under_way.join(20)
        assert under_way.faults == []
        assert "fernlea" in Provider.objects.get().words

    @pytest.mark.usefixtures("impatient")
    @pytest.mark.parametrize("kind", ["endpoint", "provider"])
    def test_says_so_where_that_takes_long_and_is_sent_again_from_there(
        self, staff: Client, endpoint: Endpoint, kind: str
    ):
        row: Any = endpoint if kind == "endpoint" else Provider.objects.get()
        page = opened(staff, row)
        with an_import():
            answer = staff.post(address(row), {**page.sent, "portals-0-name": "Fernlea", "name": "Fernlea"})
        assert answer.status_code == 503
        said = answer.content.decode()
        assert "A list is being imported" in said
        assert "fernlea" not in Provider.objects.get().words
        assert staff.post(address(row), Page(said).sent).status_code == 302
        assert "fernlea" in Provider.objects.get().words


@pytest.mark.usefixtures("impatient")
class TestANewRegistrationDuringAnImport:
    def test_is_saved_from_the_page_that_says_so(self, staff: Client, endpoint: Endpoint):
        """The endpoints of its server that somebody has to look at are switched off with it."""
        ClientRegistration.objects.all().delete()
        url = "/admin/directory/clientregistration/add/"
        page = Page(staff.get(url).content.decode())
        typed = {"authorization_server": str(endpoint.authorization_server_id), "label": "Harbor"}
        with an_import():
            answer = staff.post(url, {**page.sent, **typed, "client_id": "holdfast", "authentication": "none"})
        assert answer.status_code == 503
        assert not ClientRegistration.objects.exists()
        sent = Page(answer.content.decode()).sent
        assert staff.post(url, sent).status_code == 302
        assert ClientRegistration.objects.get().label == "Harbor"


LIST = "/admin/directory/endpoint/"


@pytest.mark.usefixtures("impatient")
class TestAnActionDuringAnImport:
    def chosen(self, endpoint: Endpoint, action: str = "switch_off") -> dict[str, str]:
        return {"action": action, "_selected_action": str(endpoint.pk)}

    def test_that_does_not_meet_it_is_done_at_once(self, staff: Client, endpoint: Endpoint):
        with an_import():
            assert staff.post(LIST, self.chosen(endpoint)).status_code == 302
            endpoint.refresh_from_db()
            assert not endpoint.is_switched_on

    def test_says_so_where_it_meets_it_and_is_sent_again_from_there(self, staff: Client, endpoint: Endpoint):
        with an_import(Endpoint.objects.all()):
            answer = staff.post(LIST, self.chosen(endpoint))
            endpoint.refresh_from_db()
            assert endpoint.is_switched_on
        assert answer.status_code == 503
        said = answer.content.decode()
        assert "This is not done yet, because a list is being imported." in said
        assert 'value="Switch off: stop linking, refreshing and copying at once"' in said
        assert staff.post(LIST, Page(said).sent).status_code == 302
        endpoint.refresh_from_db()
        assert not endpoint.is_switched_on

    def test_keeps_what_it_did_before_it_met_it(self, staff: Client, endpoint: Endpoint):
        """Each row is switched by itself: with several locked at once, the import could fail because of us."""
        met = Endpoint.objects.get(pk=endpoint.pk)
        met.pk, met.fhir_base_url, met._state.adding = None, "https://z.example.org/fhir", True
        met.pk = Endpoint._meta.pk.get_default()
        met.save()
        chosen = {"action": "switch_off", "_selected_action": [str(endpoint.pk), str(met.pk)]}
        with an_import(Endpoint.objects.filter(pk=met.pk)):
            assert staff.post(LIST, chosen).status_code == 503
        endpoint.refresh_from_db()
        met.refresh_from_db()
        assert (endpoint.is_switched_on, met.is_switched_on) == (False, True)

    @pytest.mark.parametrize("action", ["discover_again", "check_now"])
    def test_that_asks_a_provider_asks_nobody_before(self, staff: Client, endpoint: Endpoint, action: str):
        with an_import():
            answer = staff.post(LIST, self.chosen(endpoint, action))
        assert answer.status_code == 503
        endpoint.refresh_from_db()
        assert not endpoint.checks.exists()
        assert (endpoint.discovery_tried_at, endpoint.discovery_fault) == (None, "")

    @pytest.mark.parametrize("is_list", [True, False])
    def test_that_deletes_waits_for_it(self, staff: Client, endpoint: Endpoint, is_list: bool):
        listed = Provider.objects.create(
            directory="tests", directory_id="x", name="Fernlea", imported_at=endpoint.imported_at
        )
        chosen = {"action": "delete_selected", "_selected_action": str(listed.pk), "post": "yes"}
        url = "/admin/directory/provider/" if is_list else f"/admin/directory/provider/{listed.pk}/delete/"
        with an_import():
            answer = staff.post(url, chosen)
            assert answer.status_code == 503
            assert Provider.objects.filter(pk=listed.pk).exists()
        assert staff.post(url, Page(answer.content.decode()).sent).status_code == 302
        assert not Provider.objects.filter(pk=listed.pk).exists()


class TestTwoWhoWaitForEachOther:
    def test_are_parted_by_the_database_and_ours_may_be_sent_again(self, endpoint: Endpoint):
        provider, has_one, wants_both = Provider.objects.get(), threading.Event(), threading.Event()

        def crosses() -> None:
            try:
                with transaction.atomic():
                    with connection.cursor() as cursor:
                        cursor.execute("SET LOCAL deadlock_timeout = '60s'")  # so that it is not the one to be stopped
                    Provider.objects.select_for_update().get(pk=provider.pk)
                    has_one.set()
                    assert wants_both.wait(10)
                    Endpoint.objects.select_for_update(of=("self",)).get(pk=endpoint.pk)
            finally:
                connection.close()

        def ours() -> None:
            with import_waits.briefly():
                Endpoint.objects.filter(pk=endpoint.pk).update(is_switched_on=False)
                wants_both.set()
                Provider.objects.select_for_update().get(pk=provider.pk)

        other = threading.Thread(target=crosses)
        other.start()
        assert has_one.wait(10)
        with pytest.raises(import_waits.StillImporting):
            ours()
        other.join(20)
        endpoint.refresh_from_db()
        assert endpoint.is_switched_on
