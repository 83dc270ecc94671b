"""Links that restrict a list, as markup: a list of documents has a dozen names to choose from, and years."""

from collections.abc import Callable, Iterable
from html import escape
from typing import Final
from urllib.parse import parse_qsl, urlencode

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from apps.records.templatetags.record_words import filtered
from apps.records.viewing import queries
from apps.records.viewing.listing.filters import Filters
from apps.records.viewing.listing.narrowing import Choice
from apps.records.viewing.wording import long_names

register = template.Library()

_LONGEST_NAME: Final = 60  # of one name among several side by side
_ANY: Final = "-"  # a placeholder for the choice: no mark or year equals it


@register.simple_tag
def names_to_choose(choices: Iterable[Choice], filters: Filters, by: str) -> SafeString:
    """Each name as a link to the list restricted to it, starting at its first page; the link of a chosen name removes
    the restriction."""
    address = _addresses(filters, by)
    return _markup(_name(one, "" if one.is_on else one.mark, address) for one in choices)


@register.simple_tag
def years_to_choose(years: Iterable[str], filters: Filters) -> SafeString:
    """The same for years."""
    address = _addresses(filters, "year")
    return _markup(f'<a class="chip" href="{address(year)}">{escape(year)}</a>' for year in years)


@register.simple_tag
def copy_query(subject: object, source: object, of_one: str) -> str:
    """The query for the page that makes a copy: limited to one list, one connection and one person, as far as these are
    given."""
    asked = {"only": subject, queries.SOURCE: source}
    told = [(name, str(value)) for name, value in asked.items() if value] + parse_qsl(of_one.removeprefix("?"))
    return f"?{urlencode(told)}" if told else ""


def _addresses(filters: Filters, name: str) -> Callable[[str], str]:
    """A function that returns the address of the list for a choice with that name. The addresses differ only in one
    place."""
    before, _any, after = filtered(filters, page=1, **{name: _ANY}).partition(f"{name}={_ANY}")
    without = filtered(filters, page=1, **{name: ""})
    return lambda chosen: escape(f"{before}{name}={chosen}{after}" if chosen else without)


def _name(choice: Choice, mark: str, address: Callable[[str], str]) -> str:
    name = long_names.cut(choice.name, _LONGEST_NAME)
    if not choice.is_on:
        return f'<a class="chip" href="{address(mark)}">{escape(name)}</a>'
    removes = f'<span aria-hidden="true">✕</span><span class="visually-hidden">{escape(gettext("remove"))}</span>'
    return f'<a class="chip on" href="{address(mark)}">{escape(name)} {removes}</a>'


def _markup(links: Iterable[str]) -> SafeString:
    return SafeString("\n".join(links))  # nosec B703 - all text in them is escaped
