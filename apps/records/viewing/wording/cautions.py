"""What stands beside an entry that may mean something else than it seems to: FHIR calls what says so a modifier, and a
modifier that nobody knows may say "not". Nobody may read past it, in a list or on paper either."""

from django.utils.translation import gettext

from apps.records.presenters.entry import Entry


def of(entry: Entry) -> str:
    """The sentence; empty where there is nothing to heed."""
    if not entry.is_modified:
        return ""
    said = gettext("This entry carries a note that may change its meaning: %(note)s. Ask the provider.")
    return said % {"note": next(iter(entry.said), "") or "…"}


def named(name: str, entry: Entry) -> str:
    """A name that stands for the whole entry, with the same in a few words."""
    if not entry.is_modified:
        return name
    return gettext("%(name)s (with a note that may change its meaning)") % {"name": name}
