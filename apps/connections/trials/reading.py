"""Read one type of data with a test patient's permission, and store only whether that works."""

from apps.connections.models import AuthorizationRequest
from apps.connections.trials import error_codes
from apps.connections.trials.results import Note, Notes, Step
from apps.directory import reaching
from apps.wire import fhir, resource_types, scopes
from apps.wire.dialects import Dialect, FhirVersion
from apps.wire.errors import WireError
from apps.wire.token_endpoint import TokenSet

# Types that nearly every server has, and whose search needs no parameter but the patient.
_PREFERRED = ("AllergyIntolerance", "Immunization", "Condition", "Procedure", "Encounter", "DocumentReference")


def read_something(request: AuthorizationRequest, tokens: TokenSet, patient_id: str, notes: Notes) -> None:
    """Read one page of one type that was granted. Speaks to the network."""
    server = reaching.fhir_server(request.endpoint, request.registration)
    name = _type_to_read(server.dialect, server.version, tokens)
    if name is None:
        notes.noticed(Step.DATA, Note.NOTHING_GRANTED)
        return
    parameters = resource_types.searches(server.dialect, server.version, name)[0]
    try:
        fhir.search(
            server,
            access_token=tokens.access_token,
            resource_type=name,
            patient_id=patient_id,
            parameters=parameters,
        )
    except WireError as error:
        notes.failed(Step.DATA, error_codes.code(error), names=[name])
        return
    notes.passed(Step.DATA)


def _type_to_read(dialect: Dialect, version: FhirVersion, tokens: TokenSet) -> str | None:
    granted = scopes.readable_types(tokens.scope or ())
    known = [name for name in _PREFERRED if resource_types.searches(dialect, version, name)]
    others = [name for name in resource_types.RESOURCE_TYPES[version] if name not in _PREFERRED]
    asked = [*known, *(name for name in others if resource_types.searches(dialect, version, name))]
    return next((name for name in asked if granted is None or name in granted), None)
