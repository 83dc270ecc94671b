"""Ask a provider for one connection's data, with a token that is renewed once where the provider refuses it.

No transaction is open here. Besides what each function of `apps.wire.fhir` raises, all raise what
`apps.connections.refreshing.usable_token` raises: `NotYet`, `NeedsReauthorization` and `SwitchedOff`.
"""

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from apps.connections import refreshing
from apps.connections.models import Connection
from apps.directory import reaching
from apps.records import pacing
from apps.wire import fhir, resource_types
from apps.wire.errors import AuthorizationExpired, EndpointMisconfigured, NotFound, UnexpectedAnswer
from apps.wire.fhir import CapabilityStatement, Page, Resource
from apps.wire.resource_types import Parameters
from apps.wire.secret import Secret

Answer = TypeVar("Answer")
Clock = Callable[[], datetime]


class Source:
    """One connection's provider, as far as one sync run asks it."""

    def __init__(self, connection: Connection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._server = reaching.fhir_server(connection.endpoint, connection.registration)
        self._has_renewed = False

    def capability(self) -> CapabilityStatement | None:
        """What the server says it offers, asked without a token (P6). None where it says nothing we can read. Raises
        SwitchedOff and NotYet as well."""
        refreshing.check_switches(self._connection)
        self._take_turn()
        try:
            return fhir.capability(self._server)
        except (NotFound, UnexpectedAnswer, EndpointMisconfigured):
            return None

    def searches(self, resource_type: str) -> tuple[Parameters, ...]:
        """The parameters of the searches that together cover a type at this server; nothing is asked."""
        return resource_types.searches(self._server.dialect, self._server.version, resource_type)

    def patient(self) -> Resource:
        """The Patient the person confirmed, by its id (P5)."""
        patient_id = self._connection.fhir_patient_id
        return self._ask(
            lambda token: fhir.read(self._server, access_token=token, resource_type="Patient", logical_id=patient_id)
        )

    def search(self, resource_type: str, parameters: Parameters) -> Page:
        """The first page of a type, of that patient."""
        patient_id = self._connection.fhir_patient_id
        return self._ask(
            lambda token: fhir.search(
                self._server,
                access_token=token,
                resource_type=resource_type,
                patient_id=patient_id,
                parameters=parameters,
            )
        )

    def follow(self, next_url: str) -> Page:
        """A later page, by the link the provider gave."""
        return self._ask(lambda token: fhir.follow(self._server, access_token=token, next_url=next_url))

    def _ask(self, question: Callable[[Secret], Answer]) -> Answer:
        """Ask with a usable token; where it is refused, once more with a renewed one (facts 5.3, C45)."""
        token = refreshing.usable_token(self._connection, at=self._clock())
        self._take_turn()
        try:
            return question(token)
        except AuthorizationExpired:
            if self._has_renewed:
                raise
            self._has_renewed = True
        token = refreshing.usable_token(self._connection, at=self._clock(), refused=token)
        self._take_turn()
        return question(token)

    def _take_turn(self) -> None:
        pacing.take_turn(self._connection, most=self._server.dialect.requests_per_minute, at=self._clock())
