"""What a patient can choose at a provider: the patient portal, and the way in which the record is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from apps.directory import obstacle_wording, versions
from apps.directory.linkability import Obstacle
from apps.directory.models import Endpoint, Provider
from apps.directory.obstacle_wording import Explanation

# Segments of a FHIR base URL that name the version, not the owner.
_OF_THE_VERSION = frozenset("fhir api dstu2 dstu stu3 r2 r4 r4b basedstu2 baser4 v1 v2 open secure".split())  # noqa: SIM905


@dataclass(frozen=True)
class Choice:
    """One endpoint, and what prevents linking it. `provider` is the row that leads to it, perhaps of another directory
    than the one shown."""

    endpoint: Endpoint
    obstacle: Obstacle | None
    provider: Provider
    portal_name: str = ""

    @property
    def explanation(self) -> Explanation | None:
        """Why it cannot be linked, in words; None if it can."""
        return obstacle_wording.words(self.obstacle, self.provider) if self.obstacle else None

    @property
    def words(self) -> versions.VersionWords:
        """What its FHIR version means to a patient."""
        return versions.words(self.endpoint.fhir_version)

    @property
    def interface_words(self) -> versions.InterfaceWords:
        """What its interface means to a patient: needed if a provider has both."""
        return versions.interface_words(self.endpoint.interface)

    @property
    def way(self) -> tuple[str, str]:
        """What must differ between two choices of one portal."""
        return self.endpoint.fhir_version, self.endpoint.interface

    @property
    def host(self) -> str:
        """Where its patients really sign in, with any non-default port; empty if unknown. Portal addresses in lists are
        not used: anybody can write one there."""
        server = self.endpoint.authorization_server
        return urlsplit(server.authorize_url).netloc.rpartition("@")[2].casefold() if server else ""

    @property
    def tenant(self) -> tuple[str, ...]:
        """What distinguishes it from others on the same host, without the version."""
        parts = urlsplit(self.endpoint.fhir_base_url)
        kept = (part for part in parts.path.casefold().split("/") if part and part not in _OF_THE_VERSION)
        return parts.hostname or "", *kept


@dataclass(frozen=True)
class SignIn:
    """A patient portal: choices of one directory that lead to one sign-in, the better way first. `label` distinguishes
    it from the provider's others; empty if there are none."""

    label: str
    choices: tuple[Choice, ...]

    @property
    def key(self) -> str:
        """Its key in our URLs."""
        return str(self.choices[0].endpoint.pk)

    @property
    def host(self) -> str:
        """Where its patients really sign in; empty if unknown."""
        return next((choice.host for choice in self.choices if choice.host), "")

    @property
    def linkable(self) -> tuple[Choice, ...]:
        """The ways that can be linked."""
        return tuple(choice for choice in self.choices if choice.obstacle is None)

    @property
    def has_both_interfaces(self) -> bool:
        """Whether the version alone does not distinguish its ways."""
        return len({choice.endpoint.interface for choice in self.choices}) > 1

    def name_of(self, choice: Choice) -> str:
        """What distinguishes one of its ways from the others."""
        name = str(choice.words.name)
        return f"{name}, {choice.interface_words.name}" if self.has_both_interfaces else name

    @property
    def explanation(self) -> Explanation | None:
        """Why none of it can be linked, in words; None if something can."""
        return None if self.linkable else self.choices[0].explanation


def in_order(choices: Sequence[Choice]) -> tuple[Choice, ...]:
    """The better version first; each endpoint once, from the first row if several list it."""
    linkable_first = sorted(choices, key=lambda choice: (choice.obstacle is not None, choice.endpoint.fhir_base_url))
    once = {choice.endpoint.pk: choice for choice in reversed(linkable_first)}
    return tuple(sorted(once.values(), key=lambda choice: (choice.words.rank, choice.endpoint.fhir_base_url)))
