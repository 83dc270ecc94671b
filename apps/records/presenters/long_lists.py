"""Whether a resource has a list so long that its page may show only the first part of it.

Each presenter reads only so many items of a kind: twenty doctors, fifty reactions, two hundred components. More can
only be some system's error; the rest is under "What the provider sent", and readers must know that there is more.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from apps.records.presenters import elements
from apps.records.presenters.elements import Element

_MOST: Final = 20  # the fewest that any presenter reads
_MOST_OF: Final[Mapping[str, int]] = MappingProxyType(
    {
        **dict.fromkeys(("component", "derivedFrom", "related"), 200),
        "CareTeam.participant": 100,
        **dict.fromkeys(("activity", "AllergyIntolerance.reaction"), 50),
        **dict.fromkeys(("diagnosis", "location", "reaction", "recommendation"), 30),
    }
)
# Lists that pages show whole, or with the number of further items, and lists that pages do not show as such: names,
# codes and technical parts.
_ELSEWHERE: Final = frozenset(
    {
        *("answer", "dosage", "dosageInstruction", "group", "hasMember", "item", "question", "result"),
        *("coding", "contained", "extension", "identifier", "link", "meta", "modifierExtension"),
    }
)


def has_any(resource: Element) -> bool:
    """Whether one of its lists, at any depth, is longer than what pages show of such a list."""
    kind = elements.text(resource, "resourceType")
    unread: list[Any] = [resource]
    while unread:
        for name, value in unread.pop().items():
            if name in _ELSEWHERE:
                continue
            several = value if isinstance(value, list) else [value]
            if len(several) > _MOST_OF.get(f"{kind}.{name}", _MOST_OF.get(name, _MOST)):
                return True
            unread += (each for each in several if isinstance(each, dict))
    return False
