"""What happens around signing in: it is logged, a new browser and a wrong code are reported by mail, the language
follows the person."""

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
    """Log the sign-in; mail its owner when the browser is new; set the cookies that belong to the person.

    `is_first` is the sign-in that ends signing up: its browser is the owner's own, and there is no news in it.
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
    """The password was right, and the code after it wrong: log it. Where that was in no browser of theirs its owner is
    mailed, because somebody else may have the password."""
    is_news = failed_sign_ins.note_failure(user, Method.CODE, at=at)
    if is_news and not known_browsers.is_known_to(user.email, request):
        _mail("accounts/email/wrong_code", user, request.headers.get("User-Agent", ""), at=at)


def _mail(template_prefix: str, user: User, user_agent: str, *, at: datetime) -> None:
    with mailing.not_in_the_way(user):
        mailing.send(template_prefix, to=user.email, context={"at": at, "user_agent": user_agent})
