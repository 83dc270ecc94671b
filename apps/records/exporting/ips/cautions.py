"""A modifier stays with its entry: in the line of the narrative as a sentence, and in its resources as the modifier
that was sent, which programs that do not know it must heed (R4 section 2.3.2).

Of a modifier, its URL is kept, and its value if that is simple; else only the fact that there was a value.
"""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import islice
from typing import Final

from apps.records.exporting.ips import narrating, r4_elements
from apps.records.exporting.ips.clinical import Item
from apps.records.exporting.ips.r4_elements import Part
from apps.records.exporting.reading import PresentedRecord
from apps.records.presenters import elements, modifiers
from apps.records.presenters.elements import Element
from apps.records.viewing.wording import cautions

_MOST: Final = 20
_UNNAMED: Final = "urn:uuid:0b0a3c52-7d0f-4c5e-9a39-6a5d2d6e1c77"  # for a modifier that came without a URL


def heeded(item: Item, told: PresentedRecord) -> Item:
    """The item of an entry that has modifiers, including these."""
    kept = list(_kept(told.resource))
    return replace(
        item,
        resource={**item.resource, "modifierExtension": kept},
        beside={**item.beside, "modifierExtension": kept} if item.beside else item.beside,
        detail=narrating.together(cautions.of(told.entry), item.detail),
    )


def by_rules(item: Item, told: PresentedRecord) -> Item:
    """The item of an entry with implicit rules, including these: programs that do not know the rules must heed them,
    too."""
    said = cautions.of_rules(told.resource)
    if not said:
        return item
    rules = r4_elements.uri(modifiers.implicit_rules(told.resource))
    named = {"implicitRules": rules} if rules else {}
    beside = {**item.beside, **named} if item.beside else item.beside
    detail = narrating.together(said, item.detail)
    return replace(item, resource={**item.resource, **named}, beside=beside, detail=detail)


def _kept(resource: Element) -> Iterator[Part]:
    parts = modifiers.modified_parts(resource)
    sent = list(islice((each for part in parts for each in elements.children(part, "modifierExtension")), _MOST))
    for each in sent or [{}]:
        url = r4_elements.uri(elements.text(each, "url")) or _UNNAMED
        yield {"url": url, **(_value(each) or r4_elements.absent())}


def _value(sent: Element) -> Part:
    """Its value, if that can be written as it came (ext-1: an extension has either a value or further extensions)."""
    given = [name for name in sent if name.startswith("value")]
    if len(given) != 1 or "extension" in sent:
        return {}
    (name,) = given
    value = sent[name]
    if name == "valueBoolean":
        return {name: value} if isinstance(value, bool) else {}
    if name == "valueDecimal":
        return {name: value} if isinstance(value, int | Decimal) and not isinstance(value, bool) else {}
    said = elements.shown(value)
    return {name: said} if name == "valueString" and said else {}
