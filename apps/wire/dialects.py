"""How kinds of server differ, as data, with the evidence for each value.

"spec" is the interface specification; "facts" are the interface facts, whose own sources are in brackets; "inferred"
marks a default that nobody published. A client registration can override single values with columns of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from apps.wire.client_authentication import Authentication


class Interface(StrEnum):
    """The two interfaces that we speak: A and B of the specification."""

    PATIENT_ACCESS = "patient-access"
    SMART = "smart"


class FhirVersion(StrEnum):
    """The FHIR version of an endpoint. It is configured, never guessed from an answer."""

    DSTU2 = "dstu2"
    R4 = "r4"


class Placement(StrEnum):
    """Where the parameters of a token request are sent."""

    QUERY = "query"
    BODY = "body"


@dataclass(frozen=True)
class Dialect:
    """One kind of server. Durations are in the unit of their name; None means no such limit is known."""

    interface: Interface
    token_parameters: Placement
    authentication: Authentication  # of a confidential client
    system_assertion: Authentication | None  # how a system sends its assertion; None if there is no system access
    sends_state_in_exchange: bool
    sends_aud: bool
    uses_pkce: bool  # unless the registration says otherwise
    accept: Mapping[FhirVersion, str]
    refresh_window_hours: int | None  # a refresh token expires this long after its issue
    idle_limit_days: int | None  # a refresh token expires if it is not used for this long
    minimum_refresh_interval_seconds: int
    refreshes_per_second: float  # of one client registration, by all workers together, before anybody needs the token
    assumed_lifetime_seconds: int  # of an access token that comes without expires_in
    longest_lifetime_seconds: int  # of an access token that can be refreshed, whatever expires_in says
    revokes_replaced: bool  # whether a refresh token that a new sign-in replaced is revoked
    requests_per_minute: int  # per connection
    parallel_requests: int  # per connection
    runs_at_once: int  # sync runs of one authorization server, by all workers together
    needs_narrow_search: Mapping[FhirVersion, frozenset[str]]  # types whose search by patient alone is refused
    fallback_statuses: frozenset[int]  # after such an answer, a search is tried with `ResourceType.narrow_searches`


_PATIENT_ACCESS = Dialect(
    interface=Interface.PATIENT_ACCESS,
    token_parameters=Placement.QUERY,  # spec 4.1 P2, P3; facts 2.2 [NGA]
    authentication=Authentication.QUERY,  # spec 5.1.2
    system_assertion=None,  # spec 5.1.1: two grant types, and no client_credentials
    sends_state_in_exchange=False,  # spec 4.1 P2 names exactly five parameters
    sends_aud=False,  # spec 4.1 P1 names exactly three parameters
    uses_pkce=False,  # absent from spec 4.1; advertised in 2026 [NGS], so a registration may switch it on
    accept=MappingProxyType(
        {FhirVersion.DSTU2: "application/json", FhirVersion.R4: "application/json"}  # spec 4.1 P4
    ),
    refresh_window_hours=48,  # spec 5.1.6
    idle_limit_days=None,  # none is stated
    minimum_refresh_interval_seconds=0,  # none is stated for this interface: spec 8
    refreshes_per_second=10,  # inferred: no limit is published; thirty patients' worth of requests_per_minute
    assumed_lifetime_seconds=300,  # inferred: facts 2.7
    longest_lifetime_seconds=86_400,  # ours, none is published: so that an ended permission is noticed within a day
    revokes_replaced=False,  # nobody says what else ends with it: docs/decisions/0012
    requests_per_minute=20,  # inferred from the sister product's published limit: facts 2.18 [NGR]
    parallel_requests=2,  # inferred: facts 2.18
    runs_at_once=4,  # ours: half the threads of one worker, so that no provider holds all of them
    needs_narrow_search=MappingProxyType(
        {
            # facts 1.2 [ARG]: demanded by category. So are reports, by LAB alone: nobody says that the others are
            # refused, and where they are, the fallback asks for LAB.
            FhirVersion.DSTU2: frozenset({"CarePlan", "Observation"}),
            FhirVersion.R4: frozenset({"CarePlan", "Observation"}),  # facts 1.3: 404 and 400 seen in 2024 [NGX]
        }
    ),
    fallback_statuses=frozenset({400, 404}),  # facts 2.16 [NGX]: a 404 on a search is not "no data"
)

_SMART = Dialect(
    interface=Interface.SMART,
    token_parameters=Placement.BODY,  # spec 4.2 S3, S4
    authentication=Authentication.BASIC,  # spec 5.2.5; facts 3.5 [SAL]
    system_assertion=Authentication.BEARER_JWT,  # spec 4.2 S6, 5.2.6; facts 4.2: a registration may choose form fields
    sends_state_in_exchange=True,  # spec 4.2 S3
    sends_aud=True,  # spec 4.2 S2; its name on the wire is aud: facts 3.4 [CER, SAL]
    uses_pkce=True,  # compulsory in SMART 2: facts 3.4 [SAL]
    accept=MappingProxyType(
        {FhirVersion.DSTU2: "application/json+fhir", FhirVersion.R4: "application/fhir+json"}  # facts 1.7 [CER]
    ),
    refresh_window_hours=None,  # none is stated
    idle_limit_days=92,  # spec 3, 8: "more than three months", and no three months are longer
    minimum_refresh_interval_seconds=60,  # spec 8
    refreshes_per_second=10,  # inferred: no limit is published; ten patients' worth of requests_per_minute
    assumed_lifetime_seconds=300,  # spec 2.3 promises expires_in; inferred for servers that break it
    longest_lifetime_seconds=600,  # spec 4.2 rule 4 and 8: less than ten minutes
    revokes_replaced=False,  # as above
    requests_per_minute=60,  # inferred: no limit is published
    parallel_requests=4,  # inferred
    runs_at_once=4,  # ours: as above
    needs_narrow_search=MappingProxyType(
        {
            FhirVersion.DSTU2: frozenset({"CarePlan"}),  # facts 1.2 [CER]
            FhirVersion.R4: frozenset({"CarePlan", "CareTeam", "Observation"}),  # facts 1.3 [USC311], 3.12 [CER]
        }
    ),
    fallback_statuses=frozenset({400, 404, 422}),  # facts 5.4, 5.5 [CER]
)

DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {dialect.interface.value: dialect for dialect in (_PATIENT_ACCESS, _SMART)}
)
