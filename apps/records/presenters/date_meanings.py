"""What the date of an entry means, considering its status and its kind.

A resource has the same date whether or not something happened: nothing was given on the day on which a vaccine was
refused. And only samples are "collected": a blood pressure is measured, a scan done, an answer written down.
"""

from collections.abc import Mapping
from typing import Final

from apps.records.presenters import immunizations, procedures, reports, visits
from apps.records.presenters.care_plans import CarePlanEntry
from apps.records.presenters.care_teams import CareTeamEntry
from apps.records.presenters.conditions import ConditionEntry
from apps.records.presenters.documents import DocumentEntry
from apps.records.presenters.entry import Entry
from apps.records.presenters.medicines import medications
from apps.records.presenters.medicines.medications import MedicationEntry
from apps.records.presenters.observations import results
from apps.records.presenters.observations.results import ResultEntry
from apps.records.presenters.observations.vitals import vital_of
from apps.records.presenters.reports import ReportEntry

_RECORDED: Final = "recorded"

# By meaning, then by status: what the date means with that status. With any other status, it is only "recorded".
_BY_STATUS: Final[Mapping[str, Mapping[str, str]]] = {
    "given": {immunizations.Status.GIVEN: "given"},
    "done": {
        procedures.Status.DONE: "done",
        procedures.Status.PLANNED: "planned",
        procedures.Status.UNDER_WAY: "started",
        procedures.Status.NOT_FINISHED: "started",
        procedures.Status.ON_HOLD: "started",
    },
    "filled": {medications.Status.FILLED: "filled"},
}
_NOT_TO_BE_TAKEN: Final = frozenset({medications.Status.NOT_TO_BE_TAKEN, medications.Status.WAS_NOT_TO_BE_TAKEN})
_BY_UNUSUAL_STATUS: Final[Mapping[str, Mapping[str, str]]] = {
    "taken": {
        medications.Status.NOT_TAKEN: _RECORDED,
        medications.Status.NOT_TO_BE_TAKEN: _RECORDED,
        medications.Status.WAS_NOT_TO_BE_TAKEN: _RECORDED,
        medications.Status.PLANNED: "planned",
    },
    "prescribed": {medications.Status.SUGGESTED: "written-down"},
    "seen": {visits.Status.CANCELED: "planned"},
    "collected": {results.Status.CANCELED: _RECORDED},
}
_OF_KIND: Final[Mapping[str, str]] = {
    results.Category.VITALS: "measured",
    results.Category.IMAGING: "done",
    results.Category.EXAM: "done",
    results.Category.PROCEDURE: "done",
    results.Category.THERAPY: "done",
    results.Category.SOCIAL: _RECORDED,
    results.Category.SURVEY: _RECORDED,
    results.Category.ACTIVITY: _RECORDED,
}
_OF_REPORT: Final[Mapping[str, str]] = {reports.Category.IMAGING: "done", reports.Category.HEART: "done"}
# Nothing starts "from one day to another", so a start that has an end, too, needs another word. The exception is a
# condition, which may have started on some day in between.
_WITH_AN_END: Final[Mapping[type[Entry], str]] = {
    CarePlanEntry: "in-place",
    CareTeamEntry: "in-place",
    ConditionEntry: "started",
}
_TYPES: Final = frozenset(
    {
        "Immunization", "Procedure", "MedicationDispense", "MedicationStatement", "MedicationRequest",
        "MedicationOrder", "Encounter", "Observation", "DiagnosticReport",
    }
)  # fmt: skip


def of(entry: Entry) -> str:
    """What the date of an entry means: a word of `When.means`, or one of "measured", "to-be-taken", "in-place" and
    "covers"."""
    means = _of(entry)
    return _WITH_AN_END.get(type(entry), "covers") if means == "started" and entry.when.ends else means


def _of(entry: Entry) -> str:
    means = entry.when.means
    if means == "seen" and isinstance(entry, DocumentEntry):
        return "visit"  # or "seen" could be read as when somebody saw the document
    if means == "ordered" and entry.status == procedures.Status.PLANNED:
        return "written-down"  # a plan that nobody has ordered
    if entry.resource_type not in _TYPES:
        return means
    if means in _BY_STATUS:
        return _BY_STATUS[means].get(entry.status, _RECORDED)
    if means == "prescribed" and isinstance(entry, MedicationEntry) and entry.kind == medications.Kind.REPORTED:
        return "written-down"  # by somebody who was told of the medicine, and did not prescribe it
    if means == "taken" and isinstance(entry, MedicationEntry) and entry.kind != medications.Kind.REPORTED:
        # the period as prescribed: nobody says that the medicine was taken then
        return "covers" if entry.status in _NOT_TO_BE_TAKEN else "to-be-taken"
    means = _BY_UNUSUAL_STATUS.get(means, {}).get(entry.status, means)
    return _as_taken(entry) if means == "collected" else means


def _as_taken(entry: Entry) -> str:
    """The word for how a result came about: only a sample is collected."""
    if isinstance(entry, ReportEntry):
        return _OF_REPORT.get(entry.category, "collected")
    if isinstance(entry, ResultEntry):
        return "measured" if vital_of(entry) is not None else _OF_KIND.get(entry.category, "collected")
    return "collected"
