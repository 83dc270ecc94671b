"""A Provenance of either version: who wrote something down, and when. It is told beside what it is about.

Facts 1.6: `agent.actor` and a Coding as role in DSTU2; `agent.who` and a concept as type in R4.
"""

from collections.abc import Iterator

import msgspec

from apps.records.presenters import elements
from apps.records.presenters.datatypes import moments
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Code, Context, Entry
from apps.records.presenters.heads import codes_of, first_name, head, title_of
from apps.records.presenters.naming import name_of, titles
from apps.records.presenters.observations import results

_MOST = 20


class Agent(msgspec.Struct, frozen=True, gc=False):
    """Somebody, what they did, and for which organization."""

    name: str = ""
    role: str = ""
    codes: tuple[Code, ...] = ()
    on_behalf_of: str = ""


class ProvenanceEntry(Entry, frozen=True, kw_only=True, gc=False):
    """Where something comes from. `targets` are what it is about, as `Type/id`."""

    targets: tuple[str, ...] = ()
    agents: tuple[Agent, ...] = ()
    reasons: tuple[str, ...] = ()


def present(resource: Element, context: Context) -> ProvenanceEntry:
    """Read a Provenance."""
    heading = head(resource, elements.child(resource, "activity"))
    if heading["is_withdrawn"] or heading["is_withheld"]:
        return ProvenanceEntry(**heading)
    agents = tuple(dict.fromkeys(_agents(resource, context)))[:_MOST]
    heading["title"] = first_name((heading["title"], *(said for agent in agents for said in (agent.role, agent.name))))
    return ProvenanceEntry(
        **heading,
        when=moments.read(resource, "recorded", "occurred", "period", means="written-down"),
        people=tuple(dict.fromkeys(agent.name for agent in agents if agent.name)),
        targets=results.references(resource, "target", context),
        agents=agents,
        reasons=titles(resource, "reason"),
    )


def _agents(resource: Element, context: Context) -> Iterator[Agent]:
    for sent in elements.children(resource, "agent"):
        who = (elements.child(sent, name) for name in ("who", "whoReference", "actor"))
        names = (name_of(reference, context, within=resource) for reference in who)
        roles = [role for name in ("type", "role") for role in elements.children(sent, name)]
        agent = Agent(
            name=next(filter(None, names), ""),
            role=next(filter(None, map(title_of, roles)), ""),
            codes=tuple(code for role in roles for code in codes_of(role))[:_MOST],
            on_behalf_of=name_of(elements.child(sent, "onBehalfOf"), context, within=resource),
        )
        if agent.name or agent.role:
            yield agent
