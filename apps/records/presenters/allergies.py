"""An AllergyIntolerance of either FHIR version (facts 1.6, patient experience 3.2).

DSTU2 has one `status`; R4 has `clinicalStatus` and `verificationStatus`. How serious a reaction could be (criticality)
and how bad past ones were (severity) are two facts, and neither implies the other. An entry without a status counts as
current: overlooking an allergy does more harm than showing one too many.
"""

from collections.abc import Mapping
from enum import StrEnum
from itertools import islice

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from apps.records.presenters import elements, naming
from apps.records.presenters.absences import Absence, known_absence, says_no_information
from apps.records.presenters.annotations import notes
from apps.records.presenters.datatypes import moments
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN, Context, Entry
from apps.records.presenters.heads import head, mapped, status_codes

_MOST = 50  # reactions of one allergy; more can only be an error


class Status(StrEnum):
    """The status of an allergy on the provider's list."""

    ON_LIST = "on-list"
    NOT_CONFIRMED = "not-confirmed"
    INACTIVE = "inactive"
    RESOLVED = "resolved"
    RULED_OUT = "ruled-out"
    NOT_GIVEN = NOT_GIVEN


class Group(StrEnum):
    """The groups, in the order of the page. The last two are for entries that say there is no allergy, or no
    information."""

    CURRENT = "current"
    PAST = "past"
    RULED_OUT = "ruled-out"
    NONE_KNOWN = "none-known"
    NO_INFORMATION = "no-information"


class Criticality(StrEnum):
    """How bad a reaction could become, which is not how bad one was."""

    COULD_BE_SERIOUS = "could-be-serious"
    LOW_RISK = "low-risk"
    RISK_NOT_KNOWN = "risk-not-known"
    NOT_GIVEN = NOT_GIVEN


class Category(StrEnum):
    """What kind of substance it is."""

    MEDICINE = "medicine"
    FOOD = "food"
    ENVIRONMENT = "environment"
    BIOLOGIC = "biologic"
    OTHER = "other"


class Kind(StrEnum):
    """An allergy, or a bad reaction that is not an allergy."""

    ALLERGY = "allergy"
    INTOLERANCE = "intolerance"
    NOT_GIVEN = NOT_GIVEN


class Severity(StrEnum):
    """How bad a reaction was."""

    MILD = "mild"
    MODERATE = "moderate"
    SEVERE = "severe"
    NOT_GIVEN = NOT_GIVEN


class Certainty(StrEnum):
    """How certain it is that the substance caused a reaction (in DSTU2 only)."""

    UNLIKELY = "unlikely"
    LIKELY = "likely"
    CONFIRMED = "confirmed"
    NOT_GIVEN = NOT_GIVEN


class Reaction(msgspec.Struct, frozen=True, gc=False):
    """One reaction. Manifestations, substance and route are in the provider's words."""

    manifestations: tuple[str, ...] = ()
    severity: Severity = Severity.NOT_GIVEN
    certainty: Certainty = Certainty.NOT_GIVEN
    when: When = UNDATED
    substance: str = ""
    route: str = ""
    said: tuple[str, ...] = ()


class AllergyHead(Entry, frozen=True, kw_only=True, gc=False):
    """What the head of a page shows of each allergy, of which there may be a hundred: about a third of an
    `AllergyEntry`, with the same fields."""

    absence: Absence | None = None


class AllergyEntry(Entry, frozen=True, kw_only=True, gc=False):
    """An allergy or reaction, or a statement that there is none; then `absence` says of what.

    `when` is when it was written down, else when it was noticed. `recorder` wrote it down, `asserter` stated it;
    `is_patient_asserted`: the patient stated it.
    """

    status: Status = Status.NOT_GIVEN
    group: Group = Group.CURRENT
    is_confirmed: bool = False
    criticality: Criticality = Criticality.NOT_GIVEN
    kind: Kind = Kind.NOT_GIVEN
    categories: tuple[Category, ...] = ()
    reactions: tuple[Reaction, ...] = ()
    noticed: When = UNDATED
    last_reaction: When = UNDATED
    written_down: When = UNDATED
    recorder: str = ""
    asserter: str = ""
    is_patient_asserted: bool = False
    absence: Absence | None = None

    @property
    def rank(self) -> int:
        """The order within a group: what could be serious, then medicines, foods, and the rest; A to Z in each."""
        if self.criticality is Criticality.COULD_BE_SERIOUS:
            return 0
        ranks = (
            rank for rank, kind in enumerate((Category.MEDICINE, Category.FOOD), start=1) if kind in self.categories
        )
        return next(ranks, 3)


_STATUSES = {
    "active": Status.ON_LIST,
    "confirmed": Status.ON_LIST,
    "unconfirmed": Status.NOT_CONFIRMED,
    "inactive": Status.INACTIVE,
    "resolved": Status.RESOLVED,
    "refuted": Status.RULED_OUT,
}
_GROUPS = {Status.INACTIVE: Group.PAST, Status.RESOLVED: Group.PAST, Status.RULED_OUT: Group.RULED_OUT}
_CRITICALITIES = {
    "critl": Criticality.LOW_RISK,
    "crith": Criticality.COULD_BE_SERIOUS,
    "critu": Criticality.RISK_NOT_KNOWN,
    "low": Criticality.LOW_RISK,  # the codes of R4, which some DSTU2 servers send, too
    "high": Criticality.COULD_BE_SERIOUS,
    "unable-to-assess": Criticality.RISK_NOT_KNOWN,
}
_CATEGORIES = {
    "medication": Category.MEDICINE,
    "food": Category.FOOD,
    "environment": Category.ENVIRONMENT,
    "biologic": Category.BIOLOGIC,
    "other": Category.OTHER,
}


def present(resource: Element, context: Context) -> AllergyEntry:
    """Read an AllergyIntolerance of either FHIR version."""
    concept = resource.get("code") or resource.get("substance")
    top = head(resource, concept)
    if top["is_withdrawn"]:
        return AllergyEntry(**top)
    status = _status(resource)
    group = _GROUPS.get(status, Group.CURRENT)
    if top["is_withheld"]:  # its details are hidden, but its status may say that it is past
        return AllergyEntry(**top, status=status, group=group)
    absence = known_absence(top["codes"], top["title"]) if group is Group.CURRENT else None
    no_information = group is Group.CURRENT and says_no_information(top["codes"])
    noticed = moments.read(resource, "onset", means="noticed", birth_date=context.birth_date)
    written_down = moments.read(resource, "recordedDate", "assertedDate", means="written-down")
    recorder, asserter = _names(resource, context)
    return AllergyEntry(
        **top,
        when=written_down or noticed or written_down,
        status=status,
        group=_group_of_none(group, absence, says_nothing=no_information),
        people=tuple(dict.fromkeys(filter(None, (recorder, asserter)))),
        said=notes(resource, "note"),
        is_known_absence=absence is not None,
        says_no_information=no_information,
        is_confirmed="confirmed" in _all_codes(resource),
        criticality=mapped(resource, "criticality", _CRITICALITIES) or Criticality.NOT_GIVEN,
        kind=mapped(resource, "type", {kind.value: kind for kind in (Kind.ALLERGY, Kind.INTOLERANCE)})
        or Kind.NOT_GIVEN,
        categories=_categories(resource),
        reactions=_reactions(resource, context),
        noticed=noticed,
        last_reaction=moments.read(resource, "lastOccurrence", "lastOccurence", means="noticed"),  # DSTU2's spelling
        written_down=written_down,
        recorder=recorder,
        asserter=asserter,
        is_patient_asserted=any(naming.is_patient(elements.child(resource, who)) for who in ("asserter", "reporter")),
        absence=absence,
    )


def _all_codes(resource: Element) -> tuple[str, ...]:
    names = ("status", "clinicalStatus", "verificationStatus")
    return tuple(code for name in names for code in status_codes(resource, name))


def _status(resource: Element) -> Status:
    """The status. "Ruled out" takes precedence. "Not confirmed" counts only if the allergy may be current: an old
    allergy is past, whether or not it was confirmed."""
    codes = _all_codes(resource)
    if "refuted" in codes:
        return Status.RULED_OUT
    clinical = (*status_codes(resource, "clinicalStatus"), *status_codes(resource, "status"))
    status = next((_STATUSES[code] for code in clinical if code in _STATUSES), Status.NOT_GIVEN)
    return Status.NOT_CONFIRMED if status in {Status.ON_LIST, Status.NOT_GIVEN} and "unconfirmed" in codes else status


def _group_of_none(group: Group, absence: Absence | None, *, says_nothing: bool) -> Group:
    if absence is not None:
        return Group.NONE_KNOWN
    return Group.NO_INFORMATION if says_nothing else group


def _categories(resource: Element) -> tuple[Category, ...]:
    found = (_CATEGORIES[code] for code in status_codes(resource, "category") if code in _CATEGORIES)
    return tuple(dict.fromkeys(found))


_NO_REACTION = Reaction(when=When(means="noticed"))


def _reactions(resource: Element, context: Context) -> tuple[Reaction, ...]:
    read = (_reaction(sent, context) for sent in elements.children(resource, "reaction"))
    return tuple(islice((reaction for reaction in read if reaction != _NO_REACTION), _MOST))


def _reaction(sent: Element, context: Context) -> Reaction:
    severities = {severity.value: severity for severity in list(Severity)[:3]}
    certainties = {certainty.value: certainty for certainty in list(Certainty)[:3]}
    description = elements.text(sent, "description")
    return Reaction(
        manifestations=naming.titles(sent, "manifestation"),
        severity=mapped(sent, "severity", severities) or Severity.NOT_GIVEN,
        certainty=mapped(sent, "certainty", certainties) or Certainty.NOT_GIVEN,
        when=moments.read(sent, "onset", means="noticed", birth_date=context.birth_date),
        substance=next(iter(naming.titles(sent, "substance")), ""),
        route=next(iter(naming.titles(sent, "exposureRoute")), ""),
        said=tuple(dict.fromkeys(filter(None, (description, *notes(sent, "note"))))),
    )


def _names(resource: Element, context: Context) -> tuple[str, str]:
    recorder = naming.name_of(resource.get("recorder"), context, within=resource)
    asserter = resource.get("asserter") or resource.get("reporter")
    return recorder, naming.name_of(asserter, context, within=resource)


STATUS_WORDS: Mapping[Status, str | Promise] = {
    Status.ON_LIST: _("On the list of %(provider)s"),
    Status.NOT_CONFIRMED: _("On the list, not confirmed"),
    Status.INACTIVE: _("No longer active"),
    Status.RESOLVED: _("No longer a problem"),
    Status.RULED_OUT: pgettext_lazy("an allergy", "Ruled out"),
    Status.NOT_GIVEN: _("Status not given"),
}
GROUP_WORDS: Mapping[Group, str | Promise] = {
    Group.CURRENT: pgettext_lazy("heading", "Current"),
    Group.PAST: pgettext_lazy("heading", "Past"),
    Group.RULED_OUT: pgettext_lazy("allergies", "Ruled out"),
    Group.NONE_KNOWN: _("Recorded as having none"),
    Group.NO_INFORMATION: _("No information"),
}
CRITICALITY_WORDS: Mapping[Criticality, str | Promise] = {
    Criticality.COULD_BE_SERIOUS: _("Could be serious"),
    Criticality.LOW_RISK: _("Low risk of serious harm"),
    Criticality.RISK_NOT_KNOWN: _("Risk not known"),
    Criticality.NOT_GIVEN: "",
}
KIND_WORDS: Mapping[Kind, str | Promise] = {
    Kind.ALLERGY: _("Allergy"),
    Kind.INTOLERANCE: _("Intolerance (a bad reaction that is not an allergy)"),
    Kind.NOT_GIVEN: "",
}
CATEGORY_WORDS: Mapping[Category, str | Promise] = {
    Category.MEDICINE: _("Medicine"),
    Category.FOOD: _("Food"),
    Category.ENVIRONMENT: _("Environment"),
    Category.BIOLOGIC: _("Vaccine or other biological product"),
    Category.OTHER: _("Other"),
}
SEVERITY_WORDS: Mapping[Severity, str | Promise] = {
    Severity.MILD: _("Mild"),
    Severity.MODERATE: _("Moderate"),
    Severity.SEVERE: _("Severe"),
    Severity.NOT_GIVEN: "",
}
CERTAINTY_WORDS: Mapping[Certainty, str | Promise] = {
    Certainty.UNLIKELY: _("Unlikely"),
    Certainty.LIKELY: _("Likely"),
    Certainty.CONFIRMED: _("Confirmed"),
    Certainty.NOT_GIVEN: "",
}
