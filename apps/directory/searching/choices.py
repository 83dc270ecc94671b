"""What a patient can choose at a provider: through which patient portal, and in which of its ways."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from apps.directory import explaining, versions
from apps.directory.explaining import Explanation
from apps.directory.linkability import Obstacle
from apps.directory.models import Endpoint, Provider
from apps.directory.words import spelling

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
    portal_url: str = ""

    @property
    def explanation(self) -> Explanation | None:
        """Why it cannot be linked, in words; None where it can."""
        return explaining.words(self.obstacle, self.provider) if self.obstacle else None

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
        """Where its patients sign in, as far as it is known."""
        server = self.endpoint.authorization_server
        url = self.portal_url or (server.authorize_url if server else self.endpoint.fhir_base_url)
        return urlsplit(url).hostname or ""

    @property
    def tenant(self) -> tuple[str, ...]:
        """What tells it from its neighbours on the same host, but for the version."""
        parts = urlsplit(self.endpoint.fhir_base_url)
        kept = (part for part in parts.path.casefold().split("/") if part and part not in _OF_THE_VERSION)
        return parts.hostname or "", *kept


@dataclass(frozen=True)
class SignIn:
    """A patient portal: choices that lead to one sign-in, the better way first. `label` tells it from the others of
    its provider; it is empty where there is no other."""

    label: str
    choices: tuple[Choice, ...]

    @property
    def key(self) -> str:
        """How an address of ours names it."""
        return str(self.choices[0].endpoint.pk)

    @property
    def host(self) -> str:
        """Where its patients sign in; empty where that is not known, or the label says it."""
        return "" if self.choices[0].host in self.label else self.choices[0].host

    @property
    def linkable(self) -> tuple[Choice, ...]:
        """The ways a patient really has."""
        return tuple(choice for choice in self.choices if choice.obstacle is None)

    @property
    def has_both_interfaces(self) -> bool:
        """Whether the version alone does not tell its ways apart."""
        return len({choice.endpoint.interface for choice in self.choices}) > 1

    @property
    def explanation(self) -> Explanation | None:
        """Why nothing of it can be linked, in words; None where something can."""
        return None if self.linkable else self.choices[0].explanation


def in_order(choices: Sequence[Choice]) -> tuple[Choice, ...]:
    """The better version first; one endpoint once, even where several directories list it."""
    linkable_first = sorted(choices, key=lambda choice: (choice.obstacle is not None, choice.endpoint.fhir_base_url))
    once = {choice.endpoint.pk: choice for choice in reversed(linkable_first)}
    return tuple(sorted(once.values(), key=lambda choice: (choice.words.rank, choice.endpoint.fhir_base_url)))


def sign_ins(choices: Sequence[Choice]) -> tuple[SignIn, ...]:
    """The portals of a provider: those that can be linked first, then by name.

    Choices under one name belong together, and so do those without a name, unless two of them are the same way: then
    they are several portals, told apart by the tenants of their addresses.
    """
    by_name = _split([tuple(choices)], lambda choice: spelling.plain(choice.portal_name))
    found = [one for group in by_name for one in (_by_tenant(group) if _is_ambiguous(group) else [group])]
    portals = [SignIn("", group) for group in found]
    portals.sort(key=lambda one: (not one.linkable, [said.casefold() for said in _said(one)]))
    return _labelled(portals)


def _by_tenant(group: tuple[Choice, ...]) -> list[tuple[Choice, ...]]:
    """Where even a tenant has the same way twice, each of its endpoints is a portal."""
    tenants = _split([group], lambda choice: "/".join(choice.tenant))
    return [one for group in tenants for one in ([(choice,) for choice in group] if _is_ambiguous(group) else [group])]


def _is_ambiguous(group: Sequence[Choice]) -> bool:
    return len({choice.way for choice in group}) < len(group)


def _split(groups: Sequence[tuple[Choice, ...]], by: Callable[[Choice], str]) -> list[tuple[Choice, ...]]:
    parts: dict[tuple[int, str], list[Choice]] = defaultdict(list)
    for number, group in enumerate(groups):
        for choice in group:
            parts[number, by(choice)].append(choice)
    return [tuple(part) for part in parts.values()]


def _labelled(found: Sequence[SignIn]) -> tuple[SignIn, ...]:
    """Each under a name of its own: what the portal is called, or else its place, or its host; then a number."""
    if len(found) < 2:
        return tuple(found)
    labels = [_shortest(one, found) for one in found]
    return tuple(replace(one, label=_numbered(place, labels)) for place, one in enumerate(found))


def _said(one: SignIn) -> tuple[str, str, str]:
    first = one.choices[0]
    return first.portal_name, first.provider.city, first.host


def _ways_to_say(one: SignIn) -> list[str]:
    name, city, host = _said(one)
    said = [name, f"{name}, {city}", f"{name}, {host}"] if name else [city, host]
    return [text for text in said if text.strip(", ")]


def _shortest(one: SignIn, found: Sequence[SignIn]) -> str:
    """The first way to say it that says none of the others; or the last, where none does."""
    others = {text.casefold() for other in found if other is not one for text in _ways_to_say(other)}
    ways = _ways_to_say(one)
    return next((text for text in ways if text.casefold() not in others), ways[-1] if ways else "")


def _numbered(place: int, labels: Sequence[str]) -> str:
    label = labels[place]
    if labels.count(label) == 1:
        return label
    return _("{place} (number {number})").format(place=label, number=labels[: place + 1].count(label))
