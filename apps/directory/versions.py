"""What the two FHIR versions and the two interfaces mean to a patient, and which version is better."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.directory.models import Endpoint
from apps.wire.dialects import FhirVersion, Interface

Key = TypeVar("Key")


@dataclass(frozen=True)
class VersionWords:
    """A name and a sentence; `rank` puts the better version first."""

    rank: int
    name: str | Promise
    meaning: str | Promise


WORDS = {
    FhirVersion.R4: VersionWords(
        rank=0,
        name=_("The newer way (FHIR R4)"),
        meaning=_("Usually sends the most, with the most detail."),
    ),
    FhirVersion.DSTU2: VersionWords(
        rank=1,
        name=_("The older way (FHIR DSTU2)"),
        meaning=_("For when the newer way does not work for you. It may send fewer kinds of entries."),
    ),
}


@dataclass(frozen=True)
class InterfaceWords:
    """How a record is requested, if one provider offers several ways: words that distinguish them, and a sentence."""

    name: str | Promise
    meaning: str | Promise


INTERFACE_WORDS = {
    Interface.PATIENT_ACCESS: InterfaceWords(
        name=_("all at once"),
        meaning=_("We ask for everything together. You may leave some kinds out there."),
    ),
    Interface.SMART: InterfaceWords(
        name=_("kind by kind"),
        meaning=_("There you are shown each kind of entry, and may leave some out."),
    ),
}


def interface_words(interface: str) -> InterfaceWords:
    """The words for one of the two interfaces."""
    return INTERFACE_WORDS[Interface(interface)]


def words(fhir_version: str) -> VersionWords:
    """The words for one of the two versions."""
    return WORDS[FhirVersion(fhir_version)]


def way(endpoint: Endpoint, *, among: Collection[Endpoint]) -> str:
    """What distinguishes this way of reading a record from the others: a name, empty if nothing does."""
    versions, interfaces = {one.fhir_version for one in among}, {one.interface for one in among}
    if len(interfaces) > 1:
        return f"{words(endpoint.fhir_version).name}, {interface_words(endpoint.interface).name}"
    return str(words(endpoint.fhir_version).name) if len(versions) > 1 else ""


def marks(ways: Mapping[Key, tuple[Hashable, Endpoint]]) -> dict[Key, str]:
    """The same in a word or two, to add to a provider's name; for each, within its group, such as one person's at one
    provider."""
    among: dict[Hashable, list[Endpoint]] = defaultdict(list)
    for group, endpoint in ways.values():
        among[group].append(endpoint)
    return {key: _mark(endpoint, among[group]) for key, (group, endpoint) in ways.items()}


def _mark(endpoint: Endpoint, among: Collection[Endpoint]) -> str:
    versions, interfaces = {one.fhir_version for one in among}, {one.interface for one in among}
    told = [f"FHIR {endpoint.fhir_version.upper()}"] if len(versions) > 1 else []
    told += [str(interface_words(endpoint.interface).name)] if len(interfaces) > 1 else []
    return ", ".join(told)
