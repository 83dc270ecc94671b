"""Which results belong to a report that may carry grave news: in pathology, a result may state a diagnosis although its
own name does not suggest it (patient experience 3.3).

They are found when shelves are built, from the results that reports refer to and the members of panels among these, and
are kept in the sealed index of the results.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from apps.connections.models import Connection
from apps.records import bodies, presenting, subjects
from apps.records.models import Record
from apps.records.presenters.entry import Context, Entry
from apps.records.presenters.observations.results import ResultEntry
from apps.records.presenters.reports import ReportEntry
from apps.records.presenters.sensitivity import grave_entries
from apps.vault.sealing import KeyRing

_OBSERVATION: Final = "Observation"
_OURS: Final = f"{_OBSERVATION}/"
_ROUNDS: Final = 3  # a report, its panels, and their panels
_AT_ONCE: Final = 200


def named_by(entry: Entry) -> tuple[str, ...]:
    """The results that an entry refers to, as `Type/id`, if it may carry grave news itself."""
    if isinstance(entry, ReportEntry):
        return _own(entry.results) if entry.may_be_grave else ()
    if isinstance(entry, ResultEntry) and entry.members:
        return _own(entry.members) if grave_entries.may_carry(entry) else ()
    return ()


def _own(paths: Iterable[str]) -> tuple[str, ...]:
    """Those that are records of their own."""
    return tuple(path for path in paths if path.startswith(_OURS))


def listed(connection: Connection, named: Iterable[str], ring: KeyRing) -> frozenset[str]:
    """Of these results and their members, those that we hold and list under results, as `Type/id`, whether or not their
    provider still has them. Records that do not open are logged. Raises `apps.vault.errors.VaultError` if a key is
    missing."""
    found: set[str] = set()
    seen: set[str] = set()
    waiting = set(named)
    for _round in range(_ROUNDS):
        asked, waiting = waiting - seen, set()
        seen |= asked
        for entry in _entries(connection, asked, ring):
            found.add(f"{_OURS}{entry.logical_id}")
            waiting.update(_own(entry.members))
    return frozenset(found)


def _entries(connection: Connection, paths: Iterable[str], ring: KeyRing) -> Iterator[ResultEntry]:
    context = Context(root=connection.endpoint.fhir_base_url)
    mine = Record.objects.filter(user_id=connection.user_id, connection_id=connection.pk, resource_type=_OBSERVATION)
    asked = sorted(path.removeprefix(_OURS) for path in paths)
    for start in range(0, len(asked), _AT_ONCE):
        for record in mine.filter(logical_id__in=asked[start : start + _AT_ONCE]):
            body = bodies.find_of(record, ring)
            if body is None:
                continue
            named = {"resource_type": _OBSERVATION, "logical_id": record.logical_id}
            resource, entry = presenting.present(body, **named, context=context)
            subject = subjects.subject_of(resource, resource_type=_OBSERVATION)
            if isinstance(entry, ResultEntry) and subject is subjects.RESULTS:
                yield entry
