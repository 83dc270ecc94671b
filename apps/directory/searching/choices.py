"""What a patient can choose at a provider: through which patient portal, and in which of its ways."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from apps.directory import obstacle_wording, versions
from apps.directory.linkability import Obstacle
from apps.directory.models import Endpoint, Provider
from apps.directory.obstacle_wording import Explanation

# Parts of a FHIR base URL that say which version, and not whose it is.
_OF_THE_VERSION = frozenset("fhir api dstu2 dstu stu3 r2 r4 r4b basedstu2 baser4 v1 v2 open secure".split())  # noqa: SIM905


@dataclass(frozen=True)
class Choice:
    """One endpoint, and what stands in the way of linking it. `provider` is the row that leads to it, which may be
    another directory's than the one shown."""

    endpoint: Endpoint
    obstacle: Obstacle | None
    provider: Provider
    portal_name: str = ""

    @property
    def explanation(self) -> Explanation | None:
        """Why it cannot be linked, in words; None where it can."""
        return obstacle_wording.words(self.obstacle, self.provider) if self.obstacle else None

    @property
    def words(self) -> versions.VersionWords:
        """What its FHIR version means to a patient."""
        return versions.words(self.endpoint.fhir_version)

    @property
    def interface_words(self) -> versions.InterfaceWords:
        """What its interface means to a patient: needed where a provider has both."""
        return versions.interface_words(self.endpoint.interface)

    @property
    def way(self) -> tuple[str, str]:
        """What two choices of one portal must differ in."""
        return self.endpoint.fhir_version, self.endpoint.interface

    @property
    def host(self) -> str:
        """Where its patients really sign in, with a port that is not the usual one; empty where that is not known. What
        a list says of a portal's address is not asked: anybody may write a fine one there."""
        server = self.endpoint.authorization_server
        return urlsplit(server.authorize_url).netloc.rpartition("@")[2].casefold() if server else ""

    @property
    def tenant(self) -> tuple[str, ...]:
        """What tells it from its neighbours on the same host, but for the version."""
        parts = urlsplit(self.endpoint.fhir_base_url)
        kept = (part for part in parts.path.casefold().split("/") if part and part not in _OF_THE_VERSION)
        return parts.hostname or "", *kept


@dataclass(frozen=True)
class SignIn:
    """A patient portal: choices of one directory that lead to one sign-in, the better way first. `label` tells it from
    the others of its provider; it is empty where there is no other."""

    label: str
    choices: tuple[Choice, ...]

    @property
    def key(self) -> str:
        """How an address of ours names it."""
        return str(self.choices[0].endpoint.pk)

    @property
    def host(self) -> str:
        """Where its patients really sign in; empty where that is not known."""
        return next((choice.host for choice in self.choices if choice.host), "")

    @property
    def linkable(self) -> tuple[Choice, ...]:
        """The ways a patient really has."""
        return tuple(choice for choice in self.choices if choice.obstacle is None)

    @property
    def has_both_interfaces(self) -> bool:
        """Whether the version alone does not tell its ways apart."""
        return len({choice.endpoint.interface for choice in self.choices}) > 1

    def name_of(self, choice: Choice) -> str:
        """What tells one of its ways from the others."""
        name = str(choice.words.name)
        return f"{name}, {choice.interface_words.name}" if self.has_both_interfaces else name

    @property
    def explanation(self) -> Explanation | None:
        """Why nothing of it can be linked, in words; None where something can."""
        return None if self.linkable else self.choices[0].explanation


def in_order(choices: Sequence[Choice]) -> tuple[Choice, ...]:
    """The better version first; one endpoint once, of the row that comes first here, where several list it."""
    linkable_first = sorted(choices, key=lambda choice: (choice.obstacle is not None, choice.endpoint.fhir_base_url))
    once = {choice.endpoint.pk: choice for choice in reversed(linkable_first)}
    return tuple(sorted(once.values(), key=lambda choice: (choice.words.rank, choice.endpoint.fhir_base_url)))
