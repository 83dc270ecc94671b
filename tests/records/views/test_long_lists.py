"""Lists that are longer than a screen."""

import pytest

from tests.records.pages import main
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db


class TestALongList:
    def test_can_be_searched_where_it_stands(self, hers, sam, connection):
        keep(connection, *(result(number) for number in range(15)))
        assert 'role="search"' not in main(hers, "subject", "results", by="date")
        keep(connection, *(result(number) for number in range(16)))
        assert 'role="search"' in main(hers, "subject", "results", by="date")
        hers.force_login(sam)
        assert 'role="search"' not in main(hers, "subject", "results", by="date")
