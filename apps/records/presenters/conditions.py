"""A Condition of either FHIR version (facts 1.6, patient experience 3.5).

DSTU2 has plain codes where R4 has concepts, `dateRecorded` for `recordedDate`, one category, and notes as one text. The
verification status takes precedence over the clinical status: a condition that is only possible, or ruled out, is never
current. A current condition that has ended contradicts itself, and pages say that its status is not clear; an ended
condition without a status is past. An end in the future changes nothing: a current condition may be expected to end.
"""

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from msgspec.structs import replace

from apps.records.presenters import elements, naming
from apps.records.presenters.absences import known_absence, says_no_information
from apps.records.presenters.annotations import notes
from apps.records.presenters.codeable_concepts import codes_of, title_of
from apps.records.presenters.datatypes import moments
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN, Context, Entry
from apps.records.presenters.heads import head, status_codes
from apps.wire import datetimes


class Status(StrEnum):
    """The status of a condition, according to the table in the patient experience."""

    CURRENT = "current"
    CAME_BACK = "came-back"
    IN_REMISSION = "in-remission"
    NOT_CLEAR = "not-clear"
    POSSIBLE = "possible"
    INACTIVE = "inactive"
    RESOLVED = "resolved"
    RULED_OUT = "ruled-out"
    NOT_GIVEN = NOT_GIVEN


class Group(StrEnum):
    """The groups, in the order of the page. The last two are for entries that say there is no condition, or no
    information."""

    CURRENT = "current"
    NOT_CLEAR = "not-clear"
    BEING_LOOKED_INTO = "being-looked-into"
    AT_A_VISIT = "at-a-visit"
    NOT_GIVEN = NOT_GIVEN
    PAST = "past"
    RULED_OUT = "ruled-out"
    NONE_KNOWN = "none-known"
    NO_INFORMATION = "no-information"


class Category(StrEnum):
    """The list on which the provider keeps the condition."""

    PROBLEM_LIST = "problem-list"
    VISIT = "visit"
    HEALTH_CONCERN = "health-concern"
    NOT_GIVEN = NOT_GIVEN


_SEVERITIES: Final = {"255604002": "Mild", "6736007": "Moderate", "24484000": "Severe"}  # SNOMED CT


class ConditionEntry(Entry, frozen=True, kw_only=True, gc=False):
    """A health condition. `when` is when it began, else when it was written down.

    `is_confirmed` and `is_certainty_unknown` are the provider's words on how certain it is. `has_ended`: the provider
    says that it ended, with or without a date in `ended`; `ends` is an end that was still to come.
    """

    status: Status = Status.NOT_GIVEN
    group: Group = Group.NOT_GIVEN
    category: Category = Category.NOT_GIVEN
    is_confirmed: bool = False
    is_certainty_unknown: bool = False
    began: When = UNDATED
    ended: When = UNDATED
    has_ended: bool = False
    ends: When = UNDATED
    written_down: When = UNDATED
    severity: str = ""
    stages: tuple[str, ...] = ()
    body_sites: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    recorder: str = ""
    asserter: str = ""
    is_patient_asserted: bool = False

    @property
    def rank(self) -> int:
        """The order within a group: conditions in remission come after the others, and each part runs from A to Z."""
        return int(self.status is Status.IN_REMISSION)

    def on(self, today: date) -> "ConditionEntry":
        """The same entry on a later day, when an end that was still to come may have passed. It stays in the group in
        which its shelf holds it."""
        if not self.ends or _is_ahead(self.ends, today):
            return self
        return replace(self, status=_contradicted(self.status), ended=self.ends, has_ended=True, ends=UNDATED)


_CLINICAL = {
    "active": Status.CURRENT,
    "relapse": Status.CAME_BACK,
    "recurrence": Status.CAME_BACK,
    "remission": Status.IN_REMISSION,
    "inactive": Status.INACTIVE,
    "resolved": Status.RESOLVED,
}
_POSSIBLE = frozenset({"unconfirmed", "provisional", "differential"})
_GROUPS = {
    Status.CURRENT: Group.CURRENT,
    Status.CAME_BACK: Group.CURRENT,
    Status.IN_REMISSION: Group.CURRENT,
    Status.NOT_CLEAR: Group.NOT_CLEAR,
    Status.POSSIBLE: Group.BEING_LOOKED_INTO,
    Status.INACTIVE: Group.PAST,
    Status.RESOLVED: Group.PAST,
    Status.RULED_OUT: Group.RULED_OUT,
}
_CATEGORIES = {
    "problem-list-item": Category.PROBLEM_LIST,
    "problem": Category.PROBLEM_LIST,
    "encounter-diagnosis": Category.VISIT,
    "diagnosis": Category.VISIT,
    "health-concern": Category.HEALTH_CONCERN,
}
# The category that counts, if there are several: a condition noted at a visit may be on the problem list as well.
_FIRST = (Category.PROBLEM_LIST, Category.HEALTH_CONCERN, Category.VISIT)


def present(resource: Element, context: Context) -> ConditionEntry:
    """Read a Condition of either FHIR version."""
    top = head(resource, resource.get("code"))
    if top["is_withdrawn"] or top["is_withheld"]:
        return ConditionEntry(**top)
    certainty = status_codes(resource, "verificationStatus")
    began = moments.read(resource, "onset", means="started", birth_date=context.birth_date)
    end = moments.read(resource, "abatement", means="ended", birth_date=context.birth_date)
    ends, ended = (end, UNDATED) if _is_ahead(end, context.today) else (UNDATED, end)
    written_down = moments.read(resource, "recordedDate", "dateRecorded", "assertedDate", means="written-down")
    has_ended = bool(ended) or elements.flag(resource, "abatementBoolean") is True
    status, category = _status(resource, has_ended=has_ended), _category(resource)
    group = _group(status, category, has_ended=has_ended)
    is_standing = group not in {Group.PAST, Group.RULED_OUT}
    absence = known_absence(top["codes"], top["title"]) if is_standing else None
    no_information = is_standing and says_no_information(top["codes"])
    return ConditionEntry(
        **top,
        **_people(resource, context),
        when=began or written_down or ended or began,
        status=status,
        group=Group.NONE_KNOWN if absence else Group.NO_INFORMATION if no_information else group,
        said=notes(resource, "note", "notes"),
        is_known_absence=absence is not None,
        says_no_information=no_information,
        category=category,
        is_confirmed="confirmed" in certainty,
        is_certainty_unknown="unknown" in certainty,
        began=began,
        ended=ended,
        has_ended=has_ended,
        ends=ends,
        written_down=written_down,
        severity=_severity(resource),
        stages=_stages(resource),
        body_sites=naming.titles(resource, "bodySite"),
        evidence=_evidence(resource, context),
    )


def _people(resource: Element, context: Context) -> dict[str, Any]:
    """Who wrote it down, and who stated it."""
    recorder = naming.name_of(resource.get("recorder"), context, within=resource)
    asserter = naming.name_of(resource.get("asserter"), context, within=resource)
    return {
        "people": tuple(dict.fromkeys(filter(None, (asserter, recorder)))),
        "recorder": recorder,
        "asserter": asserter,
        "is_patient_asserted": naming.is_patient(elements.child(resource, "asserter")),
    }


def _status(resource: Element, *, has_ended: bool) -> Status:
    verification = set(status_codes(resource, "verificationStatus"))
    if "refuted" in verification:
        return Status.RULED_OUT
    clinical = status_codes(resource, "clinicalStatus")
    status = next((_CLINICAL[code] for code in clinical if code in _CLINICAL), Status.NOT_GIVEN)
    if verification & _POSSIBLE:
        return Status.POSSIBLE
    return _contradicted(status) if has_ended else status


def _contradicted(status: Status) -> Status:
    """The status of a condition that has ended: it cannot be current as well."""
    return Status.NOT_CLEAR if status in {Status.CURRENT, Status.CAME_BACK} else status


def _is_ahead(end: When, today: date | None) -> bool:
    """Whether an end is certainly not before this day. "This year", or an end in words, is not certain."""
    day = datetimes.parse(end.ends or end.starts)
    return today is not None and day is not None and day.first_day >= today


def _category(resource: Element) -> Category:
    """The most important category. Category codes differ by FHIR version and server."""
    found = {_CATEGORIES[code] for code in status_codes(resource, "category") if code in _CATEGORIES}
    return next((category for category in _FIRST if category in found), Category.NOT_GIVEN)


def _group(status: Status, category: Category, *, has_ended: bool) -> Group:
    """The group. A diagnosis noted at a visit has its own group, unless it is over, ruled out or only possible."""
    if status is Status.NOT_GIVEN and has_ended:
        return Group.PAST
    group = _GROUPS.get(status, Group.NOT_GIVEN)
    return Group.AT_A_VISIT if category is Category.VISIT and group in {Group.CURRENT, Group.NOT_GIVEN} else group


def _stages(resource: Element) -> tuple[str, ...]:
    summaries = (title_of(stage.get("summary")) for stage in elements.children(resource, "stage"))
    return tuple(dict.fromkeys(filter(None, summaries)))


def _evidence(resource: Element, context: Context) -> tuple[str, ...]:
    """The evidence: `evidence.code`, which is one in DSTU2 and several in R4, and what `detail` refers to."""
    said = [
        reason
        for each in elements.children(resource, "evidence")
        for reason in naming.reasons({**each, "contained": resource.get("contained")}, context, ("code",), ("detail",))
    ]
    return tuple(dict.fromkeys(said))


def _severity(resource: Element) -> str:
    """The severity in the provider's words; if only a code was sent, as FHIR's value set calls it."""
    concept = resource.get("severity")
    coded = (_SEVERITIES.get(code.code, "") for code in codes_of(concept))
    return title_of(concept) or next(filter(None, coded), "")


STATUS_WORDS: Mapping[Status, str | Promise] = {
    Status.CURRENT: _("Current"),
    Status.CAME_BACK: _("Came back"),
    Status.IN_REMISSION: _("In remission (signs reduced or gone)"),
    Status.NOT_CLEAR: _("Status not clear"),
    Status.POSSIBLE: _("Possible, not confirmed"),
    Status.INACTIVE: _("Not active now"),
    Status.RESOLVED: _("Resolved"),
    Status.RULED_OUT: _("Ruled out"),
    Status.NOT_GIVEN: _("Status not given"),
}
GROUP_WORDS: Mapping[Group, str | Promise] = {
    Group.CURRENT: pgettext_lazy("heading", "Current"),
    Group.NOT_CLEAR: _("Status not clear"),
    Group.BEING_LOOKED_INTO: _("Being looked into"),
    Group.AT_A_VISIT: pgettext_lazy("health conditions", "Noted at a visit"),
    Group.NOT_GIVEN: _("Status not given"),
    Group.PAST: pgettext_lazy("heading", "Past"),
    Group.RULED_OUT: pgettext_lazy("health conditions", "Ruled out"),
    Group.NONE_KNOWN: _("Recorded as having none"),
    Group.NO_INFORMATION: _("No information"),
}
