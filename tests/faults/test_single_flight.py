"""Several processes want to use the same links at the same moment, and each link is refreshed once: a small version of
`make bench AREA=refresh`, with the sandbox as the witness."""

import pytest

from benchmarks import refresh_single_flight

pytestmark = pytest.mark.django_db(transaction=True)

PROCESSES, LINKS, ROUNDS = 4, 10, 5


class TestManyProcesses:
    @pytest.mark.conformance("C41")
    def test_refresh_each_link_once_a_round(self, sandbox, directory_file):
        served = refresh_single_flight.ready(sandbox, directory_file, LINKS)
        found = refresh_single_flight.flown(sandbox, served, processes=PROCESSES, rounds=ROUNDS, seconds=600)
        assert found.pop("rounds") == ROUNDS
        assert set(found.values()) == {0}, found
