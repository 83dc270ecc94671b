"""A provider's notes stay with their entry: for instance, that a sample was spoiled, or that something is tolerated
after all."""

from dataclasses import replace
from typing import Final

from apps.records.exporting.ips import narrating
from apps.records.exporting.ips.clinical import Item
from apps.records.exporting.reading import PresentedRecord
from apps.records.presenters import modifiers
from apps.records.presenters.prose import rich_text
from apps.records.viewing.wording import doubts

_WITHOUT: Final = frozenset({"DiagnosticReport"})  # R4 has no element for notes there


def noted(item: Item, told: PresentedRecord) -> Item:
    """The item with the provider's own notes. Modifiers are handled elsewhere (`cautions`)."""
    turning = {*modifiers.modifiers(told.resource), *modifiers.modifiers_within(told.resource)}
    said = [one for one in told.entry.said if one not in turning and not rich_text.is_one(one)]  # unread RTF is no text
    written = (*said, *doubts.each(told.entry.doubts))
    if not written:
        return item
    notes = [*item.resource.get("note", ()), *({"text": text} for text in written)]
    resource = item.resource if item.resource["resourceType"] in _WITHOUT else {**item.resource, "note": notes}
    return replace(item, resource=resource, detail=narrating.together(item.detail, *said))
