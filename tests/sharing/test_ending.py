"""Shares that are over are deleted a month later; after a backup was restored, all of them end."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.audit.models import AuditEvent, EventType
from apps.audit.recording import Actor
from apps.portal import deletion_replay
from apps.sharing import ending, tasks
from apps.sharing.models import Opening, Share
from tests.records.linked import AT
from tests.sharing.giving import enter, share_of
from tests.sharing.test_lockout_mail import guess

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


class TestAMonthAfterItsEnd:
    def test_a_share_is_deleted_with_who_came(self, alice, connection, visitor):
        share = share_of(alice, connection)
        enter(visitor, share)
        over = share.expires_at + ending.KEPT
        assert ending.purge(at=over) == 0
        assert ending.purge(at=over + DAY) == 1
        assert not Share.objects.exists()
        assert not Opening.objects.exists()

    def test_all_are_deleted_however_many_there_are(self, alice, connection, monkeypatch):
        monkeypatch.setattr(ending, "_LOT", 2)
        shares = [share_of(alice, connection, at=AT, purpose=str(number)) for number in range(5)]
        assert ending.purge(at=shares[0].expires_at + ending.KEPT + DAY) == 5
        assert not Share.objects.exists()

    def test_one_that_its_owner_ended_is_deleted_by_that_end(self, alice, connection):
        share = share_of(alice, connection, at=AT, lasts=30 * DAY)
        ending.end(alice, share.pk, at=AT + DAY)
        ending.purge(at=AT + ending.KEPT)
        assert Share.objects.exists()
        ending.purge(at=AT + ending.KEPT + 2 * DAY)
        assert not Share.objects.exists()

    def test_one_that_wrong_passcodes_ended_is_deleted_by_that_end(self, alice, connection):
        share = share_of(alice, connection, at=AT, lasts=30 * DAY)
        guess(share, at=AT + DAY)
        ending.purge(at=AT + ending.KEPT)
        assert Share.objects.exists()
        ending.purge(at=AT + ending.KEPT + 2 * DAY)
        assert not Share.objects.exists()

    def test_it_is_done_by_the_schedule(self, alice, connection):
        share_of(alice, connection, at=timezone.now() - 60 * DAY)
        tasks.purge_shares()
        assert not Share.objects.exists()


class TestAShareThatIsOver:
    def test_keeps_its_end_where_it_is_ended_again_beside_one_that_is_open(self, alice, connection):
        share, _other = (share_of(alice, connection, at=AT, lasts=30 * DAY, purpose=name) for name in ("This", "That"))
        for days in (1, 2):
            ending.end(alice, share.pk, at=AT + days * DAY)
        share.refresh_from_db()
        assert share.ended_at == AT + DAY
        assert AuditEvent.objects.filter(event=EventType.SHARE_ENDED).count() == 1


class TestARestoredBackup:
    def test_ends_every_share_since_some_may_have_been_ended_after_it_was_made(self, alice, connection):
        share = share_of(alice, connection, at=AT)
        deletion_replay.replay([], actor=Actor.system("test"), at=AT + DAY, is_restored=True)
        share.refresh_from_db()
        assert share.ended_at == AT + DAY

    def test_ends_none_where_nothing_was_brought_back(self, alice, connection):
        share = share_of(alice, connection, at=AT)
        deletion_replay.replay([], actor=Actor.system("test"), at=AT + DAY)
        share.refresh_from_db()
        assert share.ended_at is None
