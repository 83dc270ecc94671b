"""A link whose known end has passed says so by its status, without a request to its provider."""

from datetime import timedelta

import pytest

from apps.audit.models import AuditEvent
from apps.connections.lapse_warnings import lapsed_links
from apps.connections.models import Connection, StoredTokenSet
from apps.directory.models import ClientRegistration, Endpoint
from tests.connections.lapse_warnings.conftest import LAPSES_AT, SIGNED_IN_AT, beat

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


class TestAKnownEnd:
    def test_is_noticed_when_it_has_passed(self, link):
        connection = link()
        assert lapsed_links.mark(at=LAPSES_AT - MINUTE) == 0
        assert lapsed_links.mark(at=LAPSES_AT) == 1
        connection.refresh_from_db()
        assert (connection.status, connection.reason) == ("needs_reauthorization", "window_over")
        assert connection.reason_at == LAPSES_AT
        (event,) = AuditEvent.objects.filter(event="connection.needs_reauthorization")
        assert (event.subject_id, event.actor_kind) == (str(connection.pk), "system")
        assert lapsed_links.mark(at=LAPSES_AT + MINUTE) == 0

    def test_is_not_noticed_while_the_access_token_still_lives(self, link):
        link()
        StoredTokenSet.objects.update(access_expires_at=LAPSES_AT + timedelta(hours=1))
        assert lapsed_links.mark(at=LAPSES_AT + MINUTE) == 0
        assert lapsed_links.mark(at=LAPSES_AT + timedelta(hours=1)) == 1

    def test_of_an_access_token_alone_is_its_own(self, link):
        link()
        ended_at = SIGNED_IN_AT + timedelta(hours=1)
        StoredTokenSet.objects.update(sealed_refresh_token=None, refresh_issued_at=None, refresh_deadline_at=None)
        Connection.objects.update(lapses_at=ended_at)
        assert lapsed_links.mark(at=ended_at) == 1
        assert Connection.objects.get().reason == "not_renewable"

    @pytest.mark.parametrize(
        ("model", "owner", "columns"),
        [
            (Endpoint, "endpoint_id", {"is_switched_on": False}),
            (Endpoint, "endpoint_id", {"dialect": "of-tomorrow"}),
            (ClientRegistration, "registration_id", {"is_switched_on": False}),
            (ClientRegistration, "registration_id", {"trouble": "invalid_client"}),
            (StoredTokenSet, "pk", {"access_expires_at": LAPSES_AT + 9 * MINUTE}),
        ],
    )
    def test_that_has_to_wait_keeps_no_other_waiting(self, link, monkeypatch, model, owner, columns):
        """Nobody could sign in there, or the access token lives: however many these are, a look is for the others."""
        monkeypatch.setattr(lapsed_links, "AT_ONCE", 1)
        waiting, other = link(), link(LAPSES_AT + MINUTE)
        assert model.objects.filter(pk=getattr(waiting, owner)).update(**columns) == 1
        assert lapsed_links.mark(at=LAPSES_AT + MINUTE) == 1
        assert list(Connection.objects.filter(status="active")) == [waiting]
        assert list(Connection.objects.filter(status="needs_reauthorization")) == [other]

    def test_is_not_mailed_about_once_more(self, link):
        link()
        beat(LAPSES_AT.replace(hour=8))
        lapsed_links.mark(at=LAPSES_AT)
        assert not any(beat(LAPSES_AT + timedelta(hours=hours)) for hours in range(30))
