"""What the document says besides its tables: who made it and for whom, what is missing, and what is left out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.records import counts
from apps.records.exporting.choosing import Choice
from apps.records.exporting.ips.extents import Extent
from apps.records.exporting.ips.gathering import Gathered
from apps.records.exporting.ips.sections import Section
from apps.records.presenters.datatypes import dates


def lines(section: Section, held: Gathered, choices: Sequence[Choice], extent: Extent) -> Iterator[str]:
    """What the table does not show: who recorded that there is none, what is missing and why, and what is left out. An
    empty table has no further meaning."""
    if not held.found and not held.none_known:
        yield _("Nothing is listed. This does not mean there is none.")
    for one in held.none_known:
        known = {"provider": one.source.provider, "when": dates.sent_on(one.when.starts), "said": one.said}
        yield _("%(provider)s recorded %(when)s: %(said)s.") % known
    yield from _missing_for_others(section, held, choices) if extent.is_shared else _missing(section, held, choices)
    yield from _not_listed(held, section)


def not_chosen(extent: Extent) -> str:
    """The line for a required section of which nothing was chosen."""
    if not extent.is_shared:
        return _("This is not in this part of the record. This does not mean there is none.")
    return _("The person did not share this. This does not mean there is none.")


def _missing(section: Section, held: Gathered, choices: Iterable[Choice]) -> Iterator[str]:
    """Why some of it did not come from each provider, and whose entries do not open."""
    for choice in choices:
        for sentence in _reasons(section, choice):
            yield f"{choice.source.provider}: {sentence}"
    for provider in sorted(held.left.unopened):
        yield _("Entries from %(provider)s that may belong here could not be opened.") % {"provider": provider}


def _missing_for_others(section: Section, held: Gathered, choices: Iterable[Choice]) -> Iterator[str]:
    """That some of it may be missing. Why, from whom and how much would reveal what is kept back, and so would the
    statement that a provider sent nothing: others without that statement must then have sent something."""
    gaps = [replace(each, gaps=each.gaps.of_what_should_be()) for each in choices]
    if held.left.unopened or any(True for choice in gaps for _sentence in _reasons(section, choice)):
        yield _("Some of this may be missing: not all of it came, or not all of it could be opened.")


def _reasons(section: Section, choice: Choice) -> Iterable[str]:
    """Why some of it did not come, each reason once; for a section with its own types, why those did not."""
    if section.has_own_types:
        return choice.gaps.of_types(section.resource_types)
    names = {str(subject.name) for subject in section.subjects}
    return dict.fromkeys(missing.sentence for missing in choice.gaps.missing if missing.subject in names)


def origins(choices: Sequence[Choice], extent: Extent, at: datetime) -> Iterator[str]:
    """Who made it and when, and how current each provider's data is."""
    if extent.is_shared:
        yield _("Made on %(made)s by Holdfast, shared by the person themselves.") % {"made": _moment(at)}
        yield _("This document has only what the person chose to share. There may be more.")
    else:
        yield _("Made on %(made)s by Holdfast, for the person themselves.") % {"made": _moment(at)}
        if not extent.is_all:
            yield _("This document has only a part of the record.")
    for choice in choices:
        provider, checked_at = choice.source.provider, choice.source.checked_at
        if checked_at is None:
            said = _("From %(provider)s · We cannot tell how current this is.") % {"provider": provider}
        else:
            known = {"provider": provider, "checked": _("on %(date)s") % {"date": _moment(checked_at)}}
            said = _("From %(provider)s · checked %(checked)s") % known
        arriving = _("This record was still arriving when the copy was made.") if choice.gaps.is_arriving else ""
        yield f"{said} {arriving}".rstrip()


def _moment(moment: datetime) -> str:
    """A moment of ours, with date and time: a document may be read on another day."""
    return f"{dates.day(moment)}, {dates.time_of_day(moment)}"


def _not_listed(held: Gathered, section: Section) -> Iterator[str]:
    if held.left.withheld:
        said = ngettext(
            "%(count)s entry is hidden by the provider.",
            "%(count)s entries are hidden by the provider.",
            held.left.withheld,
        )
        yield said % {"count": counts.grouped(held.left.withheld)}
    if held.left.left_out and section.counts_left_out:
        yield _("Not listed, because they are over, ruled out or not done: %(count)s.") % {
            "count": counts.grouped(held.left.left_out)
        }
    if held.left.answers:
        yield _("Left out, because they tell how the person lives or feels: %(count)s.") % {
            "count": counts.grouped(held.left.answers)
        }
    if held.left.of_other_kinds:
        yield _("Not listed, because this summary has no place for their kind: %(count)s.") % {
            "count": counts.grouped(held.left.of_other_kinds)
        }
    if held.newest.older:
        yield _("Not listed, because they are older or repeated: %(count)s.") % {
            "count": counts.grouped(held.newest.older)
        }
