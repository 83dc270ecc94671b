"""Which choices of a provider are one patient portal, and what distinguishes its portals.

Rows of several directories with one name and place are shown as one provider, and anybody can publish a list. So
choices of two directories are never one portal, whatever the lists say: the patient is asked where they sign in.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from uuid import UUID

from django.utils.translation import gettext as _

from apps.directory import obstacle_wording, pinning
from apps.directory.searching.choices import Choice, SignIn
from apps.directory.words import spelling

Group = tuple[Choice, ...]


def sign_ins(choices: Sequence[Choice]) -> tuple[SignIn, ...]:
    """The portals of a provider: those that can be linked first, then by name.

    Choices of one directory under one portal name belong together, as do those without a name, if they lead to one
    sign-in. But if two of them are the same way, they are several portals, distinguished by their addresses.
    """
    listed = _parted(choices, lambda choice: (choice.provider.directory, spelling.plain(choice.portal_name)))
    by_sign_in = [one for group in listed for one in _by_sign_in(group)]
    found = [one for group in by_sign_in for one in (_by_tenant(group) if _is_ambiguous(group) else [group])]
    portals = [SignIn("", group) for group in found]
    return _labelled(sorted(portals, key=_place))


def _place(one: SignIn) -> tuple[bool, str, str, str, str]:
    first = one.choices[0]
    own = first.provider.directory, first.endpoint.fhir_base_url
    return not one.linkable, first.portal_name.casefold(), one.host, *own


def _by_sign_in(group: Group) -> list[Group]:
    """By the origins where patients sign in and tokens are issued. A choice without a known sign-in stays with the
    first of the others: nobody can choose it."""
    firsts: list[Choice] = []
    part_of: dict[UUID, int] = {}
    for choice in sorted(group, key=lambda choice: choice.endpoint.authorization_server is None):
        part = next((part for part, first in enumerate(firsts) if _leads_as(choice, first)), len(firsts))
        if part == len(firsts):
            firsts.append(choice)
        part_of[choice.endpoint.pk] = part
    return _parted(group, lambda choice: part_of[choice.endpoint.pk])


def _leads_as(choice: Choice, first: Choice) -> bool:
    mine, theirs = choice.endpoint.authorization_server, first.endpoint.authorization_server
    return mine is None or theirs is None or pinning.share_origins(mine, theirs)


def _by_tenant(group: Group) -> list[Group]:
    """If even one tenant has the same way twice, each of its endpoints is a portal."""
    tenants = _parted(group, lambda choice: choice.tenant)
    return [one for group in tenants for one in ([(choice,) for choice in group] if _is_ambiguous(group) else [group])]


def _is_ambiguous(group: Group) -> bool:
    return len({choice.way for choice in group}) < len(group)


def _parted(choices: Iterable[Choice], by: Callable[[Choice], Hashable]) -> list[Group]:
    parts: dict[Hashable, list[Choice]] = defaultdict(list)
    for choice in choices:
        parts[by(choice)].append(choice)
    return [tuple(part) for part in parts.values()]


def _labelled(found: Sequence[SignIn]) -> tuple[SignIn, ...]:
    """Each with the first label that fits none of the others; with a number only if there is none."""
    if len(found) < 2:
        return tuple(found)
    ways = [list(_ways_to_say(one)) for one in found]
    said_by = Counter(text for said in ways for text in {way.casefold() for way in said})
    labels = [next((way for way in said if said_by[way.casefold()] == 1), said[0]) for said in ways]
    return tuple(replace(one, label=label) for one, label in zip(found, _numbered(labels), strict=True))


def _ways_to_say(one: SignIn) -> Iterator[str]:
    """The portal's name, or else the host of its sign-in; then with what distinguishes its address from the others',
    beginning with the last segment; then with the directory that lists it. Never empty. (Cities do not help, because
    all rows have the same.)"""
    first = one.choices[0]
    host, *path = first.tenant
    called = obstacle_wording.name_in_title(first.portal_name) or one.host or host
    yield called
    if first.portal_name and one.host:
        yield f"{called}, {one.host}"
    if path:
        yield f"{called} ({path[-1]})"
        yield f"{called} ({'/'.join(path)})"
    yield _("{portal}, on the list {directory}").format(portal=called, directory=first.provider.directory)


def _numbered(labels: Sequence[str]) -> Iterator[str]:
    so_often, so_far = Counter(labels), Counter[str]()
    for label in labels:
        so_far[label] += 1
        is_alone = so_often[label] == 1
        numbered = _("{place} (number {number})")
        yield label if is_alone else numbered.format(place=label, number=so_far[label])
