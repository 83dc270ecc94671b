"""What rows and pages call an entry."""

import pytest

from apps.records.presenters import visits
from apps.records.presenters.entry import Context
from apps.records.viewing import rows


class TestTheNameOfAVisit:
    @pytest.mark.parametrize(
        ("sent", "name"),
        [
            ({"class": "inpatient"}, "Hospital stay"),
            ({"class": {"code": "EMER"}}, "Emergency visit"),
            ({"class": {"code": "X9", "display": "Day clinic"}}, "Day clinic"),
            ({"period": {"start": "2026-03-01"}}, "Visit"),
            ({"class": "inpatient", "type": [{"text": "Hip replacement"}]}, "Hip replacement"),
        ],
    )
    def test_is_what_it_was_where_nothing_else_is_sent(self, sent, name):
        entry = visits.present({"resourceType": "Encounter", "id": "v1", "status": "finished", **sent}, Context())
        assert rows.names(entry)[0] == name
