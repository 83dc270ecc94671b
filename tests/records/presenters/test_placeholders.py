"""Placeholders sent instead of a name are skipped in favor of the next possible name, in every type of resource."""

import pytest

from apps.records.presenters import (
    care_plans,
    care_teams,
    devices,
    documents,
    goals,
    insurance,
    naming,
    orders,
    questionnaires,
    specimens,
    visits,
)
from apps.records.presenters.entry import Context
from apps.records.presenters.generic import any_resource
from apps.records.presenters.observations import results

IN_PLACE_OF_A_NAME = ("-", "N/A", "None", "null")


def concept(said):
    return {"text": said}


@pytest.mark.parametrize("said", IN_PLACE_OF_A_NAME)
class TestTheTitle:
    @pytest.mark.parametrize(
        ("module", "name", "write", "rest"),
        [
            (visits, "type", lambda said: [concept(said), concept("Wound care")], {}),
            (visits, "type", lambda said: [concept(said)], {"serviceType": concept("Wound care")}),
            (orders, "code", concept, {"description": "Wound care"}),
            (orders, "serviceRequested", lambda said: [concept(said)], {"type": concept("Wound care")}),
            (documents, "type", concept, {"description": "Wound care"}),
            (documents, "description", str, {"category": [concept("Wound care")]}),
            (goals, "description", concept, {"category": [concept("Wound care")]}),
            (devices, "type", concept, {"model": "Wound care"}),
            (specimens, "type", concept, {"collection": {"bodySite": concept("Wound care")}}),
            (care_plans, "title", str, {"description": "Wound care"}),
            (care_teams, "name", str, {"category": [concept("Wound care")]}),
            (insurance, "type", concept, {"payor": [{"display": "Wound care"}]}),
            (insurance, "payor", lambda said: [{"display": said}], {"type": concept("Wound care")}),
            (questionnaires, "questionnaire", lambda said: {"display": said}, {"group": {"title": "Wound care"}}),
            (any_resource, "code", concept, {"category": [concept("Wound care")]}),
            (any_resource, "title", str, {"item": [{"productOrService": concept("Wound care")}]}),
        ],
    )
    def test_is_the_next_candidate(self, said, module, name, write, rest):
        sent = {"resourceType": "Basic", "id": "b1", "date": "2024", name: write(said), **rest}
        assert module.present(sent, Context()).title == "Wound care"

    def test_of_a_part_is_the_next_candidate(self, said):
        code = {"text": said, "coding": [{"display": "Wound size"}]}
        part = {"code": code, "valueString": "None"}
        entry = results.present({"resourceType": "Observation", "id": "o1", "component": [part]}, Context())
        assert entry.components[0].title == "Wound size"
        assert entry.components[0].value.text == "None"

    def test_of_a_reference_is_what_its_target_is_called(self, said):
        context = Context(others={"Organization/1": {"name": "Tarn Clinic"}})
        assert naming.name_of({"reference": "Organization/1", "display": said}, context, within={}) == "Tarn Clinic"


class TestAValue:
    @pytest.mark.parametrize("said", IN_PLACE_OF_A_NAME)
    def test_is_told_as_it_was_sent(self, said):
        sent = {"resourceType": "Observation", "id": "o1", "code": {"text": "Packs a day"}, "status": "final"}
        for value in ({"valueString": said}, {"valueCodeableConcept": {"text": said}}):
            assert results.present({**sent, **value}, Context()).value.text == said
