"""Streaming the files of an export, and resuming a transfer that broke off."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from apps.wire.bulk import following_redirects
from apps.wire.bulk.manifest import ListedFile, Manifest
from apps.wire.errors import Code, UnexpectedAnswer
from apps.wire.fhir import FhirServer
from apps.wire.secret import Secret
from apps.wire.transport import STALLED_SECONDS, Stream

_ACCEPT = "application/fhir+ndjson"
_PIECE_BYTES = 1_048_576
_STALLED_SECONDS = 4 * STALLED_SECONDS  # the same rate as for other streams, whose pieces are a fourth as large
_STRONG = re.compile(r'"[\x21\x23-\x7e]{0,200}"')
_NOTHING_LEFT = re.compile(r"bytes \*/([0-9]{1,15})")
_CONTENT_RANGE = re.compile(r"bytes ([0-9]{1,15})-([0-9]{1,15})/([0-9]{1,15}|\*)")


@dataclass(frozen=True)
class Rest:
    """The part of a file that is here already: so many bytes of the representation whose ETag is `validator`."""

    received_bytes: int
    validator: str


@dataclass(frozen=True)
class Arriving:
    """A file on its way. The first piece belongs at byte `starts_at` of it: where the rest begins, or 0.

    `validator` is empty if the transfer cannot be resumed: the server sent no usable ETag, or compressed the file.
    """

    starts_at: int
    validator: str
    stream: Stream | None = field(repr=False)  # None if nothing is missing any more

    def pieces(self) -> Iterator[bytes]:
        """The same as `transport.Stream.pieces`, but larger pieces."""
        if self.stream is None:
            return iter(())
        return self.stream.pieces(piece_bytes=_PIECE_BYTES, stalled_seconds=_STALLED_SECONDS)


@contextmanager
def opening(
    server: FhirServer,
    manifest: Manifest,
    file: ListedFile,
    *,
    access_token: Secret,
    rest: Rest | None = None,
    is_plain: bool = False,
) -> Iterator[Arriving]:
    """The file; with `rest` only what is missing, if the server supports that.

    It comes compressed (gzip) unless `is_plain` is set: only an uncompressed transfer can be resumed. The token is sent
    only if the list says that it is needed. If it is, and the file is at another origin than the FHIR base URL, raises
    ForeignAddress before anything is sent. Raises other errors of `errors`.
    """
    if manifest.requires_access_token:
        following_redirects.check_home(server, file.url)
    headers = {"Accept": _ACCEPT}
    if rest is not None or is_plain:
        headers["Accept-Encoding"] = "identity"
    if rest is not None:
        headers |= {"Range": f"bytes={rest.received_bytes}-", "If-Range": rest.validator}
    token = access_token if manifest.requires_access_token else None
    with following_redirects.asking(server, file.url, access_token=token, headers=headers) as answer:
        if answer.status == 206 and rest is not None:
            yield Arriving(_checked_start(answer, rest), rest.validator, answer)
        elif answer.status == 416 and rest is not None and _has_all(answer, rest):
            yield Arriving(rest.received_bytes, rest.validator, None)
        elif answer.status == 200:
            yield Arriving(0, _validator(answer), answer)
        else:
            raise following_redirects.refusal(answer)


def _checked_start(answer: Stream, rest: Rest) -> int:
    """Where the part begins. Refuses a part that is not the requested one or is from another version of the file, and
    one that ends before the file does, which RFC 9110 section 15.3.7 allows: it would pass for the rest."""
    found = _CONTENT_RANGE.fullmatch(answer.header("Content-Range").strip())
    is_same = answer.header("ETag") in {"", rest.validator} and not _is_encoded(answer)
    if found is None or int(found[1]) != rest.received_bytes or not is_same or not _is_to_the_end(found):
        raise UnexpectedAnswer(code=Code.MALFORMED_RESPONSE, status=206)
    return rest.received_bytes


def _is_to_the_end(found: re.Match[str]) -> bool:
    return found[3] == "*" or int(found[2]) + 1 == int(found[3])


def _has_all(answer: Stream, rest: Rest) -> bool:
    """Whether the file has exactly as many bytes as are here already (RFC 9110 section 15.5.17)."""
    found = _NOTHING_LEFT.fullmatch(answer.header("Content-Range").strip())
    return found is not None and int(found[1]) == rest.received_bytes


def _validator(answer: Stream) -> str:
    """Its strong ETag (RFC 9110 section 13.1.5), if the server sends parts, and counts the bytes that we store."""
    etag = answer.header("ETag")
    takes_parts = answer.header("Accept-Ranges").strip().lower() != "none"
    return etag if takes_parts and _STRONG.fullmatch(etag) and not _is_encoded(answer) else ""


def _is_encoded(answer: Stream) -> bool:
    return answer.header("Content-Encoding").strip().lower() not in {"", "identity"}
