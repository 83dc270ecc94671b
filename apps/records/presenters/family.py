"""A FamilyMemberHistory of either FHIR version: what one relative had (patient experience 3.10).

We conclude nothing from it. `name` is the relative's name, which shares do not show.
"""

from enum import StrEnum

import msgspec

from apps.records.presenters import elements
from apps.records.presenters.annotations import notes
from apps.records.presenters.codeable_concepts import codes_of, first_name, title_of
from apps.records.presenters.datatypes import moments
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN, Code, Context, Entry
from apps.records.presenters.heads import head, status_codes
from apps.records.presenters.naming import reasons
from apps.records.presenters.persons.patient import SEX_WORDS
from apps.records.presenters.persons.relatives import RELATIVES

_MOST = 50
_DECEASED = ("deceasedBoolean", "deceasedAge", "deceasedQuantity", "deceasedRange", "deceasedDate", "deceasedString")


class Status(StrEnum):
    """How complete the history is."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    NOT_KNOWN = "not-known"


class Life(StrEnum):
    """Whether the relative is alive."""

    LIVING = "living"
    DIED = "died"


_STATUSES = {"partial": Status.PARTIAL, "completed": Status.COMPLETE, "health-unknown": Status.NOT_KNOWN}


class RelativesCondition(msgspec.Struct, frozen=True, gc=False):
    """What the relative had. `outcome` is in the provider's words, such as a permanent disability."""

    title: str = ""
    codes: tuple[Code, ...] = ()
    onset: When = UNDATED
    outcome: str = ""
    led_to_death: bool = False
    said: tuple[str, ...] = ()


class FamilyEntry(Entry, frozen=True, kw_only=True, gc=False):
    """One relative. `title` is the relationship in the provider's words; without these, it is empty if `relative` is
    our word for the code, and else the relative's name. `age` is the relative's age when this was written down.
    `missing_because` says why the history is not complete."""

    relative: str = NOT_GIVEN
    name: str = ""
    sex: str = ""
    conditions: tuple[RelativesCondition, ...] = ()
    life: str = NOT_GIVEN
    died: When = UNDATED
    age: When = UNDATED
    is_age_estimated: bool = False
    missing_because: str = ""
    born: When = UNDATED
    reasons: tuple[str, ...] = ()


def present(resource: Element, context: Context) -> FamilyEntry:
    """Read a FamilyMemberHistory. The patient's birth date does not tell when a relative was ill, so it is not used."""
    heading = head(resource, elements.child(resource, "relationship"))
    if heading["is_withdrawn"] or heading["is_withheld"]:
        return FamilyEntry(**heading)
    name = elements.text(resource, "name")
    codes = status_codes(resource, "relationship")
    relative = next((RELATIVES[code] for code in codes if code in RELATIVES), NOT_GIVEN)
    if relative == NOT_GIVEN:
        heading["title"] = first_name((heading["title"], name))
    status = next((_STATUSES[code] for code in status_codes(resource, "status") if code in _STATUSES), NOT_GIVEN)
    age = moments.read(resource, "age", means="recorded")
    return FamilyEntry(
        **heading,
        when=moments.read(resource, "date", means="written-down"),
        status=status,
        relative=relative,
        said=notes(resource, "note"),
        name=name,
        sex=_sex(resource),
        conditions=tuple(filter(lambda found: found.title, map(_condition, _conditions(resource))))[:_MOST],
        life=_life(resource, lives=bool(age)),
        died=moments.read(resource, "deceased", means="ended"),
        age=age,
        is_age_estimated=bool(age) and elements.flag(resource, "estimatedAge") is True,
        missing_because=elements.words(resource.get("dataAbsentReason")),
        born=moments.read(resource, "born", means="born"),
        reasons=reasons(resource, context, ("reasonCode",), ("reasonReference",)),
    )


def _conditions(resource: Element) -> list[Element]:
    return list(elements.children(resource, "condition"))[: _MOST * 2]


def _condition(sent: Element) -> RelativesCondition:
    concept = elements.child(sent, "code")
    return RelativesCondition(
        title=title_of(concept),
        codes=codes_of(concept),
        onset=moments.read(sent, "onset", means="started"),
        outcome=title_of(elements.child(sent, "outcome")),
        led_to_death=elements.flag(sent, "contributedToDeath") is True,
        said=notes(sent, "note"),
    )


def _sex(resource: Element) -> str:
    """The relative's sex: a code that we know, else the provider's words. DSTU2 has a code, R4 a concept with the same
    codes (administrative-gender)."""
    codes = (*status_codes(resource, "gender"), *status_codes(resource, "sex"))
    return next((code for code in codes if code in SEX_WORDS), title_of(resource.get("sex")) or next(iter(codes), ""))


def _life(resource: Element, *, lives: bool) -> str:
    """Whether the relative is alive. Only living relatives have an age (FamilyMemberHistory.age in both versions)."""
    is_alive = elements.flag(resource, "deceasedBoolean") is False
    if is_alive or (lives and not any(name in resource for name in _DECEASED)):
        return Life.LIVING
    said = (resource.get(name) for name in _DECEASED)
    return Life.DIED if any(said) else NOT_GIVEN
