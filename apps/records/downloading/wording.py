"""What a file is, in words: never a media type, and never "unknown"."""

from django.utils.translation import gettext

from apps.records.downloading.sniffing import SUFFIXES, Form, Sort
from apps.records.viewing.wording import file_kinds


def kind(sort: Sort) -> str:
    """The kind of file."""
    if sort.form is Form.PICTURE:
        return gettext("Picture")
    if sort.form is Form.PDF:
        return gettext("PDF document")
    if sort.form is not Form.OTHER:
        return gettext("Text")
    named = (file_kinds.of(name) for name, suffix in SUFFIXES.items() if suffix == sort.suffix)
    return next(named, "") or gettext("File for another program")


def saving(sort: Sort) -> str:
    """What the button says that saves it."""
    return gettext("Save the text") if sort.suffix == "txt" else gettext("Save the file")


def short() -> str:
    """What a text ends with of which less came than its record says there is."""
    return gettext("This file may be incomplete: less came than the provider said.")


def damaged() -> str:
    """What a text ends with of whose document a part is damaged or missing."""
    return gettext("Part of this file is damaged or missing. What we could read is here.")


def cut() -> str:
    """What a text that was cut ends with."""
    return gettext("The file is longer. The rest is not in this text.")


def gaps() -> str:
    """What a text ends with that lacks what was crossed out in it."""
    return gettext("Words that the author crossed out are left out. […] shows where they were.")


def hidden() -> str:
    """What a text ends with that has parts which no reader of the document sees."""
    return gettext("The document hides some of its text from every reader. That text is not here.")


def marks() -> str:
    """What a text ends with whose document has a form."""
    return gettext(
        "There is a form in this text. [x] marks what is chosen, [ ] what is not, and ____ what is left empty."
    )


def pictures() -> str:
    """What a text ends with whose document has pictures."""
    return gettext("The document has pictures. They are not in this text.")


def captions() -> str:
    """The same of one that says in words what they show."""
    return gettext("The document has pictures. They are not in this text. What it says about them is in [ ].")


def nothing() -> str:
    """What stands under the name of a section that says nothing."""
    return gettext("Nothing is written here.")
