"""The kinds of entries that patients know, and the resource types behind each: how pages describe scopes.

They are in the order in which pages name subjects (patient experience, 2.1).
"""

from collections.abc import Collection
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy


@dataclass(frozen=True)
class Kind:
    """One kind. If one of the `resource_types` is missing, it is shared in part; the types in `beside` only add to
    it."""

    name: str | Promise
    resource_types: frozenset[str]
    beside: frozenset[str] = frozenset()

    @property
    def every_type(self) -> frozenset[str]:
        """All of its resource types."""
        return self.resource_types | self.beside


def _kind(name: Promise, *resource_types: str, beside: Collection[str] = ()) -> Kind:
    return Kind(name, frozenset(resource_types), frozenset(beside))


KINDS = (
    _kind(gettext_lazy("Personal details"), "Patient", beside=["RelatedPerson"]),
    _kind(gettext_lazy("Results and vitals"), "DiagnosticReport", "Observation", beside=["Specimen"]),
    _kind(
        gettext_lazy("Medicines"),
        *("MedicationOrder", "MedicationRequest", "MedicationStatement"),
        beside=["Medication", "MedicationDispense"],
    ),
    _kind(gettext_lazy("Allergies and reactions"), "AllergyIntolerance"),
    _kind(gettext_lazy("Health conditions"), "Condition"),
    _kind(gettext_lazy("Vaccines"), "Immunization"),
    _kind(gettext_lazy("Visits"), "Encounter"),
    _kind(gettext_lazy("Procedures and surgeries"), "Procedure"),
    _kind(gettext_lazy("Documents and notes"), "DocumentReference", beside=["Binary"]),
    _kind(gettext_lazy("Care plans and goals"), "CarePlan", "Goal"),
    _kind(gettext_lazy("Care team"), "CareTeam"),
    _kind(gettext_lazy("Insurance"), "Coverage"),
    _kind(gettext_lazy("Devices and implants"), "Device"),
    _kind(gettext_lazy("Questionnaires"), "QuestionnaireResponse", beside=["Questionnaire"]),
    _kind(gettext_lazy("Orders"), "ServiceRequest"),
    _kind(
        gettext_lazy("Who treated you, and where"),
        *("Location", "Organization", "Practitioner"),
        beside=["Endpoint", "PractitionerRole", "Provenance"],
    ),
)


def names(resource_types: Collection[str]) -> tuple[str, ...]:
    """The names of the kinds with any of these types."""
    return tuple(str(kind.name) for kind in KINDS if not kind.every_type.isdisjoint(resource_types))


def left_out(asked: Collection[str], *, whole: Collection[str], some: Collection[str]) -> tuple[str, ...]:
    """The kinds of which something was asked for and not shared. `whole` are the types that were shared completely,
    `some` those that were shared in part."""
    told = []
    for kind in KINDS:
        wanted = kind.resource_types & frozenset(asked)
        if not wanted or wanted <= frozenset(whole):
            continue
        is_wholly_missing = wanted.isdisjoint({*whole, *some})
        told.append(str(kind.name) if is_wholly_missing else _("{kind} (in part)").format(kind=kind.name))
    return tuple(told)
