"""An empty list says what it would contain."""

import pytest

from apps.records.subjects import LISTED, RESULTS
from apps.records.viewing.wording import empty_lists
from tests.records.pages import page
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db


class TestAList:
    @pytest.mark.parametrize("subject", LISTED, ids=lambda subject: subject.key)
    def test_of_nothing_says_what_it_would_have(self, hers, connection, subject):
        assert empty_lists.of(subject).split(",")[0] in page(hers, "subject", subject.key)

    @pytest.mark.parametrize("query", [{}, {"year": "1999"}, {"by": "gone"}], ids=str)
    def test_with_entries_does_not_say_what_it_has(self, hers, connection, query):
        keep(connection, result(0))
        assert empty_lists.of(RESULTS) not in page(hers, "subject", "results", **query)
