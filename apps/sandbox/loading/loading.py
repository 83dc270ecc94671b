"""How a file is loaded: it is read, its FHIR version detected, its references rewritten, its resources stored; then the
accounts are made.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from apps.sandbox.loading import enrolling, reading, references, storing, versioning
from apps.sandbox.loading.reading import Entry
from apps.sandbox.loading.storing import Kept
from apps.sandbox.people.populating import Populated


@dataclass(frozen=True)
class Loaded:
    """The result for one file. `problems` are sentences about what could not be read."""

    path: Path
    version: str
    kept: Kept | None
    problems: tuple[str, ...]


def load(paths: Iterable[Path], *, at: datetime) -> Iterator[Loaded]:
    """Load files and folders, one after another; a file that cannot be read does not stop the next one."""
    for path in reading.files(paths):
        yield _load(path, at)


def enrol(loaded: Iterable[Loaded], *, at: datetime) -> Iterator[Populated]:
    """An account for every patient whose record grew."""
    grown = {(one.version, patient_id) for one in loaded if one.kept for patient_id in one.kept.patient_ids}
    for version, patient_id in sorted(grown):
        yield enrolling.enrol(version, patient_id, at=at)


def _load(path: Path, at: datetime) -> Loaded:
    entries: list[Entry] = []
    problems: list[str] = []
    for one in reading.entries(path):
        if isinstance(one, Entry):
            entries.append(one)
        else:
            problems.append(str(one))
    if not entries:
        return Loaded(path, "", None, tuple(problems) or ("holds no resource",))
    version = versioning.version_of((entry.body for entry in entries), path)
    kept = storing.keep(references.rewritten(entries, path.name), version, at=at)
    return Loaded(path, version, kept, tuple(problems))
