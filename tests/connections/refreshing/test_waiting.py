"""How long to wait after an attempt without success (`protocol.wait`), and how long one may still be answered."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from apps.connections.refreshing import protocol
from apps.connections.refreshing.protocol import Standing

SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
floors = st.sampled_from([timedelta(0), SECOND, timedelta(minutes=1), timedelta(minutes=5)])
lefts = st.timedeltas(min_value=SECOND, max_value=timedelta(hours=48))
tries = st.integers(1, 1000)


class TestAWait:
    def test_doubles_up_to_an_hour(self) -> None:
        waits = [protocol.wait(tries=n, floor=timedelta(0), left=None) for n in range(1, 9)]
        assert [wait // timedelta(minutes=1) for wait in waits] == [1, 2, 4, 8, 16, 32, 60, 60]

    @given(tries=tries, floor=floors, left=st.none() | lefts, asked=st.none() | st.timedeltas(timedelta(0), 24 * HOUR))
    def test_is_never_shorter_than_the_floor(self, tries, floor, left, asked) -> None:
        assert protocol.wait(tries=tries, floor=floor, left=left, asked=asked) >= max(floor, protocol.LEAST_WAIT)

    @given(tries=tries, left=lefts, asked=st.none() | st.timedeltas(timedelta(0), 24 * HOUR))
    def test_ends_before_the_deadline_where_the_floor_lets_it(self, tries, left, asked) -> None:
        wait = protocol.wait(tries=tries, floor=timedelta(0), left=left, asked=asked)
        assert wait < left or left <= 2 * protocol.LEAST_WAIT

    @given(tries=tries, left=lefts, nearer=lefts)
    def test_is_no_longer_where_the_deadline_is_nearer(self, tries, left, nearer) -> None:
        near, far = sorted([left, nearer])
        waits = [protocol.wait(tries=tries, floor=timedelta(0), left=one) for one in (near, far)]
        assert waits[0] <= waits[1]

    def test_is_what_the_server_asks_for_and_an_hour_at_most(self) -> None:
        asked = [protocol.wait(tries=1, floor=timedelta(0), left=None, asked=n * SECOND) for n in (30, 900, 90_000)]
        assert asked == [30 * SECOND, 900 * SECOND, HOUR]

    def test_grows_where_the_server_asks_for_little_again_and_again(self) -> None:
        waits = [protocol.wait(tries=n, floor=timedelta(0), left=None, asked=10 * SECOND) for n in (1, 2, 3)]
        assert waits == [10 * SECOND, 120 * SECOND, 240 * SECOND]

    @given(tries=tries, floor=floors)
    def test_after_an_answer_that_got_lost_gives_several_tries_while_it_may_be_repeated(self, tries, floor) -> None:
        lost_for, number = timedelta(0), 0
        while lost_for < timedelta(minutes=2):  # what lenient servers grant
            lost_for += timedelta(seconds=10)  # a call that is not answered takes so long
            lost_for += protocol.wait(tries=tries, floor=floor, left=None, lost_for=lost_for)
            number += 1
        assert number >= 4

    def test_after_an_answer_that_got_lost_is_half_as_long_as_it_is_missing(self) -> None:
        missing = [n * SECOND for n in (0, 1, 10, 40, 100)]
        waits = [protocol.wait(tries=5, floor=HOUR, left=None, lost_for=lost_for) // SECOND for lost_for in missing]
        assert waits == [1, 1, 5, 20, 30]

    def test_is_as_after_any_other_once_it_cannot_be_repeated_any_more(self) -> None:
        wait = protocol.wait(tries=5, floor=timedelta(0), left=None, lost_for=protocol.MAY_STILL_ANSWER)
        assert wait == timedelta(minutes=16)


class TestAnAttemptThatNeverAnswered:
    def test_may_still_answer_for_two_minutes(self) -> None:
        standing = Standing(generation=1, attempt_started_at=NOW)
        seen = [protocol.unanswered_since(standing, now=NOW + timedelta(seconds=n)) for n in (0, 119, 120)]
        assert seen == [NOW, NOW, None]
