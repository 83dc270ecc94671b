"""What a file is, in words: never a media type, and never "unknown"."""

from django.utils.translation import gettext

from apps.records.attachments.sniffing import SUFFIXES, FileType, Form
from apps.records.viewing.wording import file_kinds


def kind(file_type: FileType) -> str:
    """The kind of file."""
    if file_type.form is Form.PICTURE:
        return gettext("Picture")
    if file_type.form is Form.PDF:
        return gettext("PDF document")
    if file_type.form is not Form.OTHER:
        return gettext("Text")
    named = (file_kinds.of(name) for name, suffix in SUFFIXES.items() if suffix == file_type.suffix)
    return next(named, "") or gettext("File for another program")


def saving(file_type: FileType) -> str:
    """The words on the button that saves it."""
    return gettext("Save the text") if file_type.suffix == "txt" else gettext("Save the file")


def short() -> str:
    """The remark at the end of a text that is smaller than its record says."""
    return gettext("This file may be incomplete: less came than the provider said.")


def damaged() -> str:
    """The remark at the end of a text whose document is damaged or incomplete."""
    return gettext("Part of this file is damaged or missing. What we could read is here.")


def cut() -> str:
    """The remark at the end of a text that was cut."""
    return gettext("The file is longer. The rest is not in this text.")


def gaps() -> str:
    """The remark at the end of a text in which something was crossed out."""
    return gettext("Words that the author crossed out are left out. […] shows where they were.")


def hidden() -> str:
    """The remark at the end of a text whose document has parts that its readers do not see."""
    return gettext("The document hides some of its text from every reader. That text is not here.")


def marks() -> str:
    """The remark at the end of a text whose document has a form."""
    return gettext(
        "There is a form in this text. [x] marks what is chosen, [ ] what is not, and ____ what is left empty."
    )


def pictures() -> str:
    """The remark at the end of a text whose document has pictures."""
    return gettext("The document has pictures. They are not in this text.")


def captions() -> str:
    """The remark at the end of a text in which words replace pictures."""
    return gettext("The document has pictures. They are not in this text. What it says about them is in [ ].")


def nothing() -> str:
    """The words under the name of an empty section."""
    return gettext("Nothing is written here.")
