"""What pages group a record by, whatever the resource types behind it (patient experience 2.1)."""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records.presenters import patient
from apps.records.presenters.elements import Element
from apps.records.presenters.patient import PatientSummary


@dataclass(frozen=True)
class Subject:
    """One subject. `present` makes one summary of one resource; a subject without it is kept and counted only."""

    key: str
    name: str | Promise
    resource_types: tuple[str, ...]
    present: Callable[[Element], PatientSummary] | None = None


PATIENT = Subject("patient", _("Personal details"), ("Patient",), patient.present)
ALLERGIES = Subject("allergies", _("Allergies and reactions"), ("AllergyIntolerance",))

# In the order pages show them.
SUBJECTS = (PATIENT, ALLERGIES)


def shelved_for(resource_type: str) -> tuple[Subject, ...]:
    """The subjects whose shelf changes when this resource type does."""
    return tuple(subject for subject in SUBJECTS if subject.present and resource_type in subject.resource_types)
