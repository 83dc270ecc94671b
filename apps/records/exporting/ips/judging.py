"""What a presented entry means to a section of the summary; and which of many entries have their bodies read.

Shelves hold entries but no bodies. An entry's status shows what certainly is left out, as on the record's own pages; if
the status leaves it open, the body decides.
"""

from enum import StrEnum
from typing import Final

from apps.records.presenters import absences, allergies, care_plans, conditions, devices, immunizations, procedures
from apps.records.presenters.absences import Absence
from apps.records.presenters.entry import Entry
from apps.records.presenters.medicines import medications
from apps.records.presenters.observations import results
from apps.records.presenters.reports import ReportEntry
from apps.records.presenters.sensitivity import delicate

_LAST: Final = 10  # after every other rank of its kind


def meaning_of(entry: Entry) -> str:
    """A key that is equal for two entries with the same meaning: every code with its system, as sent. A code without a
    system means nothing by itself (R4 Coding.system), so if no code has one, the text counts as well. Empty if nothing
    names the entry."""
    codes = sorted((code.system.strip(), " ".join(code.code.split())) for code in entry.codes if code.code.strip())
    says_whose = any(system for system, _code in codes)
    text = "" if says_whose else entry.title.casefold()
    return repr((codes, text)) if codes or text else ""


def condition_of(entry: Entry) -> str:
    """A key that is equal for two conditions of one provider that say the same: everything shown of them except when
    they were written down. For conditions noted at visits, the onset belongs to that visit and is ignored, so that the
    newest represents all (patient experience 3.5), but it does not hide another severity, or other notes."""
    meaning = meaning_of(entry)
    if not meaning or not isinstance(entry, conditions.ConditionEntry):
        return meaning
    since = () if entry.group is conditions.Group.AT_A_VISIT else (entry.began,)
    told = (entry.status, entry.is_confirmed, entry.severity, entry.stages, entry.said)
    sites = sorted(map(str.casefold, entry.body_sites))
    return repr((meaning, entry.title.casefold(), sites, told, since, entry.ended, entry.has_ended))


def absence_of(entry: Entry) -> Absence | None:
    """What the provider says is absent. A device says so by its kind alone."""
    if entry.is_modified:  # it may say "not": all that is known is that it was sent
        return None
    if entry.is_known_absence or isinstance(entry, devices.DeviceEntry):
        return absences.known_absence(entry.codes, entry.title)
    return None


def is_medicine_not_taken(entry: Entry) -> bool:
    """Whether it is over, was never taken or prescribed, or is ordered not to be taken: the section is for what is
    taken now."""
    status = medications.Status
    return isinstance(entry, medications.MedicationEntry) and entry.status in {
        status.FINISHED, status.STOPPED, status.CANCELED, status.NOT_TAKEN, status.NOT_TO_BE_TAKEN,
        status.WAS_NOT_TO_BE_TAKEN, status.NOT_FINAL, status.SUGGESTED,
    }  # fmt: skip


def rank_of(entry: Entry) -> int:
    """The order: first what could be serious, last what is over (patient experience 3.2); entries with a clear status
    before those without, and measurements before answers."""
    if isinstance(entry, allergies.AllergyEntry):
        return entry.rank + (_LAST if entry.status in {allergies.Status.INACTIVE, allergies.Status.RESOLVED} else 0)
    if isinstance(entry, conditions.ConditionEntry):
        return _LAST if entry.status is conditions.Status.NOT_CLEAR else 0
    return _LAST if delicate.is_delicate(entry) else 0


def is_ruled_out(entry: Entry) -> bool:
    """Whether an allergy was ruled out."""
    return isinstance(entry, allergies.AllergyEntry) and entry.status is allergies.Status.RULED_OUT


def is_no_current_condition(entry: Entry) -> bool:
    """Whether it is over, or was ruled out. If it is possible, its body decides."""
    return _stands(entry) in {_Standing.OVER, _Standing.RULED_OUT}


def is_condition_of_now(entry: Entry) -> bool:
    """Whether it is listed among the current ones."""
    return _stands(entry) == _Standing.CURRENT


def is_condition_of_the_past(entry: Entry) -> bool:
    """Whether it is listed among the past ones."""
    return _stands(entry) == _Standing.OVER


def is_left_open(entry: Entry) -> bool:
    """Whether only its body shows if a condition is current or past."""
    return entry.resource_type == "Condition" and _stands(entry) == _Standing.OPEN


def is_no_past_condition(entry: Entry) -> bool:
    """Whether it is not over, or was ruled out."""
    return _stands(entry) in {_Standing.CURRENT, _Standing.RULED_OUT}


def is_not_given(entry: Entry) -> bool:
    """Whether a vaccine was certainly not given."""
    return isinstance(entry, immunizations.ImmunizationEntry) and not entry.is_dose


def is_not_done(entry: Entry) -> bool:
    """Whether a procedure was not done."""
    return isinstance(entry, procedures.ProcedureEntry) and entry.status is procedures.Status.NOT_DONE


def is_not_in_use(entry: Entry) -> bool:
    """Whether a device is no longer in use."""
    return isinstance(entry, devices.DeviceEntry) and entry.status == devices.Status.NOT_IN_USE


def is_no_current_plan(entry: Entry) -> bool:
    """Whether a plan is over or not final. One that is only suggested says so in its line, and in its intent."""
    current = {care_plans.Status.CURRENT, care_plans.Status.PAUSED, care_plans.Status.SUGGESTED}
    return isinstance(entry, care_plans.CarePlanEntry) and entry.status not in current


def is_canceled(entry: Entry) -> bool:
    """Whether an observation was never made, or a report never written."""
    return isinstance(entry, results.ResultEntry | ReportEntry) and entry.status == results.Status.CANCELED


def measurement_of(entry: Entry) -> str:
    """The test that a value belongs to. A value that is awaited, or was not measured, does not replace an older one;
    and a test known only by a provider's own name or code counts separately for each specimen and body site."""
    test = results.test_in(entry)
    if not test or not isinstance(entry, results.ResultEntry):
        return ""
    told = test if test.startswith("loinc:") else f"{test}|{entry.specimen}|{entry.body_site}"
    return f"none of {told}" if entry.says_nothing else told


def result_of(entry: Entry) -> str:
    """The test that a result belongs to, or the panel that a report groups. A report that contains results, or has
    none, stands only for itself: two with the same name may be about different things. Of panels with the same
    conclusion and notes, only the newest is kept."""
    if not isinstance(entry, ReportEntry):
        return measurement_of(entry)
    meaning = "" if entry.inside or not entry.results else meaning_of(entry)
    return meaning and repr(("report", meaning, entry.conclusion, entry.conclusion_names, entry.said))


class _Standing(StrEnum):
    CURRENT = "current"
    OVER = "over"
    RULED_OUT = "ruled-out"
    OPEN = "open"


_STANDS = {
    conditions.Status.CURRENT: _Standing.CURRENT,
    conditions.Status.CAME_BACK: _Standing.CURRENT,
    conditions.Status.IN_REMISSION: _Standing.CURRENT,
    conditions.Status.NOT_CLEAR: _Standing.CURRENT,
    conditions.Status.INACTIVE: _Standing.OVER,
    conditions.Status.RESOLVED: _Standing.OVER,
    conditions.Status.RULED_OUT: _Standing.RULED_OUT,
}


def _stands(entry: Entry) -> _Standing:
    if not isinstance(entry, conditions.ConditionEntry):
        return _Standing.OPEN
    if entry.status is conditions.Status.NOT_GIVEN:
        return _Standing.OVER if entry.has_ended else _Standing.CURRENT
    return _STANDS.get(entry.status, _Standing.OPEN)
