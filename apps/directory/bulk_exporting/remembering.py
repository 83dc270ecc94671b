"""The state of an export that is stored in its folder: what was requested, how far it got, and its files."""

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
# The names that `listings` makes. Nothing else is accepted, even if somebody edited the state.
_NAME = re.compile(r"(?:deleted\.|error\.)?[A-Z][A-Za-z]{0,63}\.[0-9]{4,5}\.ndjson")
_KEY = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Wish:
    """What to export: everybody in the group; all types that the provider allows, or those named; and since when, as a
    FHIR instant, empty for everything."""

    endpoint_url: str
    group_id: str
    types: tuple[str, ...] = ()
    since: str = ""


@dataclass(frozen=True)
class Listing:
    """One file: `key` identifies it in a later manifest, `name` is its name here."""

    key: str
    name: str
    count: int | None

    def __post_init__(self) -> None:
        """Raises ValueError for a name that could lead out of the folder, or overwrite another file."""
        is_count = self.count is None or (type(self.count) is int and self.count >= 0)
        if not (is_count and _NAME.fullmatch(self.name) and _KEY.fullmatch(self.key)):
            raise ValueError("no file of an export")


@dataclass(frozen=True)
class Job:
    """`status_url` is empty before the provider accepted the export and after it was deleted there; `files` are known
    once it is complete, as of `transaction_time`. `asked_at` is when it was requested, until a response is stored:
    meanwhile the provider may have an export that we cannot name."""

    wish: Wish
    asked_at: str = ""
    status_url: str = field(default="", repr=False)
    transaction_time: str = ""
    files: tuple[Listing, ...] = ()
    is_finished: bool = False

    def to_state(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Job":
        """From JSON. Raises NotExported for what this release did not write."""
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
        """With the files of the provider's manifest; those known before keep their names.

        Raises NotExported if the manifest differs from the earlier one: the files here might not belong to it.
        """
        found = listings(manifest.files)
        if not self.files:
            return replace(self, transaction_time=manifest.transaction_time, files=found)
        before = {(one.key, one.count) for one in self.files}
        if self.transaction_time != manifest.transaction_time or before != {(one.key, one.count) for one in found}:
            raise NotExported(Reason.CHANGED)
        return self


def listings(files: Sequence[ListedFile]) -> tuple[Listing, ...]:
    """The name of each file here: its type, and its number among those of its type. Types that differ only in case are
    counted as one, because some file systems do not distinguish them."""
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
    """Each file, in order, by a digest of its URL; of its path only, if that distinguishes all files, because
    signatures in the query differ in each manifest."""
    paths = [_path(file.url) for file in files]
    telling = paths if len(set(paths)) == len(files) else [file.url for file in files]
    return {hashlib.sha256(one.encode()).hexdigest(): file for one, file in zip(telling, files, strict=True)}


def _path(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"
