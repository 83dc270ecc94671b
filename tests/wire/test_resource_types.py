"""How each resource type is requested."""

import pytest

from apps.wire import resource_types
from apps.wire.dialects import DIALECTS, FhirVersion

PATIENT_ACCESS, SMART = DIALECTS["patient-access"], DIALECTS["smart"]
# Interface facts 1.2 and 1.3, by hand: the types whose search takes patient, and those that are only read.
SEARCHED = {
    FhirVersion.DSTU2: """AllergyIntolerance CarePlan Condition Device DiagnosticReport DocumentReference Encounter Goal
        Immunization MedicationOrder MedicationStatement Observation Procedure""",
    FhirVersion.R4: """AllergyIntolerance CarePlan CareTeam Condition Coverage Device DiagnosticReport DocumentReference
        Encounter Goal Immunization MedicationDispense MedicationRequest MedicationStatement Observation Procedure
        QuestionnaireResponse RelatedPerson ServiceRequest Specimen""",
}
READ = {
    FhirVersion.DSTU2: "Binary Location Medication Organization Patient Practitioner",
    FhirVersion.R4: """Endpoint Location Medication Organization Patient Practitioner PractitionerRole Provenance
        Questionnaire""",
}


@pytest.mark.parametrize("version", FhirVersion)
class TestTheTable:
    def test_holds_every_type_of_the_version(self, version):
        table = resource_types.RESOURCE_TYPES[version]
        assert {name for name, known in table.items() if known.takes_patient} == set(SEARCHED[version].split())
        assert {name for name, known in table.items() if not known.takes_patient} == set(READ[version].split())
        assert all(known.name == name for name, known in table.items())

    def test_knows_every_type_a_dialect_speaks_of(self, version):
        for dialect in DIALECTS.values():
            for name in dialect.needs_narrow_search[version]:
                known = resource_types.find(version, name)
                assert known is not None
                assert known.narrow_searches


class TestSearches:
    def test_of_a_plain_type_is_one_by_patient_alone(self):
        assert resource_types.searches(PATIENT_ACCESS, FhirVersion.R4, "Goal") == ((),)

    def test_of_a_type_that_needs_more_are_one_for_each_category(self):
        assert resource_types.searches(PATIENT_ACCESS, FhirVersion.R4, "CarePlan") == ((("category", "assess-plan"),),)
        observations = resource_types.searches(PATIENT_ACCESS, FhirVersion.R4, "Observation")
        assert {("category", name) for name in ("laboratory", "vital-signs", "social-history")} < {
            parameter for parameters in observations for parameter in parameters
        }

    def test_depend_on_the_dialect(self):
        assert resource_types.searches(PATIENT_ACCESS, FhirVersion.R4, "CareTeam") == ((),)
        assert resource_types.searches(SMART, FhirVersion.R4, "CareTeam") != ((),)

    def test_of_reports_are_not_of_the_laboratory_alone(self):
        for dialect in DIALECTS.values():
            for version in FhirVersion:
                plain, narrow = resource_types.attempts(dialect, version, "DiagnosticReport")
                assert (plain, narrow[0]) == (((),), (("category", "LAB"),))

    def test_are_tried_otherwise_where_they_are_refused(self):
        plain, narrow = resource_types.attempts(PATIENT_ACCESS, FhirVersion.R4, "Condition")
        assert (plain, narrow[0]) == (((),), (("category", "problem-list-item"),))
        (sweeps, with_status) = resource_types.attempts(PATIENT_ACCESS, FhirVersion.DSTU2, "Observation")
        assert (("code", "72166-2"),) in sweeps
        assert with_status[0][0] == ("category", "laboratory")
        assert with_status[0][1][0] == "status"

    def test_demand_no_status_twice(self):
        for attempt in resource_types.attempts(SMART, FhirVersion.R4, "CareTeam"):
            assert all([name for name, _value in search].count("status") <= 1 for search in attempt)

    def test_of_a_type_nobody_knows_are_one_by_patient(self):
        assert resource_types.attempts(SMART, FhirVersion.R4, "Appointment") == (((),),)
        assert resource_types.attempts(SMART, FhirVersion.R4, "Practitioner") == ((),)

    @pytest.mark.parametrize("name", ["Practitioner", "Patient", "Unheard", "MedicationOrder"])
    def test_of_a_type_that_is_only_read_are_none(self, name):
        assert resource_types.searches(PATIENT_ACCESS, FhirVersion.R4, name) == ()
