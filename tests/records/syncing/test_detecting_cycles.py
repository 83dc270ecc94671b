"""Pages that repeat are told apart from a long record."""

from hypothesis import given
from hypothesis import strategies as st

from apps.records.syncing.paging.detecting_cycles import Rounds


def ends_at(prints):
    """After how many of these pages it is called a circle; None where it never is."""
    rounds = Rounds()
    for number, page in enumerate(prints, start=1):
        before, rounds = rounds, rounds.after(page, pages=number)
        if rounds.is_circle(before):
            return number
    return None


class TestPages:
    @given(beginning=st.integers(0, 40), length=st.integers(2, 60))
    def test_that_come_round_are_found_however_many_they_are(self, beginning, length):
        once = [f"b{number}" for number in range(beginning)]
        found = ends_at(once + [f"c{number % length}" for number in range(4000)])
        assert found is not None
        assert beginning + 3 * length <= found <= 8 * max(beginning + length, 3 * length, 16)

    @given(st.lists(st.sampled_from(["", "a", "b", "c"]), max_size=60))
    def test_that_differ_once_in_each_lap_are_none(self, lap):
        assert ends_at([page for number in range(60) for page in (*lap, f"new {number}")]) is None

    @given(st.lists(st.text(max_size=3), min_size=1, max_size=200, unique=True), st.integers(1, 2))
    def test_that_came_twice_are_none(self, pages, times):
        """As of two searches, or of one that began again."""
        assert ends_at(pages * times) is None

    def test_that_came_twice_and_go_on_like_the_first_time_are_none_yet(self):
        lap = [f"c{number}" for number in range(12)]
        assert ends_at([*(f"b{number}" for number in range(31)), *lap, *lap, *lap[:5], "new"]) is None
