"""What is missing from one source, in the words of the ledger, shown before a download and at the head of every
file."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from apps.connections.models import Connection
from apps.records import gap_words, ledger
from apps.records.gap_words import Kind
from apps.records.ledger import Holdings
from apps.records.models import SyncRun, SyncStep
from apps.records.subjects import Subject


@dataclass(frozen=True)
class Missing:
    """One subject that is incomplete, and the ledger's sentence that says why. `is_none_sent`: the provider sent
    nothing, which may be all there is."""

    subject: str
    sentence: str
    is_none_sent: bool = False

    def __str__(self) -> str:
        """As one line of a list."""
        return f"{self.subject}: {self.sentence}"


@dataclass(frozen=True)
class Gaps:
    """`is_arriving`: the record is still being copied, so that an export made now lacks what comes later. `by_type` are
    the resource types that did not come, or not completely, each with the sentence that says why."""

    missing: tuple[Missing, ...]
    is_arriving: bool
    by_type: tuple[tuple[str, str], ...] = ()

    @property
    def subjects(self) -> str:
        """The incomplete subjects, as a list in words."""
        return ", ".join(one.subject for one in self.missing)

    def alike(self) -> tuple[tuple[str, str], ...]:
        """The subjects to which the same sentence applies, as a list in words, with that sentence."""
        subjects: dict[str, list[str]] = {}
        for one in self.missing:
            subjects.setdefault(one.sentence, []).append(one.subject)
        return tuple((", ".join(names), sentence) for sentence, names in subjects.items())

    def of_types(self, names: Iterable[str]) -> tuple[str, ...]:
        """Why some of these types are missing, each reason once."""
        wanted = set(names)
        return tuple(dict.fromkeys(sentence for name, sentence in self.by_type if name in wanted))

    def of_subjects(self, wanted: Iterable[Subject]) -> "Gaps":
        """Only the gaps of these subjects."""
        names = {str(subject.name) for subject in wanted}
        return replace(self, missing=tuple(one for one in self.missing if one.subject in names))

    def of_what_should_be(self) -> "Gaps":
        """Without the subjects of which the provider sent nothing."""
        return replace(self, missing=tuple(one for one in self.missing if not one.is_none_sent))

    def sentences(self) -> tuple[str, ...]:
        """One line for each."""
        return tuple(str(one) for one in self.missing)


def of_each(connections: Collection[Connection], *, at: datetime) -> dict[UUID, Gaps]:
    """The gaps by connection, as the ledger has them at this moment, in the language of the person who asks. `at` is as
    in `choosing.choices`. Six queries."""
    newest = SyncRun.objects.filter(connection__in=connections).newest_of_each(at=at)
    runs = {run.connection_id: run for run in newest.prefetch_related("steps")}
    kept = ledger.kept_of(connections)
    return {one.pk: _of(one, runs.get(one.pk), kept[one.pk]) for one in connections}


def _of(connection: Connection, run: SyncRun | None, kept: Holdings) -> Gaps:
    lines = ledger.lines(connection, run, provider=connection.provider.name, kept=kept)
    missing = tuple(_missing(line) for line in lines if line.kind is not Kind.DONE)
    return Gaps(missing, is_arriving=run is not None and run.finished_at is None, by_type=_by_type(connection, run))


def _by_type(connection: Connection, run: SyncRun | None) -> tuple[tuple[str, str], ...]:
    """The types whose steps ended with a gap."""
    steps = [step for step in run.steps.all() if step.status == SyncStep.Status.GAP] if run is not None else []
    told = ((step.resource_type, gap_words.of(step, provider=connection.provider.name).sentence) for step in steps)
    return tuple(sorted(told))


def _missing(line: ledger.Line) -> Missing:
    return Missing(str(line.subject), line.sentence or line.word, is_none_sent=line.is_none_sent)
