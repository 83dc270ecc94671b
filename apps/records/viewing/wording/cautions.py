"""The caution beside an entry that may mean something else than it seems to: FHIR calls an element with that effect a
modifier, and an unknown modifier may say "not". Nobody must miss it, neither in a list nor on paper."""

from django.utils.translation import gettext

from apps.records.presenters import modifiers
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Entry
from apps.records.viewing.wording import doubts


def of(entry: Entry) -> str:
    """The sentence; empty if there is nothing to heed."""
    if not entry.is_modified:
        return ""
    said = gettext("This entry carries a note that may change its meaning: %(note)s. Ask the provider.")
    note = "; ".join(doubts.each(entry.doubts)) or next(iter(entry.said), "")
    return said % {"note": note or "…"}


def of_rules(resource: Element) -> str:
    """That a resource follows implicit rules of its own; empty if it names none. Its page says so once: servers that
    name any name them everywhere, and lists have no room for it in each row."""
    named_rules = modifiers.implicit_rules(resource)
    if not named_rules:
        return ""
    said = gettext(
        "This entry follows rules that we do not know (%(rules)s). They may change what it means. Ask the provider."
    )
    return said % {"rules": named_rules}


def in_short(*, is_modified: bool) -> str:
    """The same when the note itself is not at hand."""
    return gettext("With a note that may change its meaning") if is_modified else ""


def named(name: str, entry: Entry) -> str:
    """A name that represents the whole entry, with the caution in a few words."""
    if not entry.is_modified:
        return name
    return gettext("%(name)s (with a note that may change its meaning)") % {"name": name}
