"""What a consent allows or denies, and what its exceptions allow or deny (Consent in R4)."""

from collections.abc import Iterable, Iterator
from typing import Final

from apps.records.presenters import elements, naming
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context
from apps.records.presenters.generic import provider_words
from apps.records.presenters.generic.particular_words import What
from apps.records.presenters.heads import status_codes

_DEEPEST: Final = 5  # exceptions to exceptions


def consent(resource: Element, context: Context) -> Iterator[tuple[What, Iterable[str]]]:
    """Consent (R4): what it allows or denies, and what its exceptions allow or deny."""
    yield What.ABOUT, provider_words.known(resource, "scope")
    yield What.RULE, provider_words.known(resource, "policyRule")  # some HL7 codes reverse the meaning: opted out
    said = [elements.flag(each, "verified") for each in elements.children(resource, "verification")]
    yield What.VERIFIED, ("not-verified",) if False in said and True not in said else ()
    rule = elements.child(resource, "provision")
    yield What.COVERS, _covered(rule, resource, context)
    allowed: list[str] = []
    denied: list[str] = []
    for provision in _exceptions(rule, 0):
        named = ", ".join(_covered(provision, resource, context)) or "…"
        if "deny" in status_codes(provision, "type"):
            denied.append(named)
        elif "permit" in status_codes(provision, "type"):
            allowed.append(named)
    yield What.ALLOWS, allowed
    yield What.DENIES, denied


def _covered(provision: Element, resource: Element, context: Context) -> tuple[str, ...]:
    """What a rule of a consent covers, and whom."""
    said = naming.titles(provision, "action", "purpose", "class", "code", "securityLabel")
    actors = (elements.child(each, "reference") for each in elements.children(provision, "actor"))
    return (*said, *naming.names_of(actors, context, within=resource))


def _exceptions(provision: Element, depth: int) -> Iterator[Element]:
    for inner in elements.children(provision, "provision"):
        yield inner
        if depth < _DEEPEST:
            yield from _exceptions(inner, depth + 1)
