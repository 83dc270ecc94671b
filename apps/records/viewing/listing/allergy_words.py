"""What the head of a page says about allergies: how many there are, and which provider recorded that there are none.

It is said for each provider and never combined: "no known allergies" from one does not refute what another lists, and
neither is the same as nothing sent (patient experience 3.2).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final
from uuid import UUID

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from apps.records import counts, senders
from apps.records.presenters.absences import Absence
from apps.records.presenters.allergies import AllergyHead, Group
from apps.records.presenters.datatypes import dates
from apps.records.senders import Sender
from apps.records.shelving.reading import Shelved
from apps.records.viewing.listing import rows
from apps.records.viewing.opening.whole import Source
from apps.records.viewing.wording import cautions, long_names

_NONE_KNOWN: Final[Mapping[Absence, str | Promise]] = {
    Absence.MEDICINE_ALLERGIES: _("%(provider)s recorded “no known medicine allergies” %(when)s."),
    Absence.FOOD_ALLERGIES: _("%(provider)s recorded “no known food allergies” %(when)s."),
    Absence.ENVIRONMENT_ALLERGIES: _("%(provider)s recorded “no known allergies to things around you” %(when)s."),
    Absence.LATEX_ALLERGIES: _("%(provider)s recorded “no known latex allergy” %(when)s."),
}
_ROOM: Final = 600  # characters for a line of names: about thirty names
_LONGEST_NAME: Final = 300  # several things in one name are shorter; a longer one would crowd out the others
_NONE_KNOWN_AT_ALL: Final = _("%(provider)s recorded “no known allergies” %(when)s.")


@dataclass(frozen=True)
class Allergies:
    """`names` are those on lists now, each once per person; `sentences` are what providers say instead of any; `silent`
    are the providers that sent nothing, and `awaited` those whose record has not been copied completely. `has_more` if
    not everything on the lists could be read for this."""

    names: tuple[str, ...]
    sentences: tuple[str, ...]
    silent: tuple[str, ...]
    awaited: tuple[str, ...] = ()
    has_more: bool = False

    @property
    def says_something(self) -> bool:
        """Whether there is more to say than that nothing came."""
        return bool(self.names or self.sentences)

    @property
    def is_to_be_said(self) -> bool:
        """Whether there is anything to say besides the list of allergies, which has notices of its own."""
        return self.says_something or bool(self.silent or self.awaited)

    @property
    def headline(self) -> str:
        """How many there are, or the least number; empty if there are none."""
        count = len(self.names)
        if self.has_more:
            said = ngettext(
                "At least %(count)s allergy or reaction on your lists",
                "At least %(count)s allergies or reactions on your lists",
                count,
            )
        else:
            said = ngettext(
                "%(count)s allergy or reaction on your lists", "%(count)s allergies or reactions on your lists", count
            )
        return said % {"count": counts.grouped(count)} if count else ""

    @property
    def listed(self) -> str:
        """The names on one line, each complete, since half a name may be another name. If there are too many, it ends
        with the number of the others. A name too long to be one is cut with an ellipsis."""
        lengths = accumulate(len(name) + 3 for name in self.names)
        fitting = max(sum(length <= _ROOM for length in lengths), 1)
        left = len(self.names[fitting:])
        told = (
            (ngettext("and %(count)s more", "and %(count)s more", left) % {"count": counts.grouped(left)},)
            if left
            else ()
        )
        return " · ".join((*self.names[:fitting], *told))


def of(entries: Sequence[Shelved], sources: Mapping[UUID, Source], sent: Iterable[UUID], *, held: int) -> Allergies:
    """`entries` come from the allergies' shelves, as `reading.begun` returns them; `sent` are the connections that sent
    any; `held` is how many are on lists now, whether read or not."""
    told = [(one, one.entry) for one in entries if isinstance(one.entry, AllergyHead)]
    on_lists = [(one.connection_id, entry) for one, entry in told if entry.group == Group.CURRENT or not entry.group]
    names = dict.fromkeys(_name(entry, sources[key].person) for key, entry in on_lists if not entry.is_withheld)
    hidden = [(key, _name(entry, sources[key].person)) for key, entry in on_lists if entry.is_withheld]
    listing = {key for key, _entry in on_lists}
    sentences: dict[str, list[str]] = defaultdict(list)  # by the sentence that names no way of reading
    for one, entry in told:
        if entry.group in {Group.NONE_KNOWN, Group.NO_INFORMATION}:
            source = sources[one.connection_id]
            others_list = any(_is_anothers(key, one.connection_id, sources) for key in listing)
            said = [_said(name, entry, others_list=others_list) for name in (source.name, source.provider)]
            sentences[said[0]].append(said[1])
    heard = set(sent)
    unheard = [one for key, one in sources.items() if key not in heard]
    silent = senders.together([Sender(one.name, one.provider) for one in unheard if one.checked_at is not None])
    awaited = senders.together([Sender(one.name, one.provider) for one in unheard if one.checked_at is None])
    said_once = (said if len(set(each)) > 1 else each[0] for said, each in sentences.items())
    return Allergies(
        (*names, *_without_names(hidden, sources)), tuple(said_once), silent, awaited, has_more=held > len(on_lists)
    )


def _without_names(hidden: Iterable[tuple[UUID, str]], sources: Mapping[UUID, Source]) -> Iterator[str]:
    """Names for those without details. They are never assumed to be the same, but if a provider's record is read in
    several ways, their number is the largest of any one way."""
    counted: dict[tuple[UUID, str], Counter[UUID]] = defaultdict(Counter)
    for key, name in hidden:
        counted[sources[key].connection.provider_id, name][key] += 1
    for (_provider, name), ways in counted.items():
        yield from [name] * max(ways.values())


def _name(entry: AllergyHead, person: str) -> str:
    name = cautions.named(long_names.cut(rows.names(entry)[0], _LONGEST_NAME), entry)
    return f"{name} ({person})" if person else name


def _is_anothers(listing: UUID, silent: UUID, sources: Mapping[UUID, Source]) -> bool:
    """Whether they are different providers of the same person."""
    one, other = sources[listing], sources[silent]
    return one.connection.provider_id != other.connection.provider_id and one.person == other.person


def _said(provider: str, entry: AllergyHead, *, others_list: bool) -> str:
    if entry.group == Group.NO_INFORMATION:
        return gettext("%(provider)s has no information about allergies.") % {"provider": provider}
    sentence = str(_NONE_KNOWN_AT_ALL if entry.absence is None else _NONE_KNOWN.get(entry.absence, _NONE_KNOWN_AT_ALL))
    said = " ".join(
        filter(None, (sentence % {"provider": provider, "when": dates.sent_on(entry.when.starts)}, cautions.of(entry)))
    )
    if not others_list:
        return said
    return f"{said} " + gettext("Another provider lists allergies or reactions. Tell %(provider)s about them.") % {
        "provider": provider
    }
