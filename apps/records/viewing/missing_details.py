"""What the page of an entry says in place of details that the provider did not send: an empty page would leave open
whether they or we lack something (patient experience 2.2 and 2.3)."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext

from apps.records.presenters.documents import DocumentEntry
from apps.records.presenters.entry import Entry
from apps.records.presenters.generic.any_resource import GenericEntry
from apps.records.presenters.observations.results import WITHOUT_RESULT
from apps.records.presenters.reports import ReportEntry
from apps.records.viewing import facts
from apps.records.viewing.facts import Fact
from apps.records.viewing.listing import rows


def of(entry: Entry, told: Sequence[Fact], *, provider: str, has_more: bool) -> tuple[str, ...]:
    """The sentences; none if nothing is lacking, or if the entry is hidden. `told` are its facts, and `has_more` says
    whether its page shows files, results or anything else besides them."""
    if entry.is_withdrawn or entry.is_withheld or entry.is_known_absence or entry.says_no_information:
        return ()
    return tuple(said % {"provider": provider} for said in _said(entry, told, has_more=has_more))


def _said(entry: Entry, told: Sequence[Fact], *, has_more: bool) -> Iterator[str]:
    if rows.is_unnamed(entry):
        yield gettext("%(provider)s sent no name for this entry. Ask them what it is.")
    if has_more or entry.said or entry.narrative:
        return
    if isinstance(entry, ReportEntry):
        if _is_empty(entry):
            yield gettext("No result, text or file came with this report. Ask %(provider)s for it.")
    elif isinstance(entry, DocumentEntry):
        yield gettext("No file came with this document. Ask %(provider)s for it.")
    elif isinstance(entry, GenericEntry) and facts.are_bare(told, entry):  # we know its type too little to say more
        yield gettext("We could not put more of it into words. “What the provider sent” has all of it.")
    elif facts.are_bare(told, entry):
        yield gettext("We found no further details in what %(provider)s sent.")


def _is_empty(report: ReportEntry) -> bool:
    """Whether it has nothing to read, and its status does not say that it is still to come."""
    has_any = any((report.results, report.inside, report.forms, report.images))
    has_any = has_any or any((report.conclusion, report.conclusion_names))
    return not has_any and report.group not in WITHOUT_RESULT
