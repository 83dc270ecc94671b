"""What a sync asks for."""

import pytest

from apps.records import planning
from apps.wire.dialects import FhirVersion
from apps.wire.fhir import CapabilityStatement, OfferedType


def statement(**types):
    offered = {name: OfferedType(frozenset(interactions), frozenset()) for name, interactions in types.items()}
    return CapabilityStatement(FhirVersion.R4, "", offered)


def offered(plan):
    return {planned.resource_type for planned in plan if planned.is_offered}


class TestPlan:
    def test_asks_only_for_what_the_statement_offers(self):
        plan = planning.plan(statement(Patient=["read"], Encounter=["read", "search-type"]))
        assert offered(plan) == {"Patient"}

    def test_names_what_it_leaves_out(self):
        plan = planning.plan(statement(Patient=["read"]))
        assert [planned.resource_type for planned in plan] == list(planning.KNOWN)

    def test_leaves_out_a_type_that_cannot_be_searched(self):
        plan = planning.plan(statement(Patient=["read"], AllergyIntolerance=["read"]))
        assert offered(plan) == {"Patient"}

    def test_asks_for_a_type_whose_interactions_are_not_listed(self):
        plan = planning.plan(statement(Patient=[], AllergyIntolerance=[]))
        assert offered(plan) == {"Patient", "AllergyIntolerance"}

    def test_asks_for_everything_where_the_statement_says_nothing(self):
        assert offered(planning.plan(None)) == set(planning.KNOWN)
        assert offered(planning.plan(statement())) == set(planning.KNOWN)

    @pytest.mark.conformance("C36")
    def test_leaves_out_what_the_patient_does_not_share(self):
        plan = planning.plan(None, shared=frozenset({"Patient", "Goal"}))
        assert {planned.resource_type for planned in plan if planned.is_shared} == {"Patient"}
        assert [planned.resource_type for planned in plan] == list(planning.KNOWN)
