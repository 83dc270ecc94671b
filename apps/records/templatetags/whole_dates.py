"""Dates and clock times that do not break across lines: "September" and "30, 2026" used to be on separate lines. Also,
dots between the parts of a line, which must not begin a line.

A date that does not fit on a line moves to the next one as a whole; if the letters are so large that it fits on no
line, it still breaks between its words, which non-breaking spaces would prevent.
"""

import re
from functools import cache
from html import escape
from typing import Final

from django import template
from django.conf import settings
from django.utils.dates import MONTHS
from django.utils.safestring import SafeString
from django.utils.translation import override

register = template.Library()

_BEFORE_A_DOT: Final = re.compile(r"(?<!\s)\s++(?=·\s)")  # possessive: each run of spaces is examined once
_DIGIT: Final = re.compile(r"\d")
# With the name of the zone, kept together by a non-breaking space: otherwise it would begin the next line.
_CLOCK: Final = r"\d{1,2}(?::\d{2})?[ \u00a0][ap]\.[ \u00a0]?m\.(?:\u00a0[A-Z][A-Z0-9:+\u2212-]*)?"


@register.filter
def dates_whole(text: object) -> SafeString:
    """The text as markup, escaped, with each date and clock time in it kept together."""
    said = escape(str(text))
    if _DIGIT.search(said) is None:  # most texts are names, and a page has hundreds
        return SafeString(said)  # nosec B703 - escaped above
    return SafeString(_dates().sub(_whole, said))  # nosec B703


@register.filter(is_safe=True)
def dots_kept(markup: str) -> str:
    """The markup with each dot between two parts kept on the line of the part before it. For `{% filter %}`, around
    existing markup."""
    return _BEFORE_A_DOT.sub("\u00a0", markup)


def _whole(found: re.Match[str]) -> str:
    return f'<span class="whole">{found[0]}</span>'


@cache
def _dates() -> re.Pattern[str]:
    """Dates as `config.formats` writes them in each language: a provider may use another than the page."""
    months = "|".join(re.escape(month) for month in _months())
    english = rf"(?:{months}) \d{{1,4}}(?:, \d{{4}})?"
    spanish = rf"\d{{1,2}} de (?:{months})(?: de \d{{4}})?|(?:{months}) de \d{{4}}"
    return re.compile(rf"(?:\b(?:{spanish}|{english})\b|\b{_CLOCK})[.,;:)”]*")


def _months() -> list[str]:
    found = []
    for language, _name in settings.LANGUAGES:
        with override(language):
            found += [str(month) for month in MONTHS.values()]
    return found
