"""What a process of an earlier release deletes while tables are there that it does not know of."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection as database
from django.db import transaction
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from apps.accounts.models import BreachNotice, User
from apps.directory.models import AuthorizationServer, Endpoint, KnownOrigins
from apps.sharing.models import FileOpening, Opening, Share
from tests.portal import leavers
from tests.test_migrations import BEFORE

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def of_before(django_db_setup, django_db_blocker):
    """A model as processes of the first tables know it: `of_before(app, name)`."""
    with django_db_blocker.unblock():
        loader = MigrationLoader(database)
    theirs = [node for node in loader.graph.leaf_nodes() if node[0] not in BEFORE]
    ours = [(app, name) for app, name in BEFORE.items() if name]
    models = loader.project_state([*ours, *(node for node in theirs if node[0] != "sandbox")]).apps

    def find(app: str, name: str) -> Any:
        return models.get_model(app, name).objects

    return find


class TestAnAccount:
    def test_is_deleted_with_what_an_old_process_does_not_know_of(
        self, of_before, alice, sam, stella, endpoint, provider
    ):
        for user in (alice, sam):
            leavers.give_everything(user, stella, endpoint, provider)
        of_before("accounts", "User").get(pk=alice.pk).delete()
        database.check_constraints()
        assert not User.objects.filter(pk=alice.pk).exists()
        for model, holder in (
            (BreachNotice, "user"),
            (Share, "user"),
            (Opening, "share__user"),
            (FileOpening, "opening__share__user"),
        ):
            assert list(model.objects.values_list(holder, flat=True)) == [sam.pk]


class TestAnEndpoint:
    def test_is_deleted_though_an_old_process_does_not_know_that_staff_compared_its_hosts(self, of_before, endpoint):
        compared = KnownOrigins.objects.create(
            registration=endpoint.authorization_server.registrations.get(),
            endpoint=endpoint,
            approved_at=timezone.now(),
        )
        of_before("directory", "Endpoint").get(pk=endpoint.pk).delete()
        database.check_constraints()
        compared.refresh_from_db()
        assert compared.endpoint is None

    def test_forgets_where_it_moved_from_when_an_old_process_deletes_that(self, of_before, endpoint):
        left = AuthorizationServer.objects.create(source="configured", found_at=timezone.now())
        Endpoint.objects.filter(pk=endpoint.pk).update(moved_from=left)
        of_before("directory", "AuthorizationServer").get(pk=left.pk).delete()
        database.check_constraints()
        endpoint.refresh_from_db()
        assert endpoint.moved_from is None

    def test_loses_a_registration_with_the_hosts_that_were_compared_for_it(self, of_before, endpoint):
        registration = endpoint.authorization_server.registrations.get()
        KnownOrigins.objects.create(registration=registration, approved_at=timezone.now())
        of_before("directory", "ClientRegistration").get(pk=registration.pk).delete()
        database.check_constraints()
        assert not KnownOrigins.objects.exists()


@pytest.mark.django_db(transaction=True)
class TestTheMigration:
    def test_lets_somebody_through_who_locks_the_tables_the_other_way_around(self, alice):
        """As whoever closes an account: the user first, then what they shared."""
        known = MigrationLoader(database)
        migration, state = (
            known.disk_migrations["sharing", "0006_deleted_by_others"],
            known.project_state(("sharing", "0006_deleted_by_others"), at_end=False),
        )
        holds, comes = threading.Event(), threading.Event()

        def close() -> None:
            try:
                with transaction.atomic():
                    User.objects.select_for_update().get(pk=alice.pk)
                    holds.set()
                    assert comes.wait(10)
                    Share.objects.filter(user=alice).delete()
            finally:
                database.close()

        with ThreadPoolExecutor(2) as pool:
            closing = pool.submit(close)
            assert holds.wait(10)
            coming = pool.submit(_set_when_waiting, comes)
            with database.schema_editor(atomic=False) as editor:
                migration.apply(state, editor)
            coming.result()
            closing.result()
        with database.cursor() as cursor:
            cursor.execute("SHOW lock_timeout")
            assert cursor.fetchone() == ("0",)


def _set_when_waiting(event: threading.Event) -> None:
    """Once the migration waits for a lock."""
    try:
        for _ in range(500):
            with database.cursor() as cursor:
                cursor.execute("SELECT FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'")
                if cursor.rowcount:
                    break
            time.sleep(0.01)
        event.set()
    finally:
        database.close()
