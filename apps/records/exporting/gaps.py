"""What is missing of one source, in the words of the ledger, told before a download and at the head of every file."""

from dataclasses import dataclass
from datetime import datetime

from apps.connections.models import Connection
from apps.records import ledger
from apps.records.gap_words import Kind


@dataclass(frozen=True)
class Missing:
    """One subject of which not everything is here, and the ledger's sentence why."""

    subject: str
    sentence: str

    def __str__(self) -> str:
        """As one line of a list."""
        return f"{self.subject}: {self.sentence}"


@dataclass(frozen=True)
class Gaps:
    """`is_arriving`: the record is still being fetched, so that a copy made now lacks what comes later."""

    missing: tuple[Missing, ...]
    is_arriving: bool

    def alike(self) -> tuple[tuple[str, str], ...]:
        """The subjects of which the same is to be said, in a list of words, and what that is."""
        subjects: dict[str, list[str]] = {}
        for one in self.missing:
            subjects.setdefault(one.sentence, []).append(one.subject)
        return tuple((", ".join(names), sentence) for sentence, names in subjects.items())

    def sentences(self) -> tuple[str, ...]:
        """Each on a line."""
        return tuple(str(one) for one in self.missing)


def of(connection: Connection, *, at: datetime) -> Gaps:
    """As the connection's ledger has it then, in the language of whoever asks. `at` as `choosing.choices` takes it."""
    run = connection.sync_runs.newest_first(at=at).prefetch_related("steps").first()
    lines = ledger.lines(connection, run, provider=connection.provider.name)
    missing = tuple(Missing(str(line.subject), line.sentence or line.word) for line in lines if _is_missing(line))
    return Gaps(missing=missing, is_arriving=run is not None and run.finished_at is None)


def _is_missing(line: ledger.Line) -> bool:
    return line.kind is not Kind.DONE
