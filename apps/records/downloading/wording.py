"""What a file is, in words: never a media type, and never "unknown"."""

from django.utils.translation import gettext

from apps.records.downloading.sniffing import Form, Sort


def kind(sort: Sort) -> str:
    """The kind of file."""
    if sort.form is Form.PICTURE:
        return gettext("Picture")
    if sort.form is Form.PDF:
        return gettext("PDF document")
    if sort.form is not Form.OTHER:
        return gettext("Text")
    return _others().get(sort.suffix) or gettext("File for another program")


def saving(sort: Sort) -> str:
    """What the button says that saves it."""
    return gettext("Save the text") if sort.suffix == "txt" else gettext("Save the file")


def cut() -> str:
    """What a text that was cut ends with."""
    return gettext("The file is longer. The rest is not in this text.")


def gaps() -> str:
    """What a text ends with that lacks what was crossed out in it."""
    return gettext("Words that the author crossed out are left out. […] stands in their place.")


def _others() -> dict[str, str]:
    return {
        "doc": gettext("Word document"),
        "docx": gettext("Word document"),
        "xls": gettext("Spreadsheet"),
        "xlsx": gettext("Spreadsheet"),
        "dcm": gettext("Medical image (DICOM)"),
        "zip": gettext("Packed files (ZIP)"),
        "mp3": gettext("Sound recording"),
        "wav": gettext("Sound recording"),
        "mp4": gettext("Video"),
        "bmp": gettext("Picture"),
        "webp": gettext("Picture"),
    }
