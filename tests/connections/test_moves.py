"""A connection changes its status only as its table allows."""

import pytest

from apps.connections.models import Connection, MoveNotAllowed
from apps.connections.reasons import Reason
from tests.connections.link_rows import NOW, make_link, make_registration, provider, registration

__all__ = ["make_link", "make_registration", "provider", "registration"]  # fixtures

pytestmark = pytest.mark.django_db

Status = Connection.Status
ACTS = {
    Status.ACTIVE: lambda link: link.restore(),
    Status.NEEDS_REAUTHORIZATION: lambda link: link.require_reauthorization(Reason.GRANT_ENDED, at=NOW),
    Status.DISCONNECTED: lambda link: link.disconnect(at=NOW),
}


class TestAConnection:
    @pytest.mark.parametrize("status", [Status.ACTIVE, Status.NEEDS_REAUTHORIZATION, Status.ENDED, Status.DISCONNECTED])
    @pytest.mark.parametrize("target", ACTS)
    def test_moves_only_as_the_table_allows(self, make_link, status, target):
        link = make_link(status=status)
        if target in Connection.MOVES[status]:
            ACTS[target](link)
            assert Connection.objects.get().status == target
        else:
            with pytest.raises(MoveNotAllowed):
                ACTS[target](link)
            assert Connection.objects.get().status == status

    def test_that_moved_meanwhile_is_moved_by_nobody_who_did_not_see_it(self, make_link):
        seen = make_link(status=Status.ACTIVE)
        Connection.objects.get().disconnect(at=NOW)
        with pytest.raises(MoveNotAllowed):
            seen.require_reauthorization(Reason.GRANT_ENDED, at=NOW)
        assert Connection.objects.get().status == Status.DISCONNECTED
