"""The sections of the summary: their codes, and what goes into each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records import subjects
from apps.records.exporting.ips import alerts, clinical, judging, medicines, observations, placing, reports
from apps.records.exporting.ips.clinical import Item
from apps.records.exporting.reading import PresentedRecord
from apps.records.exporting.stored import Source
from apps.records.presenters.absences import Absence
from apps.records.presenters.entry import Entry
from apps.records.subjects import Subject


def _unlike(_entry: Entry) -> str:
    return ""


def _evenly(_entry: Entry) -> int:
    return 0


def _never(_entry: Entry) -> bool:
    return False


@dataclass(frozen=True)
class Section:
    """One section. `loinc` and `display` are its code; the ledger lines of `subjects` explain what is missing.

    `takes` decides which of their entries belong to it, and `item` makes the resource of one; `leaves_out` decides
    which entries get none, and `alike` gives a key for entries that say the same: only the newest of these counts,
    among all or, with `by_source`, within each source. If the section `keeps_together`, entries about one thing stand
    together, ordered by `ranks`. `unknown` is the code of the entry that says there is no information, for a required
    section; `none` are the codes for statements that there is none, by what is absent (`absence_statements`). Entries
    that are left out are not counted if another section has them: those that are listed `elsewhere`, or all. `again`
    gives a key for repeated procedures: they yield to those done once if there is not room for all, and share one line
    of the narrative. A section that `is_by_itself` takes its entries from other subjects, and is left out if it has
    none; but if it `has_own_types`, which no other section mentions, it is also there if some of these did not come or
    do not open. Entries of a section that `passes` show their age.
    """

    loinc: str
    display: str
    title: str | Promise
    subjects: tuple[Subject, ...]
    resource_types: tuple[str, ...]
    item: Callable[[PresentedRecord], Item | None]
    leaves_out: Callable[[Entry], bool]
    unknown: str = ""
    none: Mapping[Absence, str] = field(default_factory=dict)
    alike: Callable[[Entry], str] = _unlike
    by_source: bool = False
    keeps_together: bool = False
    ranks: Callable[[Entry], int] = _evenly
    counts_left_out: bool = True
    elsewhere: Callable[[Entry], bool] = _never
    again: Callable[[Entry], str] = _unlike
    takes: Callable[[Entry], bool] = placing.anywhere
    is_by_itself: bool = False
    has_own_types: bool = False
    passes: Callable[[Entry], bool] = _never

    def alike_in(self, entry: Entry, source: Source) -> str:
        """The key of entries of which only the newest counts, at this source or anywhere; empty if the entry always
        counts."""
        alike = "" if judging.is_left_open(entry) or entry.is_modified else self.alike(entry)
        return f"{source.connection_id} {alike}" if alike and self.by_source else alike


def _current(told: PresentedRecord) -> Item | None:
    item = clinical.condition(told)
    return None if item is None or clinical.is_over(item) else item


def _past(told: PresentedRecord) -> Item | None:
    item = clinical.condition(told)
    return item if item is not None and clinical.is_over(item) else None


def _observed(*among: Subject) -> Callable[[PresentedRecord], Item | None]:
    return lambda told: observations.observation(told) if told.subject in among else None


def _result(told: PresentedRecord) -> Item | None:
    is_report = told.entry.resource_type == "DiagnosticReport"
    return reports.report(told) if is_report else _observed(subjects.RESULTS)(told)


def _nothing(_entry: Entry) -> bool:
    return False


# In the order in which somebody with little time reads them.
SECTIONS: Final = (
    Section(
        "104605-1", "Alert", _("Alerts"), (subjects.OTHER,), ("Flag",), alerts.alert, _nothing,
        takes=placing.is_alert, is_by_itself=True, has_own_types=True,
    ),
    Section(
        "48765-2", "Allergies and adverse reactions Document", _("Allergies and reactions"), (subjects.ALLERGIES,),
        ("AllergyIntolerance",), clinical.allergy, judging.is_ruled_out, "no-allergy-info",
        {
            Absence.ALLERGIES: "no-known-allergies",
            Absence.MEDICINE_ALLERGIES: "no-known-medication-allergies",
            Absence.FOOD_ALLERGIES: "no-known-food-allergies",
            Absence.ENVIRONMENT_ALLERGIES: "no-known-environmental-allergies",
        },
        keeps_together=True, ranks=judging.rank_of,
    ),
    Section(
        "10160-0", "History of Medication use Narrative", _("Medicines"), (subjects.MEDICINES,),
        ("MedicationOrder", "MedicationRequest", "MedicationStatement"), medicines.medicine,
        judging.is_medicine_not_taken, "no-medication-info", {Absence.MEDICATIONS: "no-known-medications"},
        keeps_together=True,
    ),
    Section(
        "11450-4", "Problem list - Reported", _("Health conditions"), (subjects.CONDITIONS,), ("Condition",), _current,
        judging.is_no_current_condition, "no-problem-info", {Absence.CONDITIONS: "no-known-problems"},
        judging.condition_of, by_source=True, keeps_together=True, ranks=judging.rank_of,
        elsewhere=judging.is_condition_of_the_past,
    ),
    Section(
        "10162-6", "History of pregnancies Narrative", _("Pregnancy"),
        (subjects.HISTORY, subjects.RESULTS, subjects.VITALS), ("Observation",),
        _observed(subjects.HISTORY, subjects.RESULTS, subjects.VITALS), judging.is_canceled,
        alike=judging.measurement_of, takes=placing.is_of_pregnancy, is_by_itself=True, passes=placing.is_of_now,
    ),
    Section(
        "42348-3", "Advance healthcare directives", _("Advance directives"), (subjects.DOCUMENTS,),
        ("DocumentReference",), alerts.directive, _nothing, takes=placing.is_directive, is_by_itself=True,
        has_own_types=True,
    ),
    Section(
        "46264-8", "History of medical device use", _("Devices and implants"), (subjects.DEVICES,), ("Device",),
        medicines.device, judging.is_not_in_use, none={Absence.DEVICES: ""},
    ),
    Section(
        "47519-4", "History of Procedures Document", _("Procedures and surgeries"), (subjects.PROCEDURES,),
        ("Procedure",), clinical.procedure, judging.is_not_done, none={Absence.PROCEDURES: ""},
        again=judging.meaning_of,
    ),
    Section(
        "30954-2", "Relevant diagnostic tests/laboratory data note", _("Results"), (subjects.RESULTS,),
        ("Observation", "DiagnosticReport"), _result, judging.is_canceled, alike=judging.result_of,
        ranks=judging.rank_of,
    ),
    Section(
        "8716-3", "Vital signs note", _("Vitals"), (subjects.VITALS,), ("Observation",), _observed(subjects.VITALS),
        judging.is_canceled, alike=judging.measurement_of,
    ),
    Section(
        "11369-6", "History of Immunization note", _("Vaccines"), (subjects.VACCINES,), ("Immunization",),
        clinical.immunization, judging.is_not_given, none={Absence.IMMUNIZATIONS: ""},
    ),
    Section(
        "11348-0", "History of Past illness note", _("Past health conditions"), (subjects.CONDITIONS,), ("Condition",),
        _past, judging.is_no_past_condition, alike=judging.condition_of, by_source=True, keeps_together=True,
        counts_left_out=False, elsewhere=judging.is_condition_of_now,
    ),
    Section(
        "18776-5", "Plan of care note", _("Care plans"), (subjects.PLANS,), ("CarePlan",), clinical.plan,
        judging.is_no_current_plan,
    ),
    Section(
        "29762-2", "Social history note", _("Social history"), (subjects.HISTORY,), ("Observation",),
        _observed(subjects.HISTORY), judging.is_canceled, alike=judging.measurement_of,
    ),
)  # fmt: skip
TYPES: Final = tuple(dict.fromkeys(name for section in SECTIONS for name in section.resource_types))
