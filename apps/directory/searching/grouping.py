"""Rows of the directory that are one provider to a person: listed by several directories or tenants under one name and
place, or a site that is reached through the system it belongs to. Nothing is merged: rows stay as they are."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from apps.directory import places, spelling, web_addresses
from apps.directory.models import ProviderPortal
from apps.directory.searching import candidates
from apps.directory.searching.candidates import Candidate

Likeness = tuple[str, str, str, str, bool]


@dataclass(frozen=True)
class Group:
    """One provider to a person. `head` is the row to show: the best placed, or the system of the best placed site;
    `sites` are those that fit better than the system does, best first."""

    head: Candidate
    sites: tuple[Candidate, ...]


def groups(ranked: Sequence[Candidate]) -> list[Group]:
    """In the order of the best placed row of each. Two queries where sites are among them, and none otherwise."""
    systems = _systems_that_serve([row for row in ranked if row.part_of_id])
    members: dict[Likeness, list[Candidate]] = defaultdict(list)
    for row in ranked:
        members[likeness(systems.get(row.pk, row))].append(row)
    return [_group(rows, systems) for rows in members.values()]


def likeness(row: Candidate) -> Likeness:
    """Equal for rows that are one provider to a person: name and place, and the web address where no place is given.
    A practice provider is never a real one."""
    city, state = spelling.plain(row.city), places.code(spelling.plain(row.state))
    address = web_addresses.read(row.website) if row.website and not city else None
    return row.plain_name or str(row.pk), city, state, address.name if address else "", row.is_sandbox


def _group(rows: Sequence[Candidate], systems: Mapping[UUID, Candidate]) -> Group:
    first_system = next((place for place, row in enumerate(rows) if row.pk not in systems), len(rows))
    head = systems[rows[0].pk] if first_system == len(rows) else rows[first_system]
    return Group(head, tuple(rows[:first_system]))


def _systems_that_serve(sites: Sequence[Candidate]) -> Mapping[UUID, Candidate]:
    """By site, the system whose endpoints are all that the site has: its own are none, or the same."""
    if not sites:
        return {}
    systems = {row.pk: row for row in candidates.these({row.part_of_id for row in sites if row.part_of_id})}
    endpoints: dict[UUID, set[UUID]] = defaultdict(set)
    pairs = ProviderPortal.objects.filter(provider__in=[*(row.pk for row in sites), *systems])
    for provider_id, endpoint_id in pairs.values_list("provider_id", "endpoint_id"):
        endpoints[provider_id].add(endpoint_id)
    return {
        row.pk: system
        for row in sites
        if (system := systems.get(row.part_of_id)) and endpoints[row.pk] <= endpoints[system.pk]  # type: ignore[arg-type]
        if system.is_sandbox == row.is_sandbox
    }
