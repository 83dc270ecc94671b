"""Blood pressures as people say them: "128 over 82 millimeters of mercury". A screen reader would take 128/82 mmHg for
a fraction or a date (patient experience 3.4 and 8)."""

import re
from typing import Final

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import gettext

register = template.Library()

_PRESSURE: Final = re.compile(r"(?<![\d./])(\d{2,3}(?:\.\d+)?)/(\d{2,3}(?:\.\d+)?) mm\[?Hg\]?")


@register.filter
def pressures_spoken(markup: SafeString) -> SafeString:
    """The markup with blood pressures in two forms: one is visible but not read aloud, the other is read aloud but not
    visible."""
    if "mm" not in markup or "/" not in markup:  # as in nearly all texts
        return markup
    return SafeString(_PRESSURE.sub(_spoken, markup))  # nosec B703 - digits and constants, within markup


def _spoken(found: re.Match[str]) -> str:
    words = gettext("%(upper)s over %(lower)s millimeters of mercury") % {"upper": found[1], "lower": found[2]}
    return f'<span aria-hidden="true">{found[0]}</span><span class="visually-hidden">{words}</span>'
