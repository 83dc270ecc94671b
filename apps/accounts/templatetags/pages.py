"""Filters and tags of the shared partials: form fields, browsers, time zones, and the end of a session."""

from datetime import datetime

from django import template
from django.forms import BoundField, CheckboxInput, CheckboxSelectMultiple, RadioSelect
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from apps.accounts import session_expiry, time_zones, user_agents
from apps.accounts.session_expiry import Ending

register = template.Library()


@register.filter
def widget_kind(field: BoundField) -> str:
    """`checkbox`, `choices` (a fieldset of radio buttons or boxes) or `input`."""
    widget = field.field.widget
    if isinstance(widget, CheckboxInput):
        return "checkbox"
    if isinstance(widget, RadioSelect | CheckboxSelectMultiple):
        return "choices"
    return "input"


@register.filter
def without_placeholder(field: BoundField) -> SafeString:
    """The widget without a placeholder, which vanishes when typing starts and is too pale to read; the label says
    it."""
    return field.as_widget(attrs={"placeholder": False})


@register.filter
def in_fours(key: str) -> SafeString:
    """A key in groups of four characters, easy to read. There is no space between them, so that the key can be
    copied."""
    return format_html_join("", "<span>{}</span>", ((key[at : at + 4],) for at in range(0, len(key), 4)))


@register.filter
def browser_name(user_agent: str) -> str:
    """The browser of a User-Agent header, in words."""
    return user_agents.browser_name(user_agent)


@register.filter
def system_name(user_agent: str) -> str:
    """The system of a User-Agent header, in words."""
    return user_agents.system_name(user_agent)


@register.filter(expects_localtime=True)
def zone_name(moment: datetime) -> str:
    """The abbreviation of the time zone in which a page or a mail shows this moment."""
    return time_zones.short_name(moment)


@register.simple_tag
def session_ending(request: object) -> Ending | None:
    """The end of a signed-in person's session, if it is near.

    None on a page that answers a POST, because extending the session would lose what was typed. Error pages may have no
    request, no session or no user yet. The clock is read here, at the edge: the tag is on every page, and no view is
    concerned.
    """
    if not isinstance(request, HttpRequest) or request.method != "GET" or getattr(request, "has_no_referrer", False):
        return None
    user, session = getattr(request, "user", None), getattr(request, "session", None)
    if session is None or user is None or not user.is_authenticated:
        return None
    return session_expiry.of(session, now=timezone.now())
