"""What every presented resource has, whatever its subject and FHIR version.

A presenter turns one resource into one frozen struct that extends `Entry`. It guesses nothing and never raises; what is
odd or missing is left out. All values are plain (text, numbers, tuples, further structs), so that a shelf can hold them
sealed. Only the provider's own words are in a human language; the rest are codes, which pages put into words.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TypeAlias

import msgspec

from apps.records.presenters import elements
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.elements import Element

NOT_GIVEN = "not-given"  # the status and group of an entry whose status is missing or unknown
UNLISTED = "unlisted"  # the group of entries that are in no list of their subject: drafts


class Code(msgspec.Struct, frozen=True, gc=False):
    """One coding as sent; any part can be empty."""

    system: str = ""
    code: str = ""
    display: str = ""


class Doubt(msgspec.Struct, frozen=True, gc=False):
    """A reason to doubt an entry: `kind` is a word of a closed vocabulary (`observations.doubts`), and `of` names the
    result or sample concerned, if there is one to name."""

    kind: str
    of: str = ""


class Entry(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One line of a list, and the head of an entry's own page.

    `title` is what the provider calls it (text, else the first display), or empty: never a type, a code or an id.
    `codes` serve to find a plain name, and to tell whether two providers mean the same. `when` is the date by which the
    subject is sorted. `status` and `group` are words of the subject's own closed vocabularies, or NOT_GIVEN. `people`
    are names as sent. `said` is the provider's free text, `narrative` the narrative as plain text. `language` is the
    language of the provider's words, if it was sent. `is_modified`: something may change the meaning of the entry; it
    is in `doubts` or, if these are empty, at the beginning of `said`.
    """

    resource_type: str = ""
    logical_id: str = ""
    title: str = ""
    codes: tuple[Code, ...] = ()
    when: When = UNDATED
    status: str = NOT_GIVEN
    group: str = NOT_GIVEN
    people: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    narrative: str = ""
    language: str = ""
    is_withdrawn: bool = False  # entered in error: the provider says that this was never true
    is_withheld: bool = False  # masked, or without any content: the provider hides its details
    is_modified: bool = False
    doubts: tuple[Doubt, ...] = ()
    is_known_absence: bool = False  # a statement that there is nothing of its kind: "no known allergies"
    says_no_information: bool = False  # the provider says that it has no information about things of this kind


@dataclass(frozen=True)
class Context:
    """What a presenter needs beside a resource: the resources to which it may refer, by `Type/id`, and whose it is.

    `birth_date` turns an age into a date for sorting. `root` is the FHIR base URL from which the resource came, and
    `patient` is the logical id there of the patient in whose record it is, if known. `today` decides what is still to
    come; without it, nothing is.
    """

    others: Mapping[str, Element] = field(default_factory=dict)
    birth_date: date | None = None
    root: str = ""
    patient: str = ""
    today: date | None = None

    def find(self, reference: object, *, within: Element) -> Element:
        """The target of a Reference, or of its text: a resource contained in `within`, or one of `others`. Empty if it
        is neither. A reference to another root never matches, even if it ends with the same type and id."""
        written = elements.shown(reference) if isinstance(reference, str) else elements.text(reference, "reference")
        if written.startswith("#"):
            contained = elements.children(within, "contained")
            wanted = written[1:]  # some servers write the # before the contained resource's id, too
            return next((part for part in contained if elements.text(part, "id").removeprefix("#") == wanted != ""), {})
        return self.others.get(self.path_of(written), {})

    def path_of(self, written: str) -> str:
        """`Type/id` of a reference's target at this root, without its version. For another root, or if our own root is
        not known, the whole address, which matches nothing here."""
        unversioned = written.partition("/_history/")[0]
        parts = unversioned.split("/")
        root = "/".join(parts[:-2])
        return "/".join(parts[-2:]) if not root or self.is_own(root) else unversioned

    def is_own(self, address: str) -> bool:
        """Whether this is the root from which the resource came, in upper or lower case: servers that are asked for /r4
        link to /R4 (facts 1.1)."""
        return bool(self.root) and address.rstrip("/").lower() == self.root.rstrip("/").lower()


Present: TypeAlias = Callable[[Element, Context], Entry]
