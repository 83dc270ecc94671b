"""Request one connection's data from its provider, several questions at a time, with a token that is refreshed once if
the provider refuses it.

Everything that touches rows (tokens, turns, refreshing) happens in the caller's thread; other threads only speak HTTP
and parse answers. No transaction is open here. Besides the errors of the `apps.wire.fhir` function it calls, each
function raises those of `apps.connections.refreshing.usable_token`: `NotYet`, `NeedsReauthorization` and `SwitchedOff`.
"""

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from apps.connections import reachability, refreshing
from apps.connections.models import Connection
from apps.directory import reaching
from apps.records.syncing.workers import rate_limiting
from apps.wire import fhir, resource_types
from apps.wire.dialects import FhirVersion
from apps.wire.errors import (
    AccessRefused,
    AuthorizationExpired,
    EndpointMisconfigured,
    NotFound,
    RequestRefused,
    Unavailable,
    UnexpectedAnswer,
    WireError,
)
from apps.wire.fhir import CapabilityStatement, FhirServer, Page, Resource
from apps.wire.resource_types import Parameters
from apps.wire.secret import Secret

_LOG = logging.getLogger(__name__)

Clock = Callable[[], datetime]
Answer = Page | Resource


@dataclass(frozen=True, repr=False)
class Read:
    """One resource by its id (P5)."""

    resource_type: str
    logical_id: str


@dataclass(frozen=True, repr=False)
class Search:
    """The first page of a search for one type, for the confirmed patient."""

    resource_type: str
    parameters: Parameters


@dataclass(frozen=True, repr=False)
class Follow:
    """A later page, by the link the provider gave."""

    next_url: str


Question = Read | Search | Follow


@dataclass(frozen=True, repr=False)
class PendingQuestion:
    """A question in flight, and the token it carries."""

    question: Question
    token: Secret
    future: "Future[Answer]"


class Source:
    """One connection's provider, as one turn of a sync run sees it. Close it at the end of the turn."""

    def __init__(self, connection: Connection, clock: Clock) -> None:
        self.server: FhirServer = reaching.fhir_server(connection.endpoint, connection.registration)
        self._connection = connection
        self._clock = clock
        self._token = refreshing.CachedToken(connection)
        self._first_refused: Secret | None = None
        self._threads: ThreadPoolExecutor | None = None
        self.was_answered = self.met_silence = False  # by requests for records
        self.met_silence_for_all = False  # by the request for the capability statement, which belongs to no patient

    @property
    def parallel(self) -> int:
        """How many questions may be in flight at once (facts 2.18)."""
        return self.server.dialect.parallel_requests

    def close(self) -> None:
        """Close without waiting: answers still in flight are dropped."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)

    def capability(self) -> CapabilityStatement | None:
        """Request the server's capability statement, without a token (P6). None if there is none that we can read. Also
        raises SwitchedOff and NotYet."""
        refreshing.check_switches(self._connection)
        self._take_turn()
        try:
            return fhir.capability(self.server)
        except (NotFound, UnexpectedAnswer, EndpointMisconfigured):
            return None
        except Unavailable as error:  # an answer proves nothing: records may be on another machine behind it
            self.met_silence_for_all = reachability.is_silence(error)
            self.met_silence = self.met_silence or self.met_silence_for_all
            raise

    def heed(self, version: str) -> None:
        """Also accept answers in the FHIR version that the server states, whatever the directory says."""
        if version:
            self.server = self.server.stating(FhirVersion(version))

    def ask(self, question: Question) -> PendingQuestion:
        """Send a question without waiting; `answer` returns the result."""
        token = self._token.usable(at=self._clock())
        self._take_turn()
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self.parallel, thread_name_prefix="fetching")
        return PendingQuestion(question, token, self._threads.submit(self._send, question, token))

    def answer(self, asked: PendingQuestion) -> Answer:
        """Wait for an answer. If the token was refused, ask the same question once more with a refreshed token (facts
        5.3, C45). Raises AuthorizationExpired if that one is refused as well."""
        try:
            return self._heard(asked.future.result)
        except AuthorizationExpired as refusal:
            self._log(refusal)
            if self._first_refused is not None and asked.token != self._first_refused:  # refreshed, and refused too
                raise self._meant(refusal, asked.question, asked.token) from None
        self._first_refused = asked.token
        token = self._token.usable(at=self._clock(), refused=asked.token)
        self._take_turn()
        try:
            return self._heard(partial(self._send, asked.question, token))
        except AuthorizationExpired as refusal:
            self._log(refusal)
            raise self._meant(refusal, asked.question, token) from None

    def _meant(self, refusal: AuthorizationExpired, question: Question, token: Secret) -> WireError:
        """What a 401 meant. Some servers answer 401 to requests that they do not serve, whatever the token. If the
        token still reads the patient, it is good, and a new sign-in would end the same way."""
        patient = Read("Patient", self._connection.fhir_patient_id)
        if question == patient:
            return refusal
        self._take_turn()
        try:
            self._heard(partial(self._send, patient, token))
        except (AccessRefused, NotFound):  # the server accepted the token and decided about the resource
            pass
        except WireError as error:
            return error if isinstance(error, Unavailable) else refusal
        return RequestRefused(code=refusal.code, status=refusal.status)

    def _heard(self, answer: Callable[[], Answer]) -> Answer:
        """Return the answer, noting whether the server answered at all; a refusal counts as an answer."""
        try:
            found = answer()
        except WireError as error:
            self.met_silence = self.met_silence or reachability.is_silence(error)
            self.was_answered = self.was_answered or reachability.is_answer(error)
            raise
        self.was_answered = True
        return found

    def _send(self, question: Question, token: Secret) -> Answer:
        """Send a question, in any thread: nothing here touches rows."""
        if isinstance(question, Follow):
            return fhir.follow(self.server, access_token=token, next_url=question.next_url)
        if isinstance(question, Read):
            return fhir.read(
                self.server,
                access_token=token,
                resource_type=question.resource_type,
                logical_id=question.logical_id,
            )
        return fhir.search(
            self.server,
            access_token=token,
            resource_type=question.resource_type,
            patient_id=self._connection.fhir_patient_id,
            parameters=question.parameters,
            # such types are planned only if the server's statement declares their `patient` parameter
            is_declared=resource_types.find(self.server.version, question.resource_type) is None,
        )

    def _log(self, refusal: AuthorizationExpired) -> None:
        """Log the reason given in the header if we know it; nothing else of the header is kept."""
        _LOG.warning("An access token was refused: connection %s: %s", self._connection.pk, refusal.code.value)

    def _take_turn(self) -> None:
        rate_limiting.take_turn(self._connection, most=self.server.dialect.requests_per_minute, at=self._clock())
