"""Dates and clock times that no line ends within: "September" and "30, 2026" stood one below the other. And dots
between the parts of a line, which no line begins with.

Where a date has no room on a line it goes to the next one whole; letters so large that no line has room for all of it
still break between its words, which spaces that never break would forbid.
"""

import re
from functools import cache
from html import escape
from typing import Final

from django import template
from django.utils.dates import MONTHS
from django.utils.safestring import SafeString
from django.utils.translation import override

register = template.Library()

_LANGUAGES: Final = ("en", "es")  # of `config.formats`; a provider may write in the other
_BEFORE_A_DOT: Final = re.compile(r"(?<!\s)\s++(?=·\s)")  # looked for once in a run of spaces
_DIGIT: Final = re.compile(r"\d")
# With the name of the zone, which a space that never breaks holds on to: it would begin the next line.
_CLOCK: Final = r"\d{1,2}(?::\d{2})?[ \u00a0][ap]\.[ \u00a0]?m\.(?:\u00a0[A-Z][A-Z0-9:+\u2212-]*)?"


@register.filter
def dates_whole(text: object) -> SafeString:
    """The text as markup, escaped, with each date and clock time in it held together."""
    said = escape(str(text))
    if _DIGIT.search(said) is None:  # most are names, and a page has hundreds
        return SafeString(said)  # nosec B703 - escaped above
    return SafeString(_dates().sub(_whole, said))  # nosec B703


@register.filter(is_safe=True)
def dots_kept(markup: str) -> str:
    """The same with each dot between two parts on the line of the part before it. For `{% filter %}`, around what is
    markup already."""
    return _BEFORE_A_DOT.sub("\u00a0", markup)


def _whole(found: re.Match[str]) -> str:
    return f'<span class="whole">{found[0]}</span>'


@cache
def _dates() -> re.Pattern[str]:
    months = "|".join(re.escape(month) for month in _months())
    english = rf"(?:{months}) \d{{1,4}}(?:, \d{{4}})?"
    spanish = rf"\d{{1,2}} de (?:{months})(?: de \d{{4}})?|(?:{months}) de \d{{4}}"
    return re.compile(rf"(?:\b(?:{spanish}|{english})\b|\b{_CLOCK})[.,;:)”]*")


def _months() -> list[str]:
    found = []
    for language in _LANGUAGES:
        with override(language):
            found += [str(month) for month in MONTHS.values()]
    return found
