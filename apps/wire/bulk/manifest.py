"""The list of the files of a finished export, and what we refuse in it (Bulk Data Access, "Response - Complete
Status").

A list may be continued on another page, to which a link leads, and which repeats everything else (the same,
"manifest-link"). Servers should do that only for clients that request it. We do not, but we understand such a list.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from apps.wire import datetimes
from apps.wire.addresses import check_address
from apps.wire.bulk import following_redirects
from apps.wire.bundles import RESOURCE_TYPE
from apps.wire.errors import Code, UnexpectedAnswer
from apps.wire.fhir import FhirServer

MOST_FILES = 10_000
MOST_BYTES = 10_000_000
MOST_PAGES = 1_000
_MOST_LINES = 10**12
_OK = 200


class FileList(StrEnum):
    """The member of the list in which a file is."""

    OUTPUT = "output"
    DELETED = "deleted"
    ERROR = "error"


@dataclass(frozen=True)
class ListedFile:
    """One file. `count` is the number of its lines according to the provider; None if it does not say."""

    kind: FileList
    resource_type: str
    url: str = field(repr=False)
    count: int | None


@dataclass(frozen=True)
class Manifest:
    """`transaction_time` is an instant, as it was written but without spaces around it: the export contains what was
    known until then. `next_url` is the address of the next page of the list, or empty."""

    transaction_time: str
    requires_access_token: bool
    files: tuple[ListedFile, ...]
    next_url: str = field(default="", repr=False)


def read_manifest(body: bytes, server: FhirServer) -> Manifest:
    """Read the list, or a page of it, and check all its addresses before any is requested.

    Raises UnexpectedAnswer if it is no such list, UnsafeAddress if we would not connect to the address of a file or
    page, and ForeignAddress if a file needs our token and is at another origin than the FHIR base URL.
    """
    listed = _object(body)
    needs_token = listed.get("requiresAccessToken", True)  # without it, the token is sent to our origin only, as always
    at = listed.get("transactionTime")
    if not isinstance(needs_token, bool) or not _is_instant(at):
        raise _malformed()
    files = tuple(file for kind in FileList for file in _files(listed.get(kind.value), kind))
    _check_all(files)
    for file in files:
        check_address(file.url, server.policy)
        if needs_token:
            following_redirects.check_home(server, file.url)
    next_url = _next_url(listed.get("link"))
    if next_url:
        check_address(next_url, server.policy)
    return Manifest(str(at).strip(), needs_token, files, next_url)


def joined(list_so_far: Manifest, page: Manifest) -> Manifest:
    """The list with one more page. Files of errors may be listed on each page, and are taken once.

    Raises UnexpectedAnswer if the two do not belong together, or have too many files.
    """
    if (page.transaction_time, page.requires_access_token) != (
        list_so_far.transaction_time,
        list_so_far.requires_access_token,
    ):
        raise _malformed()
    known = {file.url for file in list_so_far.files if file.kind is FileList.ERROR}
    more = [file for file in page.files if file.kind is not FileList.ERROR or file.url not in known]
    files = (*list_so_far.files, *more)
    _check_all(files)
    return replace(page, files=files)


def _check_all(files: Sequence[ListedFile]) -> None:
    if len(files) > MOST_FILES:
        raise UnexpectedAnswer(code=Code.TOO_LARGE, status=_OK)
    if len({file.url for file in files}) < len(files):
        raise _malformed()


def _next_url(links: Any) -> str:
    """The address of the next page; empty if there is none."""
    if links is None:
        return ""
    if not isinstance(links, list) or not all(isinstance(link, dict) for link in links):
        raise _malformed()
    found = [link.get("url") for link in links if link.get("relation") == "next"]
    if len(found) > 1 or not all(isinstance(url, str) and url for url in found):
        raise _malformed()
    return found[0] if found else ""


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
