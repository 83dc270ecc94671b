"""The lines under a provider's name in the results. Made here and not in a template, because a page that follows the
typing has many of them."""

from collections.abc import Sequence

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.directory.models import Provider
from apps.directory.searching.candidates import Candidate

MOST_SITES = 3


def lines(provider: Provider, *, sites: Sequence[Candidate], system_name: str) -> list[str]:
    """What it is and where, or the matching sites; its system; and whether it is invented."""
    said = _of_sites(provider, sites) if sites else [what_it_is(provider)]
    if system_name:
        said.append(_("Part of {system}").format(system=system_name))
    if provider.is_sandbox:
        said.append(_("Practice provider, not real"))
    return said


def what_it_is(provider: Provider) -> str:
    """ "Practice · Portland, OR". A provider of no particular kind is not called one where its place is known."""
    place = _place(provider.city, provider.state)
    is_plain = provider.kind == Provider.Kind.OTHER and place
    return place if is_plain else _joined(capfirst(provider.get_kind_display()), place)


def _of_sites(provider: Provider, sites: Sequence[Candidate]) -> list[str]:
    """With the name if it differs from the provider's, otherwise only the place."""
    every = dict.fromkeys(
        _joined("" if site.plain_name == provider.plain_name else site.name, _place(site.city, site.state)) or site.name
        for site in sites
    )
    said = list(every)[:MOST_SITES]
    if more := len(every) - len(said):
        said.append(ngettext("and {count} more place", "and {count} more places", more).format(count=more))
    return said


def _place(city: str, state: str) -> str:
    return f"{city}, {state}" if city and state else city or state


def _joined(first: str, second: str) -> str:
    return f"{first} · {second}" if first and second else first or second
