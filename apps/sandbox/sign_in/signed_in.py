"""Who is signed in at the practice in this browser: for one authorization, unless they asked to stay signed in."""

import hashlib

from django.http import HttpRequest

from apps.sandbox.models import Account

_KEY = "patient_account"
_FOR = "patient_signed_in_for"
_ANY = "any"


def check(username: str, password: str) -> Account | None:
    """The enrolled account with these credentials (X6)."""
    account = Account.objects.filter(username=username.strip()).first() if "\0" not in username else None
    return account if account is not None and account.has_password(password) else None


def remember(request: HttpRequest, account: Account, *, keep: bool) -> None:
    """Sign in. The session gets a new key, against session fixation."""
    request.session.cycle_key()
    request.session[_KEY] = account.pk
    request.session[_FOR] = _ANY if keep else _this(request)


def account(request: HttpRequest) -> Account | None:
    """Who is signed in for this authorization request, if they are still enrolled."""
    if request.session.get(_FOR) not in {_ANY, _this(request)}:
        return None
    return Account.objects.filter(pk=request.session.get(_KEY, 0), is_enrolled=True).first()


def leave(request: HttpRequest) -> None:
    """This authorization is over: sign out, unless they asked to stay signed in."""
    if request.session.get(_FOR) != _ANY:
        forget(request)


def forget(request: HttpRequest) -> None:
    """Sign out."""
    request.session.pop(_KEY, None)
    request.session.pop(_FOR, None)


def _this(request: HttpRequest) -> str:
    """An authorization request is identified by its URL, state included."""
    return hashlib.sha256(request.get_full_path().encode()).hexdigest()
