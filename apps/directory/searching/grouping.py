"""Rows of the directory that are one provider to a person: listed by several directories or tenants under one name and
place, or a site that is reached through its system. Nothing is merged in the database."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from apps.directory.models import ProviderPortal
from apps.directory.searching import candidates
from apps.directory.searching.candidates import Candidate
from apps.directory.words import places, spelling, web_addresses

_MOST_LEVELS = 4  # of sites of sites
Likeness = tuple[str, str, str, str, bool]


@dataclass(frozen=True)
class Group:
    """One provider to a person. `head` is the row to show: the best-ranked one, or the system of the best-ranked site;
    `sites` are those ranked before the system, best first."""

    head: Candidate
    sites: tuple[Candidate, ...]


def groups(ranked: Sequence[Candidate]) -> list[Group]:
    """In the order of the best-ranked row of each. Makes queries only if there are sites."""
    systems = _systems_that_serve([row for row in ranked if row.part_of_id])
    members: dict[Likeness, list[Candidate]] = defaultdict(list)
    for row in ranked:
        members[likeness(systems.get(row.pk, row))].append(row)
    return [_group(rows, systems) for rows in members.values()]


def likeness(row: Candidate) -> Likeness:
    """Equal for rows that are one provider to a person: name and place, or the web address if no place is given. A
    practice provider never equals a real one."""
    city, state = spelling.plain(row.city), places.code(spelling.plain(row.state))
    address = web_addresses.read(row.website) if row.website and not city else None
    return row.plain_name or str(row.pk), city, state, address.name if address else "", row.is_sandbox


def _group(rows: Sequence[Candidate], systems: Mapping[UUID, Candidate]) -> Group:
    first_system = next((place for place, row in enumerate(rows) if row.pk not in systems), len(rows))
    head = systems[rows[0].pk] if first_system == len(rows) else rows[first_system]
    return Group(head, tuple(rows[:first_system]))


def _systems_that_serve(sites: Sequence[Candidate]) -> Mapping[UUID, Candidate]:
    """By site, the highest system that has all endpoints of the site: its own are none, or the same. Makes one query
    per level of systems, and one for the endpoints."""
    above: dict[UUID, Candidate] = {}
    for _level in range(_MOST_LEVELS):
        unknown = {row.part_of_id for row in (*sites, *above.values()) if row.part_of_id} - above.keys()
        if not unknown:
            break
        above |= {row.pk: row for row in candidates.these(unknown)}
    endpoints: dict[UUID, set[UUID]] = defaultdict(set)
    pairs = ProviderPortal.objects.filter(provider__in=[*(row.pk for row in sites), *above]) if sites else ()
    for portal in pairs:
        endpoints[portal.provider_id].add(portal.endpoint_id)
    tops = {row.pk: _top(row, above, endpoints) for row in sites}
    return {pk: top for pk, top in tops.items() if top.pk != pk}


def _top(row: Candidate, above: Mapping[UUID, Candidate], endpoints: Mapping[UUID, set[UUID]]) -> Candidate:
    for _level in range(_MOST_LEVELS):
        system = above.get(row.part_of_id) if row.part_of_id else None
        if system is None or system.is_sandbox != row.is_sandbox or not endpoints[row.pk] <= endpoints[system.pk]:
            break
        row = system
    return row
