"""What an answer means, given what else happened to the same tokens (`protocol.judge`, `protocol.lease_after`)."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from apps.connections.refreshing import protocol
from apps.connections.refreshing.protocol import Sent, Standing, Verdict

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
LATELY, LONG_AGO = NOW - timedelta(seconds=119), NOW - timedelta(minutes=2)
OURS, ANOTHERS = UUID(int=1), UUID(int=2)


class TestARefusal:
    @pytest.mark.parametrize("whose", [None, ANOTHERS])
    def test_is_overtaken_where_other_tokens_came(self, whose):
        standing = Standing(generation=2, attempt_id=whose, attempt_started_at=LATELY)
        assert protocol.judge(standing, Sent(1, OURS), now=NOW) is Verdict.OVERTAKEN

    def test_is_suspected_while_another_attempt_has_the_row(self):
        standing = Standing(generation=1, attempt_id=ANOTHERS, attempt_started_at=LONG_AGO)
        assert protocol.judge(standing, Sent(1, OURS), now=NOW) is Verdict.SUSPECTED

    @pytest.mark.parametrize(
        ("began_at", "verdict"), [(LATELY, Verdict.SUSPECTED), (LONG_AGO, Verdict.BELIEVED), (None, Verdict.BELIEVED)]
    )
    @pytest.mark.parametrize("is_earlier", [True, False], ids=["before ours", "since ours"])
    def test_is_suspected_while_one_that_is_missing_may_still_answer(self, is_earlier, began_at, verdict):
        standing = Standing(generation=1, attempt_id=OURS, attempt_started_at=NOW)
        sent = Sent(1, OURS, began_at)
        if not is_earlier:
            standing, sent = Standing(generation=1, attempt_started_at=began_at), Sent(1, OURS)
        assert protocol.judge(standing, sent, now=NOW) is verdict


class TestALateSuccess:
    @pytest.mark.parametrize(("whose", "is_kept"), [(None, False), (OURS, False), (ANOTHERS, True)])
    def test_leaves_its_lease_to_another_attempt_alone(self, whose, is_kept):
        standing = Standing(generation=1, attempt_id=whose, lease_until=NOW)
        assert protocol.lease_after(standing, Sent(1, OURS)) == (NOW if is_kept else None)
