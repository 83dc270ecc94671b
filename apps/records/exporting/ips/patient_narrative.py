"""Whom the document is about, in words: what viewers show first (R4 section 2.12.3, the subject's narrative)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.records.exporting.ips.doctors import Doctor
from apps.records.exporting.ips.r4_elements import Part
from apps.records.presenters.datatypes import dates
from apps.records.presenters.persons import relationships

_SEX: Final[Mapping[str, Promise]] = {
    "female": gettext_lazy("female"), "male": gettext_lazy("male"), "other": gettext_lazy("other"),
    "unknown": gettext_lazy("unknown"),
}  # fmt: skip

_RANKS: Final[Mapping[str, int]] = {"official": 0, "usual": 1, "temp": 3, "old": 4, "maiden": 5}
_RANK_OF_OTHERS: Final = 2


def lines(patient: Part, doctors: Sequence[Doctor]) -> Iterator[str]:
    """One line for each thing that the Patient says, the names first."""
    for what, said in _facts(patient, doctors):
        if said:
            yield f"{what}: {said}"


def _facts(patient: Part, doctors: Sequence[Doctor]) -> Iterator[tuple[str, str]]:
    name, *others = dict.fromkeys(map(_name, sorted(patient["name"], key=_rank)))
    yield _("Name"), name
    yield from ((_("Also known as"), other) for other in others)
    yield _("Recorded as deceased"), _death(patient)
    yield _("Date of birth"), dates.sent_date(patient.get("birthDate", ""))
    yield _("Sex"), str(_SEX.get(patient.get("gender", ""), ""))
    yield _("Language"), ", ".join(each["language"].get("text", "") for each in patient.get("communication", ()))
    yield from ((_("Contact"), contact["value"]) for contact in patient.get("telecom", ()))
    yield from ((_("Address"), _address(address)) for address in patient.get("address", ()))
    yield from ((_("Contact person"), _other(other)) for other in patient.get("contact", ()))
    yield from ((_("General practitioner"), _doctor(doctor)) for doctor in doctors)


def _rank(name: Part) -> int:
    """Current names come before former ones."""
    return _RANKS.get(name.get("use", ""), _RANK_OF_OTHERS)


def _doctor(doctor: Doctor) -> str:
    return ", ".join((doctor.name, *(contact["value"] for contact in doctor.resource.get("telecom", ()))))


def _other(other: Part) -> str:
    """A contact: who it is, their relationship to the patient, and how to reach them."""
    name = _name(other.get("name", {})) or other.get("organization", {}).get("display", "")
    relations = ", ".join(filter(None, map(_relation, other.get("relationship", ()))))
    called = f"{name} ({relations})" if name and relations else name or relations
    ways = (contact["value"] for contact in other.get("telecom", ()))
    return ", ".join(filter(None, (called, *ways, _address(other.get("address", {})))))


def _relation(relation: Part) -> str:
    codes = (coding.get("code", "").lower() for coding in relation.get("coding", ()))
    known = (relationships.WORDS[code] for code in codes if code in relationships.WORDS)
    return str(relation.get("text") or next(known, ""))


def _death(patient: Part) -> str:
    return dates.sent_date(patient.get("deceasedDateTime", "")) or (_("Yes") if "deceasedBoolean" in patient else "")


def _name(name: Part) -> str:
    parts = (*name.get("prefix", ()), *name.get("given", ()), name.get("family", ""), *name.get("suffix", ()))
    return str(name.get("text") or " ".join(filter(None, parts)))


def _address(address: Part) -> str:
    town = " ".join(filter(None, (address.get("city"), address.get("state"), address.get("postalCode"))))
    parts = (*address.get("line", ()), town, address.get("country", ""))
    return str(address.get("text") or ", ".join(filter(None, parts)))
