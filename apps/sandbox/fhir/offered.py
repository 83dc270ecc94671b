"""What is served in each FHIR version: resource types, their interactions and their search parameters.

DSTU2 follows the Argonaut data query guide, R4 what the observed interface advertises (interface facts 1.2 and 1.3).
`metadata`, the description pages and `searching` all use this table.
"""

from dataclasses import dataclass

# Types for system access, of which a bulk export consists. Metadata of interface B says so for each.
FOR_SYSTEMS = frozenset(
    {
        *("AllergyIntolerance", "Binary", "CarePlan", "CareTeam", "Condition", "Device", "DiagnosticReport"),
        *("DocumentReference", "Encounter", "Goal", "Immunization", "Location", "Medication", "MedicationOrder"),
        *("MedicationRequest", "MedicationStatement", "Observation", "Organization", "Patient", "Practitioner"),
        *("Procedure", "Provenance"),
    }
)


@dataclass(frozen=True)
class Parameter:
    """One search parameter: its name, its FHIR search type, and its name in the stored index."""

    name: str
    kind: str
    index: str
    explains: str = ""


@dataclass(frozen=True)
class Offered:
    """One resource type. `has_patient`: searches take `patient`, and each row belongs to a patient; otherwise to the
    practice."""

    resource_type: str
    parameters: tuple[Parameter, ...] = ()
    is_searched: bool = True
    has_patient: bool = True
    has_provenance: bool = True
    includes: str = ""

    @property
    def is_for_systems(self) -> bool:
        """Whether systems may read it (specification 5.2.5: only if the type's documentation says so)."""
        return self.resource_type in FOR_SYSTEMS

    @property
    def interactions(self) -> tuple[str, ...]:
        """FHIR interaction codes."""
        return ("read", "search-type") if self.is_searched else ("read",)

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of that name, or None."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)


def _token(name: str, index: str = "") -> Parameter:
    return Parameter(name, "token", index or name, "code, or system|code; a comma means or")


def _date(name: str) -> Parameter:
    return Parameter(name, "date", "date", "prefixes eq, ge, gt, le, lt; repeat it for a range")


def _string(name: str) -> Parameter:
    return Parameter(name, "string", name, "begins with, whatever the case")


_ID = Parameter("_id", "token", "_id", "logical id; a comma means or; may stand without patient")
_UPDATED = Parameter("_lastUpdated", "date", "_lastUpdated", "prefixes eq, ge, gt, le, lt")
_PATIENT = Parameter("patient", "reference", "patient", "ID or Patient/ID")
_ADDRESS = tuple(_string(name) for name in ("address", "address-city", "address-state", "address-postalcode"))


def _clinical(resource_type: str, *parameters: Parameter, provenance: bool = True, includes: str = "") -> Offered:
    return Offered(resource_type, (_ID, _UPDATED, _PATIENT, *parameters), has_provenance=provenance, includes=includes)


def _of_practice(resource_type: str, *parameters: Parameter) -> Offered:
    return Offered(resource_type, (_ID, *parameters), has_patient=False, has_provenance=False)


def _read_only(resource_type: str, *, has_patient: bool = False) -> Offered:
    return Offered(resource_type, is_searched=False, has_patient=has_patient, has_provenance=False)


_PEOPLE = tuple(_string(name) for name in ("name", "given", "family"))
_PATIENT_SEARCHES = (_ID, _UPDATED, _token("identifier"), *_PEOPLE, _token("gender"), _date("birthdate"))

_DSTU2 = (
    Offered("Patient", _PATIENT_SEARCHES, has_provenance=False),
    _clinical("AllergyIntolerance", _token("substance", "code"), _token("status")),
    _read_only("Binary", has_patient=True),
    _clinical("CarePlan", _token("category"), _token("status"), _date("date")),
    _clinical("Condition", _token("clinicalstatus", "clinical-status"), _token("category")),
    _clinical("Device"),
    _clinical("DiagnosticReport", _token("category"), _token("code"), _date("date")),
    _clinical("DocumentReference", _token("type"), _date("period")),
    _clinical("Encounter", _date("date")),
    _clinical("Goal", _date("date")),
    _clinical("Immunization", _date("date"), _token("status")),
    _read_only("Location"),
    _read_only("Medication"),
    _clinical("MedicationOrder", _token("status"), _date("datewritten"), includes="MedicationOrder:medication"),
    _clinical("MedicationStatement", _token("status"), provenance=False, includes="MedicationStatement:medication"),
    _clinical("Observation", _token("category"), _token("code"), _date("date"), _token("status")),
    _read_only("Organization"),
    _read_only("Practitioner"),
    _clinical("Procedure", _date("date"), _token("status")),
    _read_only("Provenance", has_patient=True),
)

_R4 = (
    Offered("Patient", (*_PATIENT_SEARCHES, *_ADDRESS), has_provenance=False),
    _clinical("AllergyIntolerance", _date("date")),
    _read_only("Binary", has_patient=True),
    _clinical("CarePlan", _token("category"), _token("status")),
    _clinical("CareTeam", _token("status")),
    _clinical("Condition", _token("category"), _date("onset-date"), _token("clinical-status")),
    _clinical("Coverage", provenance=False),
    _clinical("Device", _token("status")),
    _clinical("DiagnosticReport", _token("category"), _token("code"), _date("date")),
    _clinical("DocumentReference", _token("type"), _date("date"), _token("category")),
    _clinical("Encounter", _date("date")),
    _of_practice("Endpoint", _string("name")),
    _clinical("Goal", _date("target-date"), _token("lifecycle-status")),
    _clinical("Immunization", _date("date"), _token("status")),
    _of_practice("Location", _string("name"), *_ADDRESS),
    _read_only("Medication"),  # not advertised by the observed interface; loaded Bundles refer to it
    _clinical("MedicationDispense"),
    _clinical("MedicationRequest", _token("status"), _token("intent"), _date("authoredon")),
    _clinical("MedicationStatement", _token("status"), provenance=False),
    _clinical("Observation", _token("category"), _token("code"), _date("date"), _token("status")),
    _of_practice("Organization", _string("name"), *_ADDRESS),
    _of_practice("Practitioner", _string("name"), _token("identifier")),
    _of_practice("PractitionerRole", _token("specialty"), _string("practitioner.name")),
    _clinical("Procedure", _date("date"), _token("status")),
    _read_only("Provenance", has_patient=True),
    _of_practice("Questionnaire"),
    _clinical("QuestionnaireResponse"),
    _clinical("RelatedPerson", _string("name"), provenance=False),
    _clinical("ServiceRequest", _token("category"), _token("code"), _date("authored")),
    _clinical("Specimen", provenance=False),
)

OFFERED: dict[str, dict[str, Offered]] = {
    "dstu2": {one.resource_type: one for one in _DSTU2},
    "r4": {one.resource_type: one for one in _R4},
}
