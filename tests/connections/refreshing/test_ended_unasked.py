"""A link whose time is over is marked once as ended, by whoever needs its token first, and only if it is truly over."""

from datetime import timedelta

import pytest

from apps.connections import refreshing
from apps.connections.callback import confirming
from apps.connections.link_health import overview
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.reasons import Reason
from apps.connections.refreshing import access_tokens
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet

pytestmark = pytest.mark.django_db


@pytest.fixture
def connection(traveller, place, stand_in) -> Connection:
    """Linked with a refresh token of 48 hours."""
    found = traveller.link(place)
    return confirming.confirm(found, candidate=0, at=found.created_at).connection


@pytest.fixture
def deadline_at(connection):
    return StoredTokenSet.objects.get().refresh_deadline_at


@pytest.fixture
def too_late(deadline_at):
    return deadline_at + timedelta(hours=1)


class TestALinkWhoseTimeIsOver:
    def test_is_due_no_more(self, connection, too_late):
        """Beat would pass it by for ever, and operators would read that renewals are late."""
        with pytest.raises(refreshing.NeedsReauthorization):
            refreshing.usable_token(connection, at=too_late)
        assert Connection.objects.get().reason == Reason.WINDOW_OVER
        assert StoredTokenSet.objects.get().refresh_due_at is None
        assert overview.examine(at=too_late).findings == []

    def test_goes_on_where_its_patient_signed_in_again_meanwhile(self, connection, too_late, monkeypatch):
        """Between reading the old tokens and marking what they say."""
        fresh = TokenSet(Secret("access"), 300, Secret("refresh"))
        joined = access_tokens._joined

        def signing_in(*about, **more):
            refreshing.keep(Connection.objects.get(), fresh, issued_at=too_late)
            return joined(*about, **more)

        monkeypatch.setattr(access_tokens, "_joined", signing_in)
        with pytest.raises(refreshing.NotYet):
            refreshing.usable_token(connection, at=too_late)
        monkeypatch.undo()
        assert Connection.objects.get().status == Connection.Status.ACTIVE
        assert refreshing.usable_token(connection, at=too_late).reveal() == "access"
