"""What happens around signing in: it is logged, an unknown browser or a wrong code is reported by mail, and the
language is set to the person's.
"""

from datetime import datetime

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from apps.accounts import (
    account_events,
    ended_sessions,
    failed_sign_ins,
    known_browsers,
    lockout,
    mailing,
    user_sessions,
)
from apps.accounts.failed_sign_ins import Method
from apps.accounts.models import User
from apps.audit.recording import EventType


def complete(request: HttpRequest, response: HttpResponse, user: User, *, at: datetime, is_first: bool) -> None:
    """Log the sign-in, mail the owner if the browser is unknown, and set the person's cookies.

    `is_first`: the sign-in that completes signing up. Its browser is the owner's own, so there is nothing to report.
    """
    account_events.record(EventType.USER_SIGNED_IN, user, at=at)
    user_agent = request.headers.get("User-Agent", "")
    user_sessions.describe(request.session, ip_address=lockout.client_address(request), user_agent=user_agent, at=at)
    is_known = known_browsers.remember(request, response, user)
    if not is_known and not is_first:
        _mail("accounts/email/new_sign_in", user, user_agent, at=at)
    ended_sessions.mark(response)
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME, user.language, secure=settings.SESSION_COOKIE_SECURE, samesite="Lax"
    )


def refuse_code(request: HttpRequest, user: User, *, at: datetime) -> None:
    """Log a wrong code after a right password. If the browser is unknown, the owner gets a mail, because somebody else
    may have the password."""
    is_news = failed_sign_ins.note_failure(user, Method.CODE, at=at)
    if is_news and not known_browsers.is_known_to(user.email, request):
        _mail("accounts/email/wrong_code", user, request.headers.get("User-Agent", ""), at=at)


def _mail(template_prefix: str, user: User, user_agent: str, *, at: datetime) -> None:
    with mailing.failures_logged(user):
        mailing.send(template_prefix, to=user.email, context={"at": at, "user_agent": user_agent})
