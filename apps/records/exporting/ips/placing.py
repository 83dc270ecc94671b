"""Entries that belong to a section of their own, whatever subject the record's pages list them under.

Codes are from LOINC (https://loinc.org; (c) Regenstrief Institute, used under its license); first those to which the
guide binds the section.
"""

from collections.abc import Iterable
from typing import Final

from apps.records.presenters import plain_names
from apps.records.presenters.documents import DocumentEntry
from apps.records.presenters.entry import Code, Entry

_DELIVERY: Final = frozenset({"11778-8", "11779-6", "11780-4"})  # when the child is expected
_PREGNANT: Final = frozenset({"82810-3", "8665-2", *_DELIVERY})  # whether somebody is; the last period before
_PREGNANCY: Final = frozenset(
    {
        *_PREGNANT,
        "11612-9", "11613-7", "11614-5", "11636-8", "11637-6", "11638-4", "11639-2", "11640-0", "33065-4",
        "11996-6", "11977-6",  # numbers of pregnancies and births
    }
)  # fmt: skip
_DIRECTIVES: Final = frozenset(
    {
        "42348-3", "75320-2", "81334-5", "86533-7", "64298-3", "92664-2",  # what somebody wants, or who decides
        "84095-9", "78823-2", "93037-0", "100821-8",  # a doctor's orders about that
    }
)  # fmt: skip


def anywhere(entry: Entry) -> bool:
    """Whether the entry belongs to the section of its subject, having no section of its own."""
    return not is_of_pregnancy(entry)


def is_of_pregnancy(entry: Entry) -> bool:
    """Whether it says that somebody is pregnant, until when, or how pregnancies ended."""
    return entry.resource_type == "Observation" and _is_coded(entry.codes, _PREGNANCY)


def is_of_now(entry: Entry) -> bool:
    """Whether it says that somebody is or is not pregnant, which holds for some months at most."""
    return is_of_pregnancy(entry) and _is_coded(entry.codes, _PREGNANT)


def is_of_a_delivery(entry: Entry) -> bool:
    """Whether it says when a child is expected."""
    return is_of_pregnancy(entry) and _is_coded(entry.codes, _DELIVERY)


def is_alert(entry: Entry) -> bool:
    """Whether it is a warning that a provider wants everybody to see first."""
    return entry.resource_type == "Flag"


def is_directive(entry: Entry) -> bool:
    """Whether it is a document about what somebody wants done or not done when they cannot say so."""
    return isinstance(entry, DocumentEntry) and _is_coded((*entry.codes, *entry.category_codes), _DIRECTIVES)


def _is_coded(codes: Iterable[Code], known: frozenset[str]) -> bool:
    return any(plain_names.is_loinc(code) and code.code in known for code in codes)
