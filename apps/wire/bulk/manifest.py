"""The list of files that a finished export answers with, and what we refuse of it (Bulk Data Access, "Response -
Complete Status")."""

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from apps.wire import datetimes, fhir
from apps.wire.addresses import check_address
from apps.wire.bundles import RESOURCE_TYPE
from apps.wire.errors import Code, UnexpectedAnswer

MOST_FILES = 10_000
MOST_BYTES = 10_000_000
_MOST_LINES = 10**12
_OK = 200


class FileList(StrEnum):
    """Under which member of the list a file stands."""

    OUTPUT = "output"
    DELETED = "deleted"
    ERROR = "error"


@dataclass(frozen=True)
class ListedFile:
    """One file. `count` is how many lines the provider says it has; None where it does not say."""

    kind: FileList
    resource_type: str
    url: str = field(repr=False)
    count: int | None


@dataclass(frozen=True)
class Manifest:
    """`transaction_time` is an instant, as it was written: the export holds what was known until then."""

    transaction_time: str
    requires_access_token: bool
    files: tuple[ListedFile, ...]


def read_manifest(body: bytes, server: fhir.FhirServer) -> Manifest:
    """The list, every address of it judged before any is asked.

    Raises UnexpectedAnswer for what is no such list or goes on elsewhere, UnsafeAddress for a file at an address that
    we do not connect to, and ForeignAddress for one that wants our token anywhere but below the FHIR base URL.
    """
    listed = _object(body)
    needs_token = listed.get("requiresAccessToken", True)  # absent: then the token goes where it may go anyhow
    at = listed.get("transactionTime")
    if not isinstance(needs_token, bool) or not _is_instant(at) or "link" in listed:
        raise _malformed()
    files = tuple(file for kind in FileList for file in _files(listed.get(kind.value), kind))
    if len(files) > MOST_FILES:
        raise UnexpectedAnswer(code=Code.TOO_LARGE, status=_OK)
    if len({file.url for file in files}) < len(files):
        raise _malformed()
    for file in files:
        check_address(file.url, server.policy)
        if needs_token:
            fhir.check_below(server, file.url)
    return Manifest(str(at), needs_token, files)


def _object(body: bytes) -> dict[str, Any]:
    try:
        listed = json.loads(body.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        listed = None
    if not isinstance(listed, dict):
        raise UnexpectedAnswer(code=Code.UNREADABLE, status=_OK)
    return listed


def _files(listed: Any, kind: FileList) -> list[ListedFile]:
    if listed is None and kind is not FileList.OUTPUT:
        return []
    if not isinstance(listed, list):
        raise _malformed()
    return [_file(one, kind) for one in listed]


def _file(one: Any, kind: FileList) -> ListedFile:
    if not isinstance(one, dict):
        raise _malformed()
    name, url, count = one.get("type"), one.get("url"), one.get("count")
    if name is None and kind is not FileList.OUTPUT:
        name = "OperationOutcome" if kind is FileList.ERROR else "Bundle"
    if not isinstance(name, str) or not RESOURCE_TYPE.fullmatch(name) or not isinstance(url, str):
        raise _malformed()
    is_count = isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= _MOST_LINES
    if count is not None and not is_count:
        raise _malformed()
    return ListedFile(kind, name, url, count)


def _is_instant(at: Any) -> bool:
    written = datetimes.parse(at)
    return written is not None and written.precision is datetimes.Precision.MOMENT


def _malformed() -> UnexpectedAnswer:
    return UnexpectedAnswer(code=Code.MALFORMED_RESPONSE, status=_OK)
