"""What each list of the record is for, said if it is empty: a name such as Vitals is not clear to everybody."""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records import subjects
from apps.records.subjects import Subject

_WORDS: Final[Mapping[str, str | Promise]] = {
    subjects.RESULTS.key: _("Results are what labs found, such as blood tests, and reports of scans and other tests."),
    subjects.MEDICINES.key: _(
        "Medicines are what was prescribed to you, what you said you take, and what a pharmacy filled."
    ),
    subjects.ALLERGIES.key: _(
        "Allergies and reactions are what a medicine, a food or something else did to you, or may do."
    ),
    subjects.CONDITIONS.key: _("Health conditions are illnesses and other problems that a provider wrote down."),
    subjects.VITALS.key: _("Vitals are blood pressure, pulse, temperature, weight, height and the like."),
    subjects.VACCINES.key: _("Vaccines are those you were given, and those that are recommended or were not given."),
    subjects.VISITS.key: _("Visits are the times you saw a provider, and your stays in a hospital."),
    subjects.PROCEDURES.key: _("Procedures and surgeries are what was done to examine or treat you, or was ordered."),
    subjects.DOCUMENTS.key: _("Documents and notes are letters, summaries and what was written about your visits."),
    subjects.PLANS.key: _("Care plans and goals are what you and your care team mean to do and to reach."),
    subjects.TEAM.key: _("Your care team are the people who look after you, and what each is there for."),
    subjects.INSURANCE.key: _("Insurance is who pays for your care, with your member numbers."),
    subjects.DEVICES.key: _("Devices and implants are what you use or carry in you, such as a heart pacemaker."),
    subjects.HISTORY.key: _(
        "Family and social history is what your relatives had, and matters such as smoking, work and housing."
    ),
    subjects.OTHER.key: _(
        "What your providers sent that belongs under no other subject: appointments, forms and the like. Nothing is "
        "left out."
    ),
}


def of(subject: Subject) -> str:
    """A sentence about the list of this subject."""
    return str(_WORDS[subject.key])
