"""A known end that has passed: the link's status says so, without a word to its provider."""

from datetime import timedelta

import pytest

from apps.audit.models import AuditEvent
from apps.connections.lapsing import noticing
from apps.connections.models import Connection, StoredTokenSet
from apps.directory.models import Endpoint
from tests.connections.lapsing.conftest import LAPSES_AT, SIGNED_IN_AT, beat

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


class TestAKnownEnd:
    def test_is_noticed_when_it_has_passed(self, link):
        connection = link()
        assert noticing.notice(at=LAPSES_AT - MINUTE) == 0
        assert noticing.notice(at=LAPSES_AT) == 1
        connection.refresh_from_db()
        assert (connection.status, connection.reason) == ("needs_reauthorization", "window_over")
        assert connection.reason_at == LAPSES_AT
        (event,) = AuditEvent.objects.filter(event="connection.needs_reauthorization")
        assert (event.subject_id, event.actor_kind) == (str(connection.pk), "system")
        assert noticing.notice(at=LAPSES_AT + MINUTE) == 0

    def test_is_not_noticed_while_the_access_token_still_lives(self, link):
        link()
        StoredTokenSet.objects.update(access_expires_at=LAPSES_AT + timedelta(hours=1))
        assert noticing.notice(at=LAPSES_AT + MINUTE) == 0
        assert noticing.notice(at=LAPSES_AT + timedelta(hours=1)) == 1

    def test_of_an_access_token_alone_is_its_own(self, link):
        link()
        ended_at = SIGNED_IN_AT + timedelta(hours=1)
        StoredTokenSet.objects.update(sealed_refresh_token=None, refresh_issued_at=None, refresh_deadline_at=None)
        Connection.objects.update(lapses_at=ended_at)
        assert noticing.notice(at=ended_at) == 1
        assert Connection.objects.get().reason == "not_renewable"

    def test_waits_where_this_release_does_not_know_the_dialect(self, link):
        """Whatever one endpoint says, nobody else's link waits for it."""
        connection = link()
        Endpoint.objects.filter(pk=connection.endpoint_id).update(dialect="of-tomorrow")
        StoredTokenSet.objects.update(refresh_deadline_at=LAPSES_AT + timedelta(hours=9))
        assert noticing.notice(at=LAPSES_AT + MINUTE) == 0

    @pytest.mark.parametrize("column", ["endpoint", "registration", "trouble"])
    def test_waits_while_nobody_could_sign_in_there(self, link, column):
        connection = link()
        if column == "trouble":
            connection.registration.trouble = "invalid_client"
            connection.registration.save()
        else:
            row = getattr(connection, column)
            row.is_switched_on = False
            row.save()
        assert noticing.notice(at=LAPSES_AT) == 0
        assert Connection.objects.get().status == "active"

    def test_is_not_mailed_about_once_more(self, link):
        link()
        beat(LAPSES_AT.replace(hour=8))
        noticing.notice(at=LAPSES_AT)
        assert not any(beat(LAPSES_AT + timedelta(hours=hours)) for hours in range(30))
