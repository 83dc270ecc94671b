"""What casts doubt on a result, in words."""

from collections.abc import Iterable, Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records.presenters.entry import Doubt
from apps.records.presenters.observations.doubts import Kind

_WORDS: Final[Mapping[str, str | Promise]] = {
    Kind.INTERFERED_BY: _("Interfered by"),
    Kind.QUALIFIED_BY: _("Qualified by"),
    Kind.SAMPLE_NOT_USABLE: _("The sample could not be used"),
    Kind.SAMPLE_CLOTTED: _("The sample had clotted"),
    Kind.SAMPLE_CONTAMINATED: _("The sample was contaminated"),
    Kind.SAMPLE_DAMAGED: _("The sample was damaged (autolyzed)"),
    Kind.SAMPLE_HEMOLYZED: _("Blood cells in the sample had burst (hemolyzed)"),
    Kind.SAMPLE_NOT_RECEIVED: _("The sample was not received"),
}


def each(doubts: Iterable[Doubt]) -> tuple[str, ...]:
    """A line for each."""
    return tuple(filter(None, map(_one, doubts)))


def _one(doubt: Doubt) -> str:
    said = str(_WORDS.get(doubt.kind, ""))
    return f"{said}: {doubt.of}" if said and doubt.of else said
