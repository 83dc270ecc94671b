"""The kind of a file in words: never a media type, and never "unknown" (patient experience 3.8)."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from django.template.defaultfilters import filesizeformat
from django.utils.functional import Promise
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from apps.records.presenters.attachments import File

_KINDS: Final[Mapping[str, str | Promise]] = {
    "application/pdf": _("PDF document"),
    "application/msword": _("Word document"),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": _("Word document"),
    "application/vnd.ms-excel": _("Spreadsheet"),
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": _("Spreadsheet"),
    "application/dicom": _("Medical image (DICOM)"),
    "application/zip": _("Packed files (ZIP)"),
    "application/rtf": _("Text"),
    "application/xml": _("Text"),
    "application/xhtml+xml": _("Text"),
    "application/hl7-v3+xml": _("Text"),
}
_FAMILIES: Final[Mapping[str, str | Promise]] = {
    "text": _("Text"),
    "image": _("Picture"),
    "audio": _("Sound recording"),
    "video": _("Video"),
}


def of(media_type: str, language: str = "") -> str:
    """The kind of a file with this media type; empty if we have no words for it. `language` is the reader's, for
    callers that look it up once for many files."""
    name = media_type.partition(";")[0].strip().lower()
    family = name.partition("/")[0]
    known = name if name in _KINDS else family if family in _FAMILIES else ""
    return _in_words(known, language or get_language() or "") if known else ""


@cache
def _in_words(known: str, _language: str) -> str:
    """Cached, since every row of a list needs one; the words reveal nothing about anybody."""
    return str(_KINDS.get(known) or _FAMILIES[known])


def of_files(files: Sequence[File], language: str = "") -> str:
    """The kinds of these files, each once; for a single file also its size, if that was sent. `language` is as in
    `of`."""
    kinds = dict.fromkeys(filter(None, [of(file.described.media_type, language) for file in files]))
    size = files[0].described.size if len(files) == 1 else 0
    return ", ".join((*kinds, *((filesizeformat(size),) if size else ())))
