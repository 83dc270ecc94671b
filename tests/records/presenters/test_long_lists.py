"""A list of which a page may show only the first part is noticed, wherever it is, and no other list is."""

import pytest
from hypothesis import given

from apps.records.presenters import long_lists
from tests.records.presenters.oddities import ANYTHING

DOCTORS = [{"display": f"Dr. {number}"} for number in range(21)]


class TestALongList:
    @pytest.mark.parametrize(
        "resource",
        [{"performer": DOCTORS}, {"content": [{"attachment": {}}, {"odd": {"author": DOCTORS}}]}],
        ids=["at the top", "deeper"],
    )
    def test_is_noticed(self, resource):
        assert long_lists.has_any(resource)

    @pytest.mark.parametrize(
        "resource",
        [
            {"performer": DOCTORS[:20]},
            {"identifier": [{"value": str(number)} for number in range(90)]},
            {"item": [{"text": "How are you?"}] * 40},
            {"component": [{"valueInteger": 1}] * 200},
            {"hasMember": [{"reference": f"Observation/{number}"} for number in range(30)]},
            {"resourceType": "CareTeam", "participant": [{"member": doctor} for doctor in DOCTORS]},
        ],
        ids=["not so long", "names that no page tells", "questions", "components", "members", "care team"],
    )
    def test_is_not_seen_where_all_of_it_is_told(self, resource):
        assert not long_lists.has_any(resource)

    @given(ANYTHING)
    def test_is_looked_for_in_anything(self, value):
        assert long_lists.has_any({"performer": [value] * 21})
        assert long_lists.has_any({"content": [value, {"author": DOCTORS}]})
