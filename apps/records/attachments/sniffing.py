"""What a file is, by its content: the media type from a server or a resource is only a hint.

Only pictures and PDFs keep their media type. Text of any kind is shown on our page as plain text. Everything else is
bytes that we do not open.
"""

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class Form(StrEnum):
    """The form of a file, which decides what we do with it."""

    TEXT = "text"
    MARKUP = "markup"  # HTML, XHTML, and any XML that is not a clinical document
    CLINICAL_DOCUMENT = "clinical-document"
    RICH_TEXT = "rich-text"
    PDF = "pdf"
    PICTURE = "picture"
    OTHER = "other"


@dataclass(frozen=True)
class FileType:
    """A form, the media type with which the file is sent to browsers, and the suffix of its name."""

    form: Form
    media_type: str
    suffix: str


READABLE = frozenset({Form.TEXT, Form.MARKUP, Form.CLINICAL_DOCUMENT, Form.RICH_TEXT})

_BYTES = "application/octet-stream"
SEALED_DOCUMENT = FileType(Form.OTHER, _BYTES, "xml")  # a clinical document with a file that cannot be taken out
_PDF = FileType(Form.PDF, "application/pdf", "pdf")
_PICTURES = (
    (b"\x89PNG\r\n\x1a\n", FileType(Form.PICTURE, "image/png", "png")),
    (b"\xff\xd8\xff", FileType(Form.PICTURE, "image/jpeg", "jpg")),
    (b"GIF87a", FileType(Form.PICTURE, "image/gif", "gif")),
    (b"GIF89a", FileType(Form.PICTURE, "image/gif", "gif")),
    (b"II*\x00", FileType(Form.PICTURE, "image/tiff", "tif")),
    (b"MM\x00*", FileType(Form.PICTURE, "image/tiff", "tif")),
)
# Suffixes by declared media type; all of these files are sent to browsers as bytes.
SUFFIXES: Mapping[str, str] = MappingProxyType(
    {
        "application/msword": "doc",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
        "application/vnd.ms-excel": "xls",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
        "application/dicom": "dcm",
        "application/zip": "zip",
        "application/gzip": "gz",
        "application/x-gzip": "gz",
        "audio/mpeg": "mp3",
        "audio/wav": "wav",
        "video/mp4": "mp4",
        "image/bmp": "bmp",
        "image/webp": "webp",
    }
)
_TEXTS = frozenset(
    {
        "text/plain",
        "text/html",
        "text/xml",
        "text/csv",
        "application/xml",
        "application/xhtml+xml",
        "application/hl7-v3+xml",
    }
)
_GZIP = b"\x1f\x8b\x08"
_LOOKED_AT = 4096
_LOOKED_THROUGH = 200_000  # bytes searched for the kind of document: a long comment may come first
_LONGEST_CHARACTER = 4
_WIDE = ("utf-16", "utf-32")
_WIDE_MARKS = (  # the longer ones first: one of them begins like a shorter one
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE_UNMARKED = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
_FEWEST_WIDE = 4  # characters: fewer may be bytes that happen to have zeros between them
# Python's codecs for host names and programs. No document uses them, and "idna" takes seconds for a megabyte.
_NO_CHARSETS = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape"})
_MARKUP = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*<(?:\?xml|!doctype|!--|[a-zA-Z])", re.IGNORECASE)
_PLAIN = re.compile(rb"[\t\n\r\x20-\x7e]")
_RICH_TEXT = re.compile(rb"(?:\xef\xbb\xbf)?\s*+\{\\rtf")
_CLINICAL_DOCUMENT = re.compile(rb"<(?:[\w.-]{1,40}:)?ClinicalDocument[\s>]")
_HTML = re.compile(rb"<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE)
_NO_TEXT = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f]")
_OWN_WORD = re.compile(
    rb"""<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})|<meta\s[^>]{0,200}?charset\s*=\s*["']?([\w.:-]{1,40})""",
    re.IGNORECASE,
)
# Like browsers, we read these names as the encodings of Windows, which their authors nearly always mean.
_MEANT = {"ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254"}
_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,60}/[a-z0-9][a-z0-9!#$&^_.+-]{0,80}")


def media_type(written: object) -> str:
    """The media type alone, in lower case and without its parameters; empty if it is not one."""
    name = written.partition(";")[0].strip().lower() if isinstance(written, str) else ""
    return name if _MEDIA_TYPE.fullmatch(name) else ""


def charset(written: object) -> str:
    """The character set that a content type names; empty if it names none."""
    found = re.search(r";\s*charset=\"?([\w.:-]{1,40})", written, re.IGNORECASE) if isinstance(written, str) else None
    return found[1] if found else ""


def type_of(content: bytes, *, declared: object) -> FileType:
    """The type of this content; `declared` is the media type in its resource."""
    beginning = content[:_LOOKED_AT]
    if b"%PDF-" in content[:1024]:
        return _PDF
    for mark, file_type in _PICTURES:
        if content.startswith(mark):
            return file_type
    if content.startswith(_GZIP):
        return FileType(Form.OTHER, _BYTES, "gz")
    name = media_type(declared)
    if _RICH_TEXT.match(beginning):
        return FileType(Form.RICH_TEXT, "text/plain", "txt")
    is_text = not _NO_TEXT.search(beginning) and (name not in SUFFIXES or _MARKUP.match(beginning))
    if _wide(beginning) or is_text or (name in _TEXTS and _is_text_with_specks(beginning)):
        return FileType(_form_of_text(content), "text/plain", "txt")
    return FileType(Form.OTHER, _BYTES, SUFFIXES.get(name, "bin"))


def _is_text_with_specks(beginning: bytes) -> bool:
    """Whether nearly all of it is plain text: some programs leave zeros or printer controls in a text."""
    specks, plain = len(_NO_TEXT.findall(beginning)), len(_PLAIN.findall(beginning))
    return specks * 10 <= len(beginning) <= plain * 1.2


def is_page_instead(content: bytes, *, declared: object) -> bool:
    """Whether an HTML page, such as a sign-in page, came in place of a declared picture, PDF or other binary file."""
    name = media_type(declared)
    is_closed = name == "application/pdf" or name in SUFFIXES or name.startswith(("image/", "audio/", "video/"))
    return is_closed and bool(_HTML.search(content[:_LOOKED_AT])) and bool(_MARKUP.match(content[:_LOOKED_AT]))


def beginning(content: bytes, *, most: int) -> bytes:
    """At most the first `most` bytes, without an incomplete UTF-8 character at the end: because of that, the whole
    would be read in another encoding."""
    end = min(most, len(content))
    while end and len(content) - end and most - end < _LONGEST_CHARACTER and content[end] & 0xC0 == 0x80:
        end -= 1
    return content[:end]


def decoded(content: bytes, *, declared: object) -> str:
    """The text of a file. Its encoding is UTF-16 or UTF-32 by its byte-order mark or its zeros; else the first of these
    that fits: UTF-8, the declared one, the one that its beginning names; else that of Windows."""
    if wide := _wide(content):
        return content.decode(wide, "replace")
    for name in ("utf-8-sig", charset(declared), _own_word(content)):
        try:
            known = codecs.lookup(name or "none").name
            # A text that is not UTF-16 or UTF-32 by its bytes is not, whatever its declaration says.
            if known not in _NO_CHARSETS and not known.startswith(_WIDE):
                return str(content, _MEANT.get(known, known))
        except (LookupError, ValueError):  # an unknown charset, or the wrong one
            continue
    return content.decode("cp1252", "replace")


def _own_word(content: bytes) -> str:
    """The character set that XML or HTML names at its beginning; empty if it names none."""
    found = _OWN_WORD.search(content[:_LOOKED_AT])
    return (found[1] or found[2]).decode() if found else ""


def _wide(content: bytes) -> str:
    """The variant of UTF-16 or UTF-32, by the byte-order mark or the positions of zeros; empty if it is neither.

    A declared charset would not help: it does not name the byte order, and is often wrong.
    """
    for mark, name in _WIDE_MARKS:
        if content.startswith(mark):
            return name
    beginning = content[:_LOOKED_AT]
    return next((name for name in _WIDE_UNMARKED if _reads_as(beginning, name)), "")


def _reads_as(beginning: bytes, name: str) -> bool:
    """Whether it is text in this encoding, with mostly ASCII characters."""
    if b"\x00" not in beginning:
        return False
    try:
        text = codecs.getincrementaldecoder(name)().decode(beginning)
    except UnicodeDecodeError:
        return False
    plain = sum(" " <= letter <= "~" or letter in "\t\r\n" for letter in text)
    return len(text) >= _FEWEST_WIDE and plain * 2 > len(text) and not _NO_TEXT.search(text.encode(errors="replace"))


def _form_of_text(content: bytes) -> Form:
    looked_through = content[:_LOOKED_THROUGH]
    if wide := _wide(content):
        looked_through = looked_through.decode(wide, "replace").encode()
    if _RICH_TEXT.match(looked_through):
        return Form.RICH_TEXT
    if not _MARKUP.match(looked_through):
        return Form.TEXT
    return Form.CLINICAL_DOCUMENT if _CLINICAL_DOCUMENT.search(looked_through) else Form.MARKUP
