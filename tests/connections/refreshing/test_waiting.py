"""How long nobody asks after an attempt that brought nothing (`protocol.wait`)."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from apps.connections.refreshing import protocol

SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)
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
