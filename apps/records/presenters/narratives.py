"""The narrative of a resource as plain text. Nothing of its markup is kept, so nothing of it can act."""

from apps.records.presenters import blocks, elements
from apps.records.presenters.elements import Element

_LONGEST_MARKUP = 60_000


def narrative(resource: Element) -> str:
    """What `text.div` says, lines kept; empty where there is none. Cut like every other text."""
    markup = elements.child(resource, "text").get("div")
    return plain(markup[:_LONGEST_MARKUP]) if isinstance(markup, str) else ""


def plain(markup: str) -> str:
    """The text between the tags. One pass, so that no markup can make it slow."""
    return elements.shown(blocks.of_markup(markup).plain)
