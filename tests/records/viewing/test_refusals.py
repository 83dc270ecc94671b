"""The list of connections says that a provider refuses everything, and who can change that."""

from datetime import timedelta

import pytest
from django.urls import reverse

from apps.connections.models import Connection
from apps.records.models import SyncRun, SyncStep
from tests.records.linked import AT

pytestmark = pytest.mark.django_db

TITLE = "Harbor Family Practice does not let this app in"
WHO = "only they can change that. You can ask them to turn on this app for you."


def ran(connection, *gaps, minutes=0, finished=True):
    at = AT + timedelta(minutes=minutes)
    run = SyncRun.objects.create(
        user=connection.user,
        connection=connection,
        cause="clock",
        outcome="partial" if finished else "",
        created_at=at,
        finished_at=at if finished else None,
    )
    for number, gap in enumerate(gaps):
        status = "gap" if gap else "complete"
        SyncStep.objects.create(run=run, user=run.user, resource_type=f"Type{number}", status=status, gap=gap)


def listed(client):
    response = client.get(reverse("connections"))
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


class TestAConnectionThatIsRefusedEverything:
    def test_says_so_in_the_list_and_who_can_change_it(self, hers, connection):
        ran(connection, "not_enabled", "not_enabled")
        text = listed(hers)
        assert TITLE in text
        assert WHO in text

    def test_says_so_while_another_run_is_under_way(self, hers, connection):
        ran(connection, "not_enabled")
        ran(connection, minutes=9, finished=False)
        assert TITLE in listed(hers)

    @pytest.mark.parametrize("later", ["", "not_shared"])
    def test_says_so_no_more_once_a_run_was_let_in(self, hers, connection, later):
        ran(connection, "not_enabled")
        ran(connection, later, minutes=9)
        assert TITLE not in listed(hers)

    def test_says_what_the_patient_can_do_first(self, hers, connection):
        ran(connection, "not_enabled")
        Connection.objects.filter(pk=connection.pk).update(status="needs_reauthorization", reason="grant_ended")
        assert TITLE not in listed(hers)

    def test_says_nothing_of_it_where_the_patient_disconnected(self, hers, connection):
        ran(connection, "not_enabled")
        connection.disconnect(at=AT)
        text = listed(hers)
        assert connection.provider.name in text
        assert TITLE not in text

    def test_is_told_to_no_stranger(self, client, sam, connection):
        ran(connection, "not_enabled")
        client.force_login(sam)
        assert TITLE not in listed(client)
