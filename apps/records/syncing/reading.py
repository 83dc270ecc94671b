"""Single resources: the patient, and the resources that rows refer to."""

from django.db.models import QuerySet

from apps.records.models import PendingRead, Record, SyncStep
from apps.records.syncing import gaps, stepping
from apps.records.syncing.fetching import Answer, Question, Read
from apps.records.syncing.paging.cursors import Cursor
from apps.records.syncing.received_rows import checking_patient
from apps.records.syncing.stepping import Work
from apps.wire.errors import AccessRefused, NotFound, Unavailable, UnexpectedAnswer, WireError
from apps.wire.fhir import AnotherResource, Resource

Gap = SyncStep.Gap

_AT_ONCE = 100
# After this many refusals without a success, the type counts as not shared: nobody needs to ask a thousand times.
_REFUSED_AT_MOST = 5
# Nor need anybody wait a hundred times for a server that does not answer. A turn has time for two such requests, one
# after the other.
_UNANSWERED_AT_MOST = 3
_GONE = 410


class ReadingPatient:
    """Reads the Patient that the user confirmed, by its id (P5)."""

    def __init__(self, step: SyncStep, work: Work) -> None:
        self.step = step
        self._work = work
        self._resource: Resource | None = None
        self._gap = ""
        self._is_asked = self.is_done = False

    def begin(self) -> None:
        """Raises LeaseLost."""
        stepping.begin(self.step, self._work)

    def next(self) -> Question | None:
        """The one question there is."""
        if self._is_asked:
            return None
        self._is_asked = True
        return Read("Patient", self._work.run.connection.fhir_patient_id)

    def receive(self, _question: Question, answer: Answer) -> None:
        """Keep it for `store`."""
        assert isinstance(answer, Resource)  # noqa: S101  # nosec B101 - only reads are asked here
        self._resource = answer
        self.is_done = True

    def stage(self) -> None:
        """Nothing to do: no other request waits for these answers."""

    def store(self) -> None:
        """Raises LeaseLost."""
        if self._resource is not None:
            self.step.bytes_got += len(self._resource.body)
            stepping.store(self.step, (self._resource,), work=self._work)

    def refuse(self, _question: Question, error: WireError) -> None:
        """No other way is left. If the provider sent another person's resource instead, it is quarantined. Raises
        LeaseLost."""
        stepping.note_refusal(self.step, error, self._work)
        self._gap = gaps.reason(error)
        self.is_done = True
        if isinstance(error, AnotherResource) and _is_strange(error.resource, self._work):
            self._resource = error.resource
            self.store()

    def close(self) -> None:
        """Raises LeaseLost."""
        if self._gap == Gap.NOT_OFFERED and self._should_be_there():
            self._gap = Gap.UNAVAILABLE
        gap = Gap.OTHER_PATIENT if self.step.rows_refused else self._gap  # even if an earlier worker received them
        stepping.close(self.step, gap=gap, work=self._work)

    def _should_be_there(self) -> bool:
        """Whether the server states that patients can be read, and this one was: then it is worth asking again."""
        return stepping.asking(self.step).is_stated and stepping.holds_any(self.step, self._work)


class ReadingReferences:
    """Reads each resource of one type that rows of this run refer to, once. One that cannot be read is counted but is
    no gap of its type: rows often refer to what their provider does not release. It is a gap if a read is not answered
    at all, or brings a resource about another person; such a resource is asked for again.

    If another resource came instead and names nobody, it is left out: nothing shows whose it is, and if rows refer to
    it, it is read by its own id.
    """

    def __init__(self, step: SyncStep, work: Work) -> None:
        self.step = step
        self._work = work
        self._waiting: list[str] = []
        self._asked: set[str] = set()
        self._got: list[Resource] = []
        self._refused_in_a_row = self._unanswered_in_a_row = 0
        self._gap = self._lacks = ""

    def begin(self) -> None:
        """Raises LeaseLost."""
        cursor, _none_aside = stepping.begin(self.step, self._work)
        self._lacks = cursor.lacks
        self._unanswered_in_a_row = 1 if self._lacks else 0
        self._mark_known()
        self._look()

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to read."""
        return not self._waiting and not self._asked

    def next(self) -> Question | None:
        """The next resource to read; several reads may be in flight."""
        if not self._waiting:
            return None
        logical_id = self._waiting.pop()
        self._asked.add(logical_id)
        return Read(self.step.resource_type, logical_id)

    def receive(self, _question: Question, answer: Answer) -> None:
        """Keep it for `store`."""
        assert isinstance(answer, Resource)  # noqa: S101  # nosec B101 - only reads are asked here
        self._got.append(answer)

    def stage(self) -> None:
        """Nothing to do: no other request waits for these answers."""

    def store(self) -> None:
        """Store what was received, and note that it need not be read again. Raises LeaseLost."""
        for resource in self._got:
            self._refused_in_a_row = self._unanswered_in_a_row = 0
            self.step.bytes_got += len(resource.body)
            if _is_strange(resource, self._work):
                stepping.count_missing(self.step, resource.logical_id, is_owed=True, strange=resource, work=self._work)
            else:
                target = (resource.resource_type, resource.logical_id)
                stepping.store(self.step, (resource,), work=self._work, read=target)
            self._asked.discard(resource.logical_id)
        self._got = []
        self._look()

    def refuse(self, question: Question, error: WireError) -> None:
        """Count it, and continue with the others."""
        assert isinstance(question, Read)  # noqa: S101  # nosec B101 - only reads are asked here
        self._asked.discard(question.logical_id)
        is_gone = isinstance(error, NotFound) and error.status == _GONE
        is_owed = isinstance(error, Unavailable | UnexpectedAnswer)  # a page of HTML may be a passing fault
        came = error.resource if isinstance(error, AnotherResource) else None
        strange = came if _is_strange(came, self._work) else None
        stepping.count_missing(
            self.step, question.logical_id, is_gone=is_gone, is_owed=is_owed, strange=strange, work=self._work
        )
        is_turned_away = gaps.is_turned_away(error)
        self._refused_in_a_row += isinstance(error, AccessRefused) or is_turned_away
        is_unanswered = isinstance(error, Unavailable) and error.status is None
        self._unanswered_in_a_row = self._unanswered_in_a_row + 1 if is_unanswered else 0
        if isinstance(error, Unavailable) and not self._lacks:
            self._lacks = Gap.UNAVAILABLE
            stepping.move_cursor(self.step, Cursor(lacks=self._lacks), self._work)
        if self._refused_in_a_row >= _REFUSED_AT_MOST and not self.step.rows_kept:
            self._waiting, self._gap = [], Gap.TURNED_AWAY if is_turned_away else Gap.NOT_SHARED
        elif self._unanswered_in_a_row >= _UNANSWERED_AT_MOST:
            self._waiting, self._gap = [], Gap.UNAVAILABLE
        else:
            self._look()

    def close(self) -> None:
        """Raises LeaseLost."""
        strange = Gap.OTHER_PATIENT if self.step.rows_refused else ""
        stepping.close(self.step, gap=self._gap or self._lacks or strange, work=self._work)

    def _look(self) -> None:
        """Look for more once none is left: rows that were read refer to others of their type."""
        asked = self.step.pages + self.step.rows_missing  # a reference that leads nowhere costs its provider as much
        if asked >= stepping.MOST_READS or stepping.is_too_much(self.step, self._work):
            self._waiting, self._gap = [], Gap.TOO_MUCH if self._pending().exists() else ""
        elif not self._waiting and not self._gap:
            waiting = self._pending().exclude(logical_id__in=self._asked).order_by("-pk")
            self._waiting = list(waiting.values_list("logical_id", flat=True)[:_AT_ONCE])

    def _mark_known(self) -> None:
        """Mark references as done if the resource came along with a search; in a check for changes, also if we hold the
        resource, unless an earlier read was not answered and is still owed."""
        run = self._work.run
        have = Record.objects.filter(
            user_id=run.user_id, connection_id=run.connection_id, resource_type=self.step.resource_type
        )
        came_along = have.filter(confirmed_by_run=run.pk)
        pending = self._pending()
        pending.filter(logical_id__in=came_along.values("logical_id")).update(is_done=True, is_owed=False)
        if not run.is_full:
            here = have.filter(removed_at__isnull=True)
            pending.filter(is_owed=False, logical_id__in=here.values("logical_id")).update(is_done=True)

    def _pending(self) -> QuerySet[PendingRead]:
        return PendingRead.objects.filter(run=self._work.run, resource_type=self.step.resource_type, is_done=False)


def _is_strange(resource: Resource | None, work: Work) -> bool:
    """Whether it is about somebody other than the person whose record this is."""
    patient_id = work.run.connection.fhir_patient_id
    return resource is not None and checking_patient.names_another_patient(resource, patient_id=patient_id)
