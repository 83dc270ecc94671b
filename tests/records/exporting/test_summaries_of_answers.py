"""What a person answered about how they live and feel is in a patient summary for others only if they chose that
(patient experience 3.10)."""

import pytest

from apps.records import shelving
from tests.records.exporting.keeping import keep
from tests.records.exporting.summarized import HISTORY, RESULTS, VITALS, Summarized
from tests.records.linked import AT, make_connection

pytestmark = pytest.mark.django_db


def observed(logical_id, category, **elements):
    return {
        "resourceType": "Observation", "id": logical_id, "status": "final", "code": {"text": f"Canary {logical_id}"},
        "category": [{"coding": [{"code": category}]}], "valueString": "v", **elements,
    }  # fmt: skip


@pytest.fixture
def connection(alice):
    connection = make_connection(alice)
    keep(
        connection,
        observed("lives", "social-history"),
        observed("feels", "survey"),
        observed("phq", "laboratory", code={"text": "PHQ-9 total score"}),
        observed("salt", "laboratory"),
        observed("pulse", "vital-signs"),
    )
    return connection


class TestAnAnswer:
    @pytest.mark.parametrize("is_shelved", [False, True])
    def test_is_counted_and_not_told(self, alice, connection, is_shelved):
        if is_shelved:
            shelving.rebuild_all(connection, at=AT)
        found = Summarized(alice, tells_answers=False)
        assert found.section(HISTORY)["emptyReason"]["coding"][0]["code"] == "withheld"
        assert "they tell how the person lives or feels: 1." in found.words(HISTORY)
        assert "they tell how the person lives or feels: 2." in found.words(RESULTS)
        assert [each["code"]["text"] for each in found.told(RESULTS)] == ["Canary salt"]
        assert len(found.told(VITALS)) == 1
        assert "Canary lives" not in found.words(HISTORY)

    def test_is_told_where_the_person_chose_so(self, alice, connection):
        found = Summarized(alice)
        assert len(found.told(HISTORY)) == 1
        assert len(found.told(RESULTS)) == 3
        assert "lives or feels" not in found.words(HISTORY)
