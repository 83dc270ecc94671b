"""A sign-in, or a new password with a mailed code, that was begun and not finished: whether it may still be finished.

Both take several pages, and the library keeps in the session how far somebody came, for half an hour. Meanwhile the
account may change in another browser, where its session is unknown. Then what was proven before counts no more: a
password that is no longer the password, a mailbox that is no longer the owner's. So what the account was like is noted
when they begin, and compared on every page.
"""

from uuid import UUID

from allauth.account.internal.flows.email_verification_by_code import EMAIL_VERIFICATION_CODE_SESSION_KEY
from allauth.account.internal.flows.password_reset_by_code import PASSWORD_RESET_VERIFICATION_SESSION_KEY
from allauth.account.internal.stagekit import LOGIN_SESSION_KEY, clear_login
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from django.contrib import messages
from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from apps.accounts.models import User

_SIGN_IN = "begun_sign_in"
_RESET = "begun_reset"
_STEPS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)

Note = tuple[str, str]  # the account, and a digest of what it was like


def note_sign_in(session: SessionBase, user: User) -> None:
    """Note the account whose password or passkey was right."""
    session[_SIGN_IN] = _note(user, _has_step(user))


def note_reset(session: SessionBase, user: User | None) -> None:
    """Note the account to whose address a code is mailed, if there is one."""
    session[_RESET] = _note(user) if user else None


def forget_sign_in(session: SessionBase) -> None:
    """It was finished."""
    session.pop(_SIGN_IN, None)


def drop_outdated(request: HttpRequest) -> None:
    """Drop what may not be finished: the person begins again, with what is right now."""
    session = request.session
    if session.get(LOGIN_SESSION_KEY, {}).get("user_pk") and not _holds_sign_in(session.get(_SIGN_IN)):
        clear_login(request)
        session.pop(EMAIL_VERIFICATION_CODE_SESSION_KEY, None)
        messages.info(request, _("Your account has changed since you began. Please start again."))
    reset = session.get(PASSWORD_RESET_VERIFICATION_SESSION_KEY)
    if reset and reset.get("user_id") and not _holds(session.get(_RESET)):
        _drop_reset(request, has_proven_mailbox=reset.get("code_confirmed", False))


def _drop_reset(request: HttpRequest, *, has_proven_mailbox: bool) -> None:
    """Whoever did not prove the mailbox learns nothing: as for an address without an account, no code is right."""
    session = request.session
    if has_proven_mailbox:
        del session[PASSWORD_RESET_VERIFICATION_SESSION_KEY]
        messages.info(request, _("Your account has changed since you began. Please start again."))
        return
    reset = session[PASSWORD_RESET_VERIFICATION_SESSION_KEY]
    session[PASSWORD_RESET_VERIFICATION_SESSION_KEY] = {
        name: value for name, value in reset.items() if name not in {"user_id", "code"}
    }


def _holds_sign_in(note: Note | None) -> bool:
    user = _user(note)
    return user is not None and _holds(note, _has_step(user))


def _holds(note: Note | None, *more: bool) -> bool:
    user = _user(note)
    return user is not None and note is not None and constant_time_compare(note[1], _note(user, *more)[1])


def _user(note: Note | None) -> User | None:
    return User.objects.filter(pk=UUID(note[0])).first() if note else None


def _has_step(user: User) -> bool:
    return bool(get_adapter().is_mfa_enabled(user, _STEPS))


def _note(user: User, *more: bool) -> Note:
    now = repr((user.password, user.email, user.is_active, *more))
    return str(user.pk), salted_hmac(__name__, now, algorithm="sha256").hexdigest()
