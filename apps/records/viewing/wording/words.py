"""Words for the closed vocabularies of entries: a status, a group, and any other key that a presenter returns.

Sentences are those of patient experience 3; if a presenter has words of its own for its vocabulary, those are used. A
key without words here is left out rather than shown as a code.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, TypeAlias, TypeVar

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from apps.records.presenters import allergies, appointments, conditions, goals, immunizations, procedures, visits
from apps.records.presenters.entry import NOT_GIVEN, Entry
from apps.records.presenters.goals import GoalEntry
from apps.records.presenters.medicines import medications, substitutions
from apps.records.presenters.observations.results import Compared, ResultEntry
from apps.records.presenters.persons import relatives
from apps.records.presenters.reports import ReportEntry

_Words: TypeAlias = Mapping[str, str | Promise]
_Key = TypeVar("_Key", bound=StrEnum)


def _by_key(words: Mapping[_Key, str | Promise]) -> _Words:
    """A presenter's own words for its vocabulary, which are defined there."""
    return {key.value: said for key, said in words.items()}


_STATUS_NOT_GIVEN: Final = _("Status not given")

_SHARED: Final[_Words] = {
    "current": _("Current"),
    "denying": _("In force: does not allow it"),
    "denying-but": _("In force: does not allow it, with exceptions"),
    "allowing-but": _("In force: with exceptions"),
    "not-to-be-done": _("Ordered not to be done"),
    "was-not-to-be-done": _("Was ordered not to be done; that order is over"),
    "potential": _("Did not happen, but could have"),
    "agreed": _("Accepted"),
    "perhaps": _("Accepted, but not definite"),
    "declined": _("Declined"),
    "not-final": _("Not final"),
    "planned": _("Planned"),
    "paused": _("Paused"),
    "finished": _("Finished"),
    "stopped": _("Stopped"),
    "past": _("Past"),
    "done": _("Done"),
    "under-way": _("Under way"),
    "not-done": _("Not done"),
    "ended": _("Ended"),
    "ordered": _("Ordered"),
    "changed": _("Changed after it was finished"),
    "canceled": _("Canceled"),
    "suggested": _("Suggested"),
    "ruled-out": _("Ruled out"),
    "on-the-waiting-list": pgettext_lazy("appointment", "On the waiting list"),
    "failed": _("Could not be done"),
    "sent-out": pgettext_lazy("a bill", "Sent"),
    "settled": pgettext_lazy("a bill", "Paid"),
    "to-be-billed": _("To be billed"),
    "not-billed": _("Will not be billed"),
    "billed": _("Billed"),
    # whether somebody takes part in a study
    "may-take-part": _("May be able to take part"),
    "screened": _("Being checked for taking part"),
    "can-take-part": _("Can take part"),
    "cannot-take-part": _("Cannot take part"),
    "not-signed-up": _("Sign-up not completed"),
    "signed-up": _("Signed up, not yet taking part"),
    "takes-part": _("Taking part"),
    "followed-up": _("No longer taking part, but follow-up continues"),
    "took-part": _("No longer taking part"),
    "withdrew": _("Withdrew before signing up"),
}

# By the kind of entry. A status with empty words is not shown.
_STATUSES: Final[Mapping[str, _Words]] = {
    "AllergyEntry": _by_key(allergies.STATUS_WORDS),
    "AppointmentEntry": _by_key(appointments.STATUS_WORDS),
    "ConditionEntry": _by_key(conditions.STATUS_WORDS),
    "ImmunizationEntry": _by_key(immunizations.STATUS_WORDS),
    "MedicationEntry": _by_key(medications.STATUS_WORDS),
    "ProcedureEntry": _by_key(procedures.STATUS_WORDS),
    "VisitEntry": _by_key(visits.STATUS_WORDS),
    "ResultEntry": {
        "ordered": _("Ordered, no result yet"),
        "partial": _("Some results still to come"),
        "early": _("Early result, may change"),
        "final": "",
        "corrected": _("Corrected result"),
        "added-to": _("Final, with later additions"),
        "canceled": _("Test canceled, no result"),
    },
    "GoalEntry": {
        "finished": pgettext_lazy("a goal", "Finished"),
        "working-on-it": _("Working on it"),
        "reached": _("Reached"),
        "kept-up": _("Reached, keeping it up"),
        "not-pursued": _("Not pursued"),
    },
    "CoverageEntry": {"current": pgettext_lazy("insurance", "Current")},
    "DeviceEntry": {"in-use": _("In use"), "not-in-use": _("No longer in use")},
    "FamilyEntry": {"complete": "", "partial": _("More may be recorded"), "not-known": _("Not known")},
    "DocumentEntry": {
        "final": "",
        "draft": _("Draft, may change"),
        "replaced": _("Replaced by a newer version"),
    },
    "QuestionnaireEntry": {"done": "", "stopped": _("Not finished")},
    "SpecimenEntry": {
        "available": "",
        "not-available": _("No longer there: lost or used up"),
        "not-usable": _("Could not be used for a test"),
    },
    "RecommendationEntry": {immunizations.ADVISED_AGAINST: _("Advised against")},
}
# For a page that also says whose list it is on.
_ON_THEIR_LIST: Final[Mapping[str, _Words]] = {
    "AllergyEntry": {allergies.Status.ON_LIST.value: _("On the list")},
    "MedicationEntry": {medications.Status.ON_LIST.value: _("On the current list")},
}
# Shown beside a value or a conclusion that was sent all the same. Such a value is neither drawn nor counted as a
# result.
_BESIDE_A_RESULT: Final[_Words] = {
    "ordered": _("Ordered, though a result was sent"),
    "canceled": _("Test canceled, though a result was sent"),
}
# For a goal that a provider has finished with a verdict: it may not have been reached.
_WITH_A_VERDICT: Final[_Words] = {goals.Status.FINISHED.value: _("Finished (see the verdict)")}
# For orders: it is the order that was carried out, and not what the words of its group would say.
_OF_ORDERS: Final[_Words] = {procedures.Status.DONE.value: _("Order carried out")}
_STATUSES_ALIKE: Final = {"ReportEntry": "ResultEntry", "Compared": "ResultEntry"}
_WITHOUT_STATUS: Final = frozenset({"RecommendationEntry"})

_NAMES: Final[_Words] = {
    "CarePlanEntry": _("Care plan"),
    "CareTeamEntry": _("Care team"),
    "CoverageEntry": _("Insurance"),
    "DeviceEntry": _("Device"),
    "RecommendationEntry": _("Recommended vaccine"),
}
# How providers write the severity of a condition, in either version (FHIR, condition severity).
_SEVERITIES: Final[_Words] = {
    "mild": _("Mild"),
    "moderate": _("Moderate"),
    "severe": _("Severe"),
    "mild to moderate": _("Mild to moderate"),
    "moderate to severe": _("Moderate to severe"),
}
_NO_INFORMATION: Final[_Words] = {
    "AllergyEntry": _("No information about allergies"),
    "ConditionEntry": _("No information about health conditions"),
    "DeviceEntry": _("No information about devices"),
    "ImmunizationEntry": _("No information about vaccines"),
    "MedicationEntry": _("No information about medicines"),
    "ProcedureEntry": _("No information about procedures"),
}
_NONE: Final = frozenset({"none-known", "no-information"})
_GROUPS_ALIKE: Final[_Words] = {
    "none-known": _("Recorded as having none"),
    "no-information": _("No information"),
    "not-completed": pgettext_lazy("vaccines", "Not completed"),
    "ordered": _("Ordered or planned"),
}
_GROUPS: Final[Mapping[str, _Words]] = {
    "allergies": _by_key(allergies.GROUP_WORDS),
    "conditions": _by_key(conditions.GROUP_WORDS),
    "medicines": _by_key(medications.GROUP_WORDS),
    "procedures": _by_key(procedures.GROUP_WORDS),
    "vaccines": _by_key(immunizations.GROUP_WORDS),
    "visits": _by_key(visits.GROUP_WORDS),
    "documents": {"current": _("Documents"), "earlier": _("Earlier versions")},
    "plans": {
        "current": pgettext_lazy("heading", "Current"),
        "suggested": pgettext_lazy("goals", "Suggested"),
        "not-final": pgettext_lazy("heading", "Not final"),
        "past": pgettext_lazy("heading", "Past"),
    },
}


def of_status(entry: Entry | Compared, *, provider: str = "") -> str:
    """The status in words; empty if it is not worth saying. `provider` is whose list it is on, if nothing beside these
    words says that."""
    kind = type(entry).__name__
    if entry.group == "no-information":  # it has no status: nothing is known
        return ""
    if entry.status == NOT_GIVEN:
        is_told = kind in _WITHOUT_STATUS or entry.group in _NONE or getattr(entry, "is_withheld", False)
        return "" if is_told else str(_STATUS_NOT_GIVEN)
    own = _STATUSES.get(_STATUSES_ALIKE.get(kind, kind), {})
    if not provider and kind in _ON_THEIR_LIST:
        own = {**own, **_ON_THEIR_LIST[kind]}
    if entry.status in _BESIDE_A_RESULT and _has_result(entry):
        own = _BESIDE_A_RESULT
    if isinstance(entry, GoalEntry) and entry.verdict != NOT_GIVEN:
        own = {**own, **_WITH_A_VERDICT}
    if kind == "ProcedureEntry" and entry.group == procedures.Group.ORDERED:
        own = {**own, **_OF_ORDERS}
    return str(own.get(entry.status, _SHARED.get(entry.status, ""))).replace("%(provider)s", provider)


def _has_result(entry: Entry | Compared) -> bool:
    if isinstance(entry, ReportEntry):
        return bool(entry.conclusion or entry.conclusion_names)
    if isinstance(entry, ResultEntry | Compared):
        return any(measured.value for measured in (entry, *entry.components))
    return False


def hangs_on(entry: Entry) -> tuple[object, ...]:
    """What the words of its status depend on: entries that agree in all of it share the words."""
    if isinstance(entry, GoalEntry):
        beside = entry.verdict != NOT_GIVEN
    else:
        beside = entry.status in _BESIDE_A_RESULT and _has_result(entry)
    return type(entry), entry.status, entry.group, entry.is_withheld, beside


def of_no_information(entry: Entry) -> str:
    """That the provider has no information about things of its kind."""
    return str(_NO_INFORMATION.get(type(entry).__name__, _("No information")))


def of_severity(said: str) -> str:
    """How severe a condition is, as the provider says it: in the reader's language if that is a usual word."""
    return str(_SEVERITIES.get(said.casefold(), said))


def of_kind(entry: Entry) -> str:
    """A name for an entry that has none, if it says more than its subject does; else empty."""
    return str(_NAMES.get(type(entry).__name__, ""))


def of_group(subject: str, group: str) -> str:
    """The heading of a group."""
    if group == NOT_GIVEN:
        return str(_STATUS_NOT_GIVEN)
    return str(_GROUPS.get(subject, {}).get(group, _GROUPS_ALIKE.get(group, _SHARED.get(group, ""))))


def of_key(key: str) -> str:
    """The words for any other key of a closed vocabulary; empty if there are none."""
    return str(_KEYS.get(key, _SHARED.get(key, "")))


_KEYS: Final[_Words] = {
    **_by_key(visits.KIND_WORDS),
    **_by_key(visits.USE_WORDS),
    **_by_key(relatives.RELATIVE_WORDS),
    **_by_key(allergies.CRITICALITY_WORDS),
    **_by_key(allergies.KIND_WORDS),
    **_by_key({key: said for key, said in allergies.CATEGORY_WORDS.items() if key is not allergies.Category.OTHER}),
    **_by_key(allergies.SEVERITY_WORDS),
    **_by_key(allergies.CERTAINTY_WORDS),
    # medicines and conditions
    "problem-list": _("Health condition"),
    "health-concern": _("Health concern"),
    "prescribed": _("Prescribed"),
    "reported": _("Reported"),
    "filled": _("Filled"),
    # goals
    "closer": _("Getting closer"),
    "further-away": _("Further away"),
    "no-change": _("No change"),
    "reached": _("Reached"),
    "kept-up": _("Kept up"),
    "not-reached": _("Not reached"),
    "not-possible": _("Not possible now"),
    "not-begun": _("Not started"),
    # devices
    "right-eye": _("Right eye"),
    "left-eye": _("Left eye"),
    "base-up": _("base up"),
    "base-down": _("base down"),
    "base-in": _("base in"),
    "base-out": _("base out"),
    "latex-contained": _("Contains natural rubber latex"),
    "latex-not-contained": _("Not made with natural rubber latex"),
    "mri-safe": _("Safe"),
    "mri-conditional": _("Safe under certain conditions only"),
    "mri-unsafe": _("Not safe"),
    "mri-not-said": _("Its label does not say"),
    **_by_key(substitutions.EXCHANGE_WORDS),
    # procedures
    **_by_key(procedures.CHANGE_WORDS),
    **_by_key(procedures.URGENCY_WORDS),
    # documents
    "adds-to": _("An addition to another document"),
    "form-of": _("Another form of another document"),
    "signs": _("A signature under another document"),
    "new-version": _("A new version of another document"),
    # teams
    "clinicians": _("Doctors and nurses"),
    "others": _("Others"),
    "family": _("Family"),
    # family
    "living": _("Living"),
    "died": _("Has died"),
    # results
    "within": _("In the usual range"),
    "above": _("Above the usual range"),
    "below": _("Below the usual range"),
    "far-above": _("Far above the usual range, as marked by the lab"),
    "far-below": _("Far below the usual range, as marked by the lab"),
    "outside": _("Outside what the lab expects"),
    "far-outside": _("Far outside, as marked by the lab"),
    "above-what-the-test-can-measure": _("Above what the test can measure"),
    "below-what-the-test-can-measure": _("Below what the test can measure"),
    "too-low-to-compare": _("Too low to measure exactly; we cannot compare it"),
    "too-high-to-compare": _("Too high to measure exactly; we cannot compare it"),
    "found": _("Positive: what the test looks for was found"),
    "not-found": _("Negative: it was not found"),
    "undetermined": _("The lab could not tell"),
    "works": _("In the lab the medicine works against the germ"),
    "may-work": _("In the lab the medicine may work against the germ"),
    "does-not-work": _("In the lab the medicine does not work against the germ"),
    "not-shown-to-work": _("In the lab the medicine is not shown to work against the germ"),
    "laboratory": _("Laboratory"),
    "imaging": _("Imaging"),
    "heart": _("Heart"),
    "pathology": _("Tissue exam"),
    "genetics": _("Genes"),
    "germs": _("Germs"),
    "note": _("Note"),
}
