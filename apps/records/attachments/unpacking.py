"""Files that came packed: by gzip (RFC 1952), or as an HTML page with all its resources (MHT, RFC 2557).

A file that cannot be unpacked completely stays as it is, so that another program can open it and nothing is lost. Each
file is unpacked only once, and parts within parts are not.
"""

import base64
import binascii
import re
import zlib
from collections.abc import Iterator, Mapping
from itertools import islice, zip_longest
from typing import Final, NamedTuple

from apps.records.attachments import sniffing
from apps.records.attachments.sniffing import Form

MOST_BYTES: Final = 20_000_000  # the same limit as for files that are not packed

_GZIP: Final = b"\x1f\x8b\x08"
_ANY_GZIP: Final = 31  # zlib's `wbits` for gzip, with the longest window
_PACKINGS: Final = frozenset({"application/gzip", "application/x-gzip"})  # these types do not say what is within
_IS_HTML: Final = "<!doctype html>"
_LONGEST_HEAD: Final = 8192
_MOST_PARTS: Final = 500
_HEADER: Final = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*+(?:[A-Za-z][A-Za-z0-9-]{0,60}:[^\r\n]*+(?:\r?\n[ \t][^\r\n]*+)*+(?:\r?\n|\Z))++"
)
_EMPTY_LINE: Final = re.compile(rb"\r?\n|\Z")
_FIELD: Final = re.compile(rb"([A-Za-z0-9-]++):([^\r\n]*+(?:\r?\n[ \t][^\r\n]*+)*+)")
_PARAMETER: Final = re.compile(r""";\s*+([a-z]++)\s*+=\s*+(?:"([^"]*+)"|([^\s";]++))""", re.IGNORECASE)


class Unpacked(NamedTuple):
    """A file, its declared type, and whether we know that it is not whole."""

    content: bytes
    declared: object
    is_damaged: bool = False


class _Part(NamedTuple):
    fields: Mapping[str, str]
    content: bytes

    @property
    def media_type(self) -> str:
        return sniffing.media_type(self.fields.get("content-type"))

    def parameter(self, name: str) -> str:
        """A parameter of the part's content type; empty if it is missing."""
        said = _PARAMETER.findall(self.fields.get("content-type", ""))
        return next((quoted or plain for key, quoted, plain in said if key.lower() == name), "")


def unpacked(content: bytes, *, declared: object) -> Unpacked:
    """The file within this one, or this one, if it is not packed or cannot be unpacked completely."""
    found = _gunzipped(content, declared) if content.startswith(_GZIP) else Unpacked(content, declared)
    return _page(found.content) or found


def _gunzipped(content: bytes, declared: object) -> Unpacked:
    """The file within gzip. A file that was declared as gzip stays packed if it is for another program, since only its
    packed form has a suffix that says what it is."""
    unpacker = zlib.decompressobj(_ANY_GZIP)
    try:
        found = unpacker.decompress(content, MOST_BYTES + 1)
    except zlib.error:
        return Unpacked(content, declared)
    is_whole = unpacker.eof and not unpacker.unused_data.strip(b"\0") and len(found) <= MOST_BYTES
    is_packing = sniffing.media_type(declared) in _PACKINGS
    within = "" if is_packing else declared
    if not is_whole or (is_packing and sniffing.type_of(found, declared=within).form is Form.OTHER):
        return Unpacked(content, declared)
    return Unpacked(found, within)


def _page(content: bytes) -> Unpacked | None:
    """The HTML pages of an MHT file, one after the other. None if it is not MHT, if its pages cannot be read, or if it
    has a PDF beside them."""
    whole = _part(content)
    if whole is None or whole.media_type != "multipart/related" or "mime-version" not in whole.fields:
        return None
    pages, is_whole = list[str](), True
    for part in _parts(whole):
        if part is None:
            is_whole = False
        elif part.media_type == "application/pdf":
            return None
        elif part.media_type == "text/html":
            written = _decoded(part)
            if written is None:
                return None
            pages.append(sniffing.decoded(written, declared=part.fields.get("content-type")))
    if not pages:
        return None
    page = "\n".join((_IS_HTML, *pages))  # so that it is recognized as HTML, whatever it begins with
    return Unpacked(page.encode(errors="replace"), "text/html; charset=utf-8", not is_whole)


def _part(content: bytes) -> _Part | None:
    """A part, with its header; None if it has none."""
    header = _HEADER.match(content[:_LONGEST_HEAD])
    empty_line = _EMPTY_LINE.match(content, header.end()) if header is not None else None
    if header is None or empty_line is None:
        return None
    fields: dict[str, str] = {}
    for name, value in _FIELD.findall(header[0]):
        fields.setdefault(name.decode().lower(), " ".join(value.decode("latin-1").split()))
    return _Part(fields, content[empty_line.end() :])


def _parts(whole: _Part) -> Iterator[_Part | None]:
    """The parts between the boundaries; None for one that is not a part, and at the end if the last boundary is missing
    or comes too late."""
    boundary = re.escape(whole.parameter("boundary").encode("latin-1"))
    mark = re.compile(rb"(?:\A|\r?\n)--%b(--)?[ \t]*+(?=\r?\n|\Z)" % boundary)
    marks = list(islice(mark.finditer(whole.content), _MOST_PARTS)) if boundary else []
    for begun, ended in zip_longest(marks, marks[1:]):
        if begun[1]:
            return
        yield _part(whole.content[begun.end() : ended.start() if ended else len(whole.content)])
    yield None


def _decoded(part: _Part) -> bytes | None:
    """The content without its transfer encoding; None if it cannot be decoded."""
    coding = part.fields.get("content-transfer-encoding", "").lower()
    if coding == "quoted-printable":
        return binascii.a2b_qp(part.content)
    if coding != "base64":
        return part.content
    try:
        return base64.b64decode(b"".join(part.content.split()), validate=True)
    except (binascii.Error, ValueError):
        return None
