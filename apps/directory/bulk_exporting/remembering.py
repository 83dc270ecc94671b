"""What an export keeps of itself in its folder: what was asked for, where it stands, and which files it is made of."""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from apps.directory.bulk_exporting.refusals import NotExported, Reason
from apps.wire.bulk.manifest import FileList, ListedFile, Manifest

_PREFIXES = {FileList.OUTPUT: "", FileList.DELETED: "deleted.", FileList.ERROR: "error."}
# What `listings` makes. Nothing else is a name here, whatever a state says that somebody changed.
_NAME = re.compile(r"(?:deleted\.|error\.)?[A-Z][A-Za-z]{0,63}\.[0-9]{4,5}\.ndjson")
_KEY = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Wish:
    """What to export: everybody in the group; all types that the provider gives, or those named; and since when, an
    instant as FHIR writes it, empty for all times."""

    endpoint_url: str
    group_id: str
    types: tuple[str, ...] = ()
    since: str = ""


@dataclass(frozen=True)
class Listing:
    """One file of it: `key` finds it again in a later list, `name` is what it is called here."""

    key: str
    name: str
    count: int | None

    def __post_init__(self) -> None:
        """Raises ValueError for what could lead out of the folder, or over another file of it."""
        is_count = self.count is None or (type(self.count) is int and self.count >= 0)
        if not (is_count and _NAME.fullmatch(self.name) and _KEY.fullmatch(self.key)):
            raise ValueError("no file of an export")


@dataclass(frozen=True)
class Job:
    """`status_url` is empty before the provider accepted it and after it was deleted there; `files` are known once it
    is done, as of `transaction_time`. `asked_at` is when it was asked for, as long as no answer to that is kept: the
    provider may then have an export of which we know nothing."""

    wish: Wish
    asked_at: str = ""
    status_url: str = field(default="", repr=False)
    transaction_time: str = ""
    files: tuple[Listing, ...] = ()
    is_finished: bool = False

    def to_state(self) -> dict[str, Any]:
        """As it is kept."""
        return asdict(self)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Job":
        """As it was kept. Raises NotExported for what this release did not write."""
        try:
            wish = dict(state["wish"])
            files = tuple(Listing(**one) for one in state["files"])
            if len({one.name for one in files}) < len(files) or len({one.key for one in files}) < len(files):
                raise NotExported(Reason.UNREADABLE_STATE)
            return cls(
                wish=Wish(**{**wish, "types": tuple(wish["types"])}),
                asked_at=str(state.get("asked_at", "")),
                status_url=str(state["status_url"]),
                transaction_time=str(state["transaction_time"]),
                files=files,
                is_finished=bool(state["is_finished"]),
            )
        except (KeyError, TypeError, ValueError):
            raise NotExported(Reason.UNREADABLE_STATE) from None

    def listed(self, manifest: Manifest) -> "Job":
        """With the files of the provider's list; those known before keep their names.

        Raises NotExported where the list is another one than before: what is here may then not fit to it.
        """
        found = listings(manifest.files)
        if not self.files:
            return replace(self, transaction_time=manifest.transaction_time, files=found)
        before = {(one.key, one.count) for one in self.files}
        if self.transaction_time != manifest.transaction_time or before != {(one.key, one.count) for one in found}:
            raise NotExported(Reason.CHANGED)
        return self


def listings(files: Sequence[ListedFile]) -> tuple[Listing, ...]:
    """What each file is called here: its type, and its number among those of its type. Types that differ in their
    capitals alone are counted as one: not every disk tells such names apart."""
    numbers: Counter[tuple[FileList, str]] = Counter()
    found = []
    for key, file in keyed(files).items():
        kind = file.kind, file.resource_type.lower()
        numbers[kind] += 1
        number = numbers[kind]
        name = f"{_PREFIXES[file.kind]}{file.resource_type}.{number:04d}.ndjson"
        found.append(Listing(key, name, file.count))
    return tuple(found)


def keyed(files: Sequence[ListedFile]) -> dict[str, ListedFile]:
    """Each file, in their order, behind a digest of its address: of its path alone where that tells all files apart,
    since what is signed changes with each list and stands behind it."""
    paths = [_path(file.url) for file in files]
    telling = paths if len(set(paths)) == len(files) else [file.url for file in files]
    return {hashlib.sha256(one.encode()).hexdigest(): file for one, file in zip(telling, files, strict=True)}


def _path(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"
