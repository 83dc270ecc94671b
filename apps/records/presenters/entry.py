"""What every presented resource has, whatever its subject and FHIR version.

A presenter turns one resource into one frozen struct that extends `Entry`. It guesses nothing and never raises; what
is odd or missing is left out. All values are plain (text, numbers, tuples, further structs), so that a shelf can
hold them sealed. Nothing is in words of a language yet, but for what the provider wrote: pages translate codes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TypeAlias

import msgspec

from apps.records.presenters import elements
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.elements import Element

NOT_GIVEN = "not-given"  # the status and the group of what has none, or one we do not know
UNLISTED = "unlisted"  # the group of what stands in no list of its subject: a draft


class Code(msgspec.Struct, frozen=True, gc=False):
    """One coding as sent; any part can be empty."""

    system: str = ""
    code: str = ""
    display: str = ""


class Doubt(msgspec.Struct, frozen=True, gc=False):
    """What speaks against an entry: a word of a closed vocabulary (`observations.doubts`), and what that is of, by
    name, where there is something to name."""

    kind: str
    of: str = ""


class Entry(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One line of a list, and the head of an entry's own page.

    `title` is what the provider calls it (text, else the first display), empty where nothing says it: never a type,
    a code or an id. `codes` serve to find a plain name, and to tell whether two providers mean the same. `when` is the
    date the subject is sorted by. `status` and `group` are words of the subject's own closed vocabularies or NOT_GIVEN.
    `people` are names as sent. `said` is the provider's free text, `narrative` its narrative as plain text.
    `language` is that of the provider's words, where it says one. `is_modified`: something may turn all of it around;
    that is in `doubts` or, where these are none, how `said` begins.
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
    is_withdrawn: bool = False  # entered in error: the provider says this never was
    is_withheld: bool = False  # masked, or without any content: the provider hides its details
    is_modified: bool = False
    doubts: tuple[Doubt, ...] = ()
    is_known_absence: bool = False  # no thing of its kind, but that there is none: "no known allergies"
    says_no_information: bool = False  # the provider says that it has no information about things of this kind


@dataclass(frozen=True)
class Context:
    """What a resource is read with: the resources it may refer to, by `Type/id`, and whose it is.

    `birth_date` turns an age into a date to sort by. `root` is the FHIR base URL it came from, and `patient` the
    logical id there of the patient whose record it is in, if known. `today` tells what is yet to come: without it,
    nothing is.
    """

    others: Mapping[str, Element] = field(default_factory=dict)
    birth_date: date | None = None
    root: str = ""
    patient: str = ""
    today: date | None = None

    def find(self, reference: object, *, within: Element) -> Element:
        """The resource that a Reference, or the text of one, means: contained in `within`, else one of the others;
        empty where it is neither. What stands at another root is never one of them, though it ends alike."""
        written = elements.shown(reference) if isinstance(reference, str) else elements.text(reference, "reference")
        if written.startswith("#"):
            contained = elements.children(within, "contained")
            wanted = written[1:]  # some write the mark before the id, too
            return next((part for part in contained if elements.text(part, "id").removeprefix("#") == wanted != ""), {})
        return self.others.get(self.path_of(written), {})

    def path_of(self, written: str) -> str:
        """`Type/id` of what the text of a reference means at this root, whichever version of it. Of another root, or of
        any where ours is not known, the whole address: that names nothing here."""
        unversioned = written.partition("/_history/")[0]
        parts = unversioned.split("/")
        root = "/".join(parts[:-2])
        return "/".join(parts[-2:]) if not root or self.is_own(root) else unversioned

    def is_own(self, address: str) -> bool:
        """Whether that is the root it came from: servers that are asked for /r4 link to /R4 (facts 1.1)."""
        return bool(self.root) and address.rstrip("/").lower() == self.root.rstrip("/").lower()


Present: TypeAlias = Callable[[Element, Context], Entry]
