"""What a file is, by its content: what a server or a resource calls it is only a hint.

Nothing but a picture or a PDF keeps a media type of its own. Text of any kind is told on our page as text. Everything
else is bytes that nobody opens here.
"""

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class Form(StrEnum):
    """What we do with it."""

    TEXT = "text"
    MARKUP = "markup"  # HTML, XHTML and any XML but the next
    CLINICAL_DOCUMENT = "clinical-document"
    RICH_TEXT = "rich-text"
    PDF = "pdf"
    PICTURE = "picture"
    OTHER = "other"


@dataclass(frozen=True)
class Sort:
    """A form, the media type it is handed out with, and the end of a file name."""

    form: Form
    media_type: str
    suffix: str


READABLE = frozenset({Form.TEXT, Form.MARKUP, Form.CLINICAL_DOCUMENT, Form.RICH_TEXT})

_BYTES = "application/octet-stream"
SEALED_DOCUMENT = Sort(Form.OTHER, _BYTES, "xml")  # a clinical document around a file that cannot be taken out
_PDF = Sort(Form.PDF, "application/pdf", "pdf")
_PICTURES = (
    (b"\x89PNG\r\n\x1a\n", Sort(Form.PICTURE, "image/png", "png")),
    (b"\xff\xd8\xff", Sort(Form.PICTURE, "image/jpeg", "jpg")),
    (b"GIF87a", Sort(Form.PICTURE, "image/gif", "gif")),
    (b"GIF89a", Sort(Form.PICTURE, "image/gif", "gif")),
    (b"II*\x00", Sort(Form.PICTURE, "image/tiff", "tif")),
    (b"MM\x00*", Sort(Form.PICTURE, "image/tiff", "tif")),
)
# Ends of names by what a file is said to be; all are handed out as bytes.
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
_LOOKED_THROUGH = 200_000  # for what a document is: a long remark may stand before it
_LONGEST_CHARACTER = 4
_WIDE = ("utf-16", "utf-32")
_WIDE_MARKS = (  # the longer ones first: one begins as a shorter one does
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE_UNMARKED = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
_FEWEST_WIDE = 4  # characters, to be told from bytes that happen to have zeros between them
# Python's, for names of hosts and for programs: no document is written so, and the first takes seconds for a megabyte.
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
# As browsers read them: who names these writes as Windows does.
_MEANT = {"ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254"}
_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,60}/[a-z0-9][a-z0-9!#$&^_.+-]{0,80}")


def media_type(written: object) -> str:
    """The media type alone, in lower case and without its parameters; empty for what is none."""
    name = written.partition(";")[0].strip().lower() if isinstance(written, str) else ""
    return name if _MEDIA_TYPE.fullmatch(name) else ""


def charset(written: object) -> str:
    """The character set that a content type names, or none."""
    found = re.search(r";\s*charset=\"?([\w.:-]{1,40})", written, re.IGNORECASE) if isinstance(written, str) else None
    return found[1] if found else ""


def sort_of(content: bytes, *, declared: object) -> Sort:
    """What this content is; `declared` is what its resource calls it."""
    beginning = content[:_LOOKED_AT]
    if b"%PDF-" in content[:1024]:
        return _PDF
    for mark, sort in _PICTURES:
        if content.startswith(mark):
            return sort
    if content.startswith(_GZIP):
        return Sort(Form.OTHER, _BYTES, "gz")
    name = media_type(declared)
    if _RICH_TEXT.match(beginning):
        return Sort(Form.RICH_TEXT, "text/plain", "txt")
    is_text = not _NO_TEXT.search(beginning) and (name not in SUFFIXES or _MARKUP.match(beginning))
    if _wide(beginning) or is_text or (name in _TEXTS and _is_text_with_specks(beginning)):
        return Sort(_form_of_text(content), "text/plain", "txt")
    return Sort(Form.OTHER, _BYTES, SUFFIXES.get(name, "bin"))


def _is_text_with_specks(beginning: bytes) -> bool:
    """Whether nearly all of it is plain letters: some programs leave zeros, or marks for a printer, in a text."""
    specks, plain = len(_NO_TEXT.findall(beginning)), len(_PLAIN.findall(beginning))
    return specks * 10 <= len(beginning) <= plain * 1.2


def is_page_instead(content: bytes, *, declared: object) -> bool:
    """Whether a page of HTML came where a picture, a PDF or another closed kind was said to be: a sign-in page, say."""
    name = media_type(declared)
    is_closed = name == "application/pdf" or name in SUFFIXES or name.startswith(("image/", "audio/", "video/"))
    return is_closed and bool(_HTML.search(content[:_LOOKED_AT])) and bool(_MARKUP.match(content[:_LOOKED_AT]))


def beginning(content: bytes, *, most: int) -> bytes:
    """At most so many bytes of it, and no half of a character of UTF-8 at the end: the whole would be read as if it
    were something else."""
    end = min(most, len(content))
    while end and len(content) - end and most - end < _LONGEST_CHARACTER and content[end] & 0xC0 == 0x80:
        end -= 1
    return content[:end]


def decoded(content: bytes, *, declared: object) -> str:
    """Its text: by its byte-order mark or by its zeros, as UTF-8, as what is declared, as its own beginning says, and
    else as Windows writes it."""
    if wide := _wide(content):
        return content.decode(wide, "replace")
    for name in ("utf-8-sig", charset(declared), _own_word(content)):
        try:
            known = codecs.lookup(name or "none").name
            # What is none of the wide ones by its bytes is none, whatever it calls itself.
            if known not in _NO_CHARSETS and not known.startswith(_WIDE):
                return str(content, _MEANT.get(known, known))
        except (LookupError, ValueError):  # a charset nobody knows, or another one
            continue
    return content.decode("cp1252", "replace")


def _own_word(content: bytes) -> str:
    """The character set that XML or HTML names in its own beginning, or none."""
    found = _OWN_WORD.search(content[:_LOOKED_AT])
    return (found[1] or found[2]).decode() if found else ""


def _wide(content: bytes) -> str:
    """Which of UTF-16 and UTF-32 it is written in, by its byte-order mark or by where its zeros stand; empty for none.

    A declared charset adds nothing: it names no order of bytes, and often is that of another file.
    """
    for mark, name in _WIDE_MARKS:
        if content.startswith(mark):
            return name
    beginning = content[:_LOOKED_AT]
    return next((name for name in _WIDE_UNMARKED if _reads_as(beginning, name)), "")


def _reads_as(beginning: bytes, name: str) -> bool:
    """Whether it is text in this encoding, most of it letters that English has."""
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
