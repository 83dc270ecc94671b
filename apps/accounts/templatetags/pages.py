"""Filters and tags of the shared partials: which shape a form field takes on a page, and the end of a session."""

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
    """The control alone. A placeholder vanishes when typing starts and is too pale to read; the label says it."""
    return field.as_widget(attrs={"placeholder": False})


@register.filter
def in_fours(key: str) -> SafeString:
    """A key to type, in groups that an eye can hold. Nothing stands between them: whoever copies it copies the key."""
    return format_html_join("", "<span>{}</span>", ((key[at : at + 4],) for at in range(0, len(key), 4)))


@register.filter
def browser_name(user_agent: str) -> str:
    """The browser of a User-Agent header, in a word."""
    return user_agents.browser_name(user_agent)


@register.filter
def system_name(user_agent: str) -> str:
    """The system of a User-Agent header, in a word."""
    return user_agents.system_name(user_agent)


@register.filter(expects_localtime=True)
def zone_name(moment: datetime) -> str:
    """The zone in which a page or a letter tells this moment, beside its time."""
    return time_zones.short_name(moment)


@register.simple_tag
def session_ending(request: object) -> Ending | None:
    """The near end of the session of somebody signed in. Not on the page of a form that was sent: what was typed would
    be lost on the way. Nor where a page holds no form, or one of an error knows of no request, or of nobody yet.

    The clock is read here, at the edge: this stands on every page, and no view has anything to do with it."""
    if not isinstance(request, HttpRequest) or request.method != "GET" or getattr(request, "is_named_to_nobody", False):
        return None
    user, session = getattr(request, "user", None), getattr(request, "session", None)
    if session is None or user is None or not user.is_authenticated:
        return None
    return session_expiry.of(session, now=timezone.now())
