"""A card to print and carry: what people who have never seen the record must know about one person
(patient experience 3.10).

Allergies and devices as they are now, and current medicines if the reader wants them; where each comes from, how
current it is, and what may be missing. Each person has their own card: an allergy of one must not be read as another's.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Final
from uuid import UUID

from apps.connections.authorization_responses.candidates import Candidate
from apps.directory.models import Provider
from apps.records.presenters import allergies, devices
from apps.records.presenters.devices import DeviceEntry
from apps.records.presenters.entry import Entry
from apps.records.presenters.generic import statuses
from apps.records.presenters.generic.any_resource import GenericEntry
from apps.records.presenters.medicines import medications
from apps.records.shelving import reading
from apps.records.shelving.arranging import Arrangement
from apps.records.shelving.reading import Shelved
from apps.records.subjects import ALLERGIES, DEVICES, MEDICINES, Subject
from apps.records.viewing import facts, what_matters
from apps.records.viewing.facts import Fact, lines
from apps.records.viewing.listing import absences, folding, rows
from apps.records.viewing.listing.absences import Notice
from apps.records.viewing.listing.rows import Row
from apps.records.viewing.opening.whole import Owner, Source, Whole
from apps.records.viewing.wording import cautions

SUBJECTS: Final = (ALLERGIES, DEVICES, MEDICINES)  # in the order of the card
USUAL: Final = (ALLERGIES, DEVICES)
_MOST: Final = 200  # entries read per subject
_FITTING: Final = 40  # things per subject on a card
_DEVICE_FACTS: Final = ("scanner", "scanner_too", "latex", "safety", "model", "maker", "serial", "lot", "expires")


@dataclass(frozen=True)
class Item:
    """One thing that somebody carries, takes or reacts to. A device has `facts`, its identifier in `groups`, and a
    `caution` if its meaning may be changed."""

    row: Row
    caution: str = ""
    facts: tuple[Fact, ...] = ()
    groups: tuple[str, ...] = ()
    is_device: bool = False


@dataclass(frozen=True)
class Part:
    """One subject on the card. `left_out` is how many more there are; `sentences` are what providers say in place of
    entries, and `notices` what may be missing."""

    subject: Subject
    items: tuple[Item, ...]
    left_out: bool
    sentences: tuple[str, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True)
class Clinic:
    """A provider of something on the card, and where to reach it, as far as our directory knows."""

    name: str
    city: str
    state: str
    website: str

    @property
    def place(self) -> str:
        """Where it is; empty if that is not known."""
        return ", ".join(filter(None, (self.city, self.state)))


@dataclass(frozen=True)
class Card:
    """`people` is one person, repeated if providers name them differently. `owners` are several if this reader has
    records of several people, and `owner` is the one whose card it is. `lacks_some` if some entries do not open."""

    people: tuple[Candidate, ...]
    parts: tuple[Part, ...]
    sources: tuple[Source, ...]
    owners: tuple[Owner, ...]
    owner: Owner | None
    clinics: tuple[Clinic, ...]
    lacks_some: bool


def of(whole: Whole, wanted: Iterable[Subject], *, owner: UUID | None) -> Card:
    """The card of the person whose record that connection has; of the first person if the connection is not this
    reader's. One query per subject, and three more. Raises Outdated if a shelf was rebuilt meanwhile, and
    VaultError."""
    owners = whole.owners
    chosen = whole.owner_by(owner) or next(iter(owners), None)
    theirs = whole if chosen is None else whole.of_one_person(chosen.connection_id)
    chosen_subjects = [subject for subject in SUBJECTS if subject in set(wanted)]
    missing = absences.of_each(theirs, chosen_subjects)
    parts = tuple(_part(theirs, subject, missing[subject.key]) for subject in chosen_subjects)
    return Card(
        people=theirs.people,
        parts=parts,
        sources=tuple(theirs.sources_of(chosen_subjects).values()),
        owners=owners,
        owner=chosen,
        clinics=_clinics(theirs.sources.values()),
        lacks_some=theirs.does_not_open or theirs.lacks_some,
    )


def _clinics(sources: Iterable[Source]) -> tuple[Clinic, ...]:
    """Those that can be found, by name. One query."""
    providers = Provider.objects.filter(pk__in={source.connection.provider_id for source in sources})
    told = (Clinic(*row) for row in providers.order_by("name", "pk").values_list("name", "city", "state", "website"))
    return tuple(clinic for clinic in told if clinic.place or clinic.website)


def _part(whole: Whole, subject: Subject, missing: Iterable[Notice]) -> Part:
    read = [one for one in _read(whole, subject) if one.entry is None or _MAY_HOLD[subject.key](one.entry.group)]
    found = [one for one in read if one.entry is None or _holds(one.entry)]
    paired = rows.paired(found, whole.sources, at=whole.at, on_paper=True)
    if subject is DEVICES:
        items = tuple(_device(one, row) for one, row in paired)
    else:
        items = tuple(Item(row) for row in folding.fold(paired))
    said = what_matters.allergies_of(whole).sentences if subject is ALLERGIES else ()
    return Part(
        subject=subject,
        items=items[:_FITTING],
        left_out=len(items) > _FITTING or _held(whole, subject, _MAY_HOLD[subject.key]) > len(read),
        sentences=said,
        notices=tuple(notice.text for notice in missing),
    )


def _read(whole: Whole, subject: Subject) -> Sequence[Shelved]:
    """The beginning of its list; the group of current entries comes first."""
    shelves = [shelf for shelf in whole.of(subject) if shelf.index is not None]
    most = min(_held(whole, subject, lambda _group: True), _MOST)
    return reading.window(shelves, {subject.key: Arrangement.LISTED}, 0, most, whole.ring) if most else ()


def _held(whole: Whole, subject: Subject, is_counted: Callable[[str], bool]) -> int:
    """How many entries the shelves hold in these groups."""
    groups = (shelf.index.groups.items() for shelf in whole.of(subject) if shelf.index is not None)
    return sum(count for group, count in chain.from_iterable(groups) if is_counted(group))


# By subject, the groups that may be current. That includes medicines that were only reported: some providers send no
# others. It also includes devices of unknown use, with a note that says so: they may be in somebody's body.
_MAY_HOLD: Final[Mapping[str, Callable[[str], bool]]] = MappingProxyType(
    {
        ALLERGIES.key: lambda group: group == allergies.Group.CURRENT,
        DEVICES.key: lambda group: group not in {devices.Status.NOT_IN_USE, statuses.Group.PAST},
        MEDICINES.key: lambda group: group in {medications.Group.CURRENT, medications.Group.REPORTED},
    }
)


def _holds(entry: Entry) -> bool:
    """Whether it is current. Not if it says that there is none, or that a device is no longer used, or not yet
    (DeviceUseStatement)."""
    if isinstance(entry, GenericEntry) and entry.status in {statuses.Status.DONE, statuses.Status.PLANNED}:
        return False
    return not entry.is_known_absence and not entry.says_no_information


def _device(shelved: Shelved, row: Row) -> Item:
    entry = shelved.entry
    if not isinstance(entry, DeviceEntry) or entry.is_withheld:
        return Item(row)
    return Item(row, cautions.of(entry), tuple(_facts(entry)), entry.udi_groups, is_device=True)


def _facts(entry: DeviceEntry) -> Iterator[Fact]:
    """The facts of a label; a model that is also the name is not repeated."""
    for name in _DEVICE_FACTS:
        value = getattr(entry, name)
        said = () if value == entry.title else lines.of(value)
        if said:
            yield Fact(facts.label_of(entry, name), said)
