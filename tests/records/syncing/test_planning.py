"""What a sync requests."""

import pytest

from apps.records.syncing import planning
from apps.records.syncing.planning import Way
from apps.wire.addresses import AddressPolicy
from apps.wire.dialects import DIALECTS, FhirVersion
from apps.wire.fhir import CapabilityStatement, FhirServer, OfferedType

PROVENANCE = ("_revinclude", "Provenance:target")


def server(version=FhirVersion.R4, dialect="patient-access"):
    return FhirServer("https://fhir.example/r4", version, DIALECTS[dialect], AddressPolicy())


def offered_type(*interactions, parameters=(), brings=()):
    return OfferedType(frozenset(interactions), frozenset(parameters), frozenset(brings))


def statement(**types):
    offered = {name: given if isinstance(given, OfferedType) else offered_type(*given) for name, given in types.items()}
    return CapabilityStatement(FhirVersion.R4, "", offered)


def planned(says, **options):
    return {one.resource_type: one for one in planning.plan(server(), says, **options)}


def asked(says, **options):
    return {name for name, one in planned(says, **options).items() if one.is_offered and one.is_shared}


class TestPlan:
    def test_asks_only_for_what_the_statement_offers(self):
        assert asked(statement(Patient=["read"], Encounter=["read", "search-type"])) == {"Patient", "Encounter"}

    def test_names_what_it_leaves_out(self):
        assert set(planned(statement(Patient=["read"]))) == set(planned(None))
        assert len(planned(None)) > 25

    def test_leaves_out_a_type_that_cannot_be_searched(self):
        assert asked(statement(Patient=["read"], AllergyIntolerance=["read"])) == {"Patient"}

    def test_asks_for_a_type_whose_interactions_are_not_listed(self):
        assert asked(statement(Patient=[], AllergyIntolerance=[])) == {"Patient", "AllergyIntolerance"}

    def test_asks_for_everything_where_the_statement_says_nothing(self):
        assert asked(None) == set(planned(None)) - {"Provenance"}
        assert asked(statement()) == asked(None)

    @pytest.mark.conformance("C36")
    def test_leaves_out_what_the_patient_does_not_share(self):
        assert asked(None, shared=frozenset({"Patient", "Goal"})) == {"Patient", "Goal"}

    def test_begins_with_the_patient_and_ends_with_what_others_refer_to(self):
        order = [one.resource_type for one in planning.plan(server(), None)]
        assert order[0] == "Patient"
        assert order[-5:] == ["PractitionerRole", "Practitioner", "Medication", "Location", "Organization"]

    @pytest.mark.parametrize("version", FhirVersion)
    def test_holds_no_type_of_the_other_version(self, version):
        names = {one.resource_type for one in planning.plan(server(version), None)}
        assert ("MedicationOrder" in names) is (version is FhirVersion.DSTU2)
        assert ("MedicationRequest" in names) is (version is FhirVersion.R4)


class TestATypeWeDoNotKnow:
    def test_is_asked_for_where_its_route_takes_the_patient(self):
        says = statement(
            Appointment=offered_type("search-type", parameters=["patient", "date"]),
            Slot=offered_type("search-type", parameters=["schedule"]),
            Consent=offered_type("read", parameters=["patient"]),
        )
        assert asked(says) == {"Appointment"}
        assert planned(says)["Appointment"].attempts == (((),),)

    def test_is_left_alone_where_scopes_decide_and_none_was_asked_for_it(self):
        says = statement(Appointment=offered_type("search-type", parameters=["patient"]))
        assert "Appointment" not in planned(says, shared=frozenset({"Patient"}))

    def test_is_one_of_so_many_at_most(self):
        many = {f"Unheard{'a' * number}": offered_type(parameters=["patient"]) for number in range(1, 60)}
        many |= {f"Unseen{'a' * number}": offered_type(parameters=["patient"]) for number in range(1, 58)}
        assert len(asked(statement(**many))) == 100


class TestAsking:
    def test_brings_provenance_along_where_that_is_declared(self):
        says = statement(Goal=offered_type("search-type", brings=["Provenance:target"]), Device=["search-type"])
        plan = planned(says)
        assert plan["Goal"].asking().attempts == (((PROVENANCE,),), ((),))
        assert plan["Device"].asking().attempts[0] == ((),)
        assert plan["Provenance"].is_offered

    def test_asks_for_changes_alone_where_the_route_can_tell_them(self):
        says = statement(Goal=offered_type("search-type", parameters=["_lastUpdated"]), Specimen=["search-type"])
        since = "2026-11-20T09:40:00Z"
        assert planned(says)["Goal"].asking(since=since, whole=frozenset({()})).attempts == (
            ((("_lastUpdated", f"ge{since}"),),),
            ((),),
        )
        assert planned(says)["Specimen"].asking(since=since, whole=frozenset({()})).attempts == (((),),)

    def test_asks_for_changes_of_the_searches_alone_that_came_to_their_end(self):
        says = statement(Observation=offered_type("search-type", parameters=["_lastUpdated"]))
        plan = planned(says)["Observation"]
        before = planning.Asking(planning.Way.SEARCH, plan.attempts, used=0, lacking=(4,))
        again = plan.asking(since="2026-11-20T09:30:00Z", whole=before.whole())
        assert [planning.asks_for_changes(search) for search in again.attempts[0]] == [
            number != 4 for number in range(10)
        ]
        assert again.attempts[1:] == plan.attempts  # no search of statuses was ever whole

    def test_asks_in_the_way_that_worked_for_everything_before_it_asks_in_another(self):
        says = statement(Condition=offered_type("search-type", parameters=["_lastUpdated"]))
        plan = planned(says)["Condition"]
        attempts = plan.asking(since="2026-11-20T09:30:00Z", whole=frozenset({()})).attempts
        assert attempts == (((("_lastUpdated", "ge2026-11-20T09:30:00Z"),),), *plan.attempts)

    def test_begins_with_the_way_that_was_answered(self):
        """As of a deployment that refuses a search by patient alone, and said so when everything was asked for."""
        says = statement(Condition=offered_type("search-type", parameters=["_lastUpdated"]))
        plan = planned(says)["Condition"]
        before = planning.Asking(Way.SEARCH, plan.attempts, used=1)
        attempts = plan.asking(since="2026-11-20T09:30:00Z", whole=before.whole()).attempts
        assert [search[0] for search in attempts[0]] == [search[0] for search in plan.attempts[1]]
        assert all(map(planning.asks_for_changes, attempts[0]))

    @pytest.mark.conformance("C57")
    def test_sweeps_categories_and_then_statuses_where_a_server_refuses(self):
        attempts = planned(None)["Condition"].asking().attempts
        assert attempts[0] == ((),)
        assert (("category", "problem-list-item"),) in attempts[1]
        sweeps, with_status = planned(None)["Observation"].asking().attempts
        assert (("category", "laboratory"),) in sweeps
        assert all(dict(search)["status"].startswith("registered,") for search in with_status)

    def test_asks_for_what_adds_every_way_before_it_does_without(self):
        says = statement(Observation=offered_type("search-type", parameters=["_lastUpdated"]))
        plan = planned(says)["Observation"]
        whole = frozenset(search for searches in plan.attempts for search in searches)
        attempts = plan.asking(since="2026-11-20T09:30:00Z", whole=whole).attempts
        asks_for_changes = [all(map(planning.asks_for_changes, searches)) for searches in attempts]
        assert asks_for_changes == [True, True, False, False]
        assert [len(searches) for searches in attempts] == [10, 10, 10, 10]

    def test_is_read_as_it_was_written(self):
        says = statement(Observation=offered_type("search-type", brings=["Provenance:target"]))
        asking = planned(says)["Observation"].asking()
        assert planning.read_asking(asking.written()) == asking

    def test_covers_alike_whatever_it_brings_along(self):
        goal = planned(statement(Goal=offered_type("search-type", brings=["Provenance:target"])))["Goal"].asking()
        bare = planning.Asking(Way.SEARCH, (((),),))
        narrow = planning.Asking(Way.SEARCH, (((("category", "a"),),),))
        assert goal.covers_alike(bare)
        assert not goal.covers_alike(narrow)
