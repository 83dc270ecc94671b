"""A label on an entry's page fits its value, and the heading above it."""

from typing import Any

import pytest

from tests.records.viewing.test_facts_read_well import told

SURGERY = {"text": "Surgery"}
REQUEST = {"medicationCodeableConcept": {"text": "Warfarin"}, "intent": "order"}


class TestWhyAMedicineStandsAsItDoes:
    @pytest.mark.parametrize(
        ("status", "label"),
        [
            ("stopped", "Why it was stopped"),
            ("on-hold", "Why it is paused"),
            ("cancelled", "Why it was canceled"),
            ("completed", "Why it ended"),
            ("active", "Reason for this status"),
        ],
    )
    def test_is_said_of_an_order_in_the_words_of_its_status(self, status, label):
        assert told("MedicationRequest", **REQUEST, status=status, statusReason=SURGERY)[label] == ("Surgery",)

    def test_is_said_of_what_was_not_taken(self):
        said = told("MedicationStatement", **REQUEST, status="not-taken", statusReason=[SURGERY])
        assert said["Why it was not taken"] == ("Surgery",)

    @pytest.mark.parametrize(("status", "label"), [("declined", "Why it was not filled"), ("on-hold", "Why it waits")])
    def test_is_said_of_a_fill(self, status, label):
        said = told("MedicationDispense", **REQUEST, status=status, statusReasonCodeableConcept=SURGERY)
        assert said[label] == ("Surgery",)


class TestHowSureAConditionIs:
    def test_is_said_not_to_be_known(self):
        said = told("Condition", code={"text": "Asthma"}, verificationStatus="unknown")
        assert said["How sure"] == ("Not known",)


class TestTheKindOfAVisit:
    @pytest.mark.parametrize(("named", "is_told"), [({}, False), ({"type": [{"text": "New knee"}]}, True)])
    def test_is_told_where_the_visit_is_not_called_by_it(self, named: dict[str, Any], is_told: bool):
        said = told("Encounter", status="finished", **{"class": {"code": "IMP"}}, **named)
        assert ("Kind" in said) is is_told
