"""A person's session at the authorization server, on which online access depends (specification 5.2.3, X48).

It begins with the first sign-in of a browser, belongs to one account, and ends when they sign out, when somebody else
signs in, or when staff end it. Its key is not that of the cookie, which changes at every sign-in.
"""

import secrets
from datetime import datetime

from django.http import HttpRequest

from apps.sandbox.models import Account, SmartGrant
from apps.sandbox.sign_in import signed_in
from apps.sandbox.smart import ending

_KEY = "smart_session"


def key_for(request: HttpRequest, account: Account, *, at: datetime) -> str:
    """The key of this account's session in this browser; another account's session ends."""
    known = request.session.get(_KEY)
    if known and known["account"] == account.pk:
        return str(known["key"])
    _close(request, reason="somebody else signed in", at=at)
    request.session[_KEY] = {"account": account.pk, "key": secrets.token_hex(16)}
    return str(request.session[_KEY]["key"])


def end(request: HttpRequest, *, reason: str, at: datetime) -> int:
    """End this browser's session: nobody is signed in, and its online access ends. Returns how many grants that
    ended."""
    signed_in.forget(request)
    return _close(request, reason=reason, at=at)


def _close(request: HttpRequest, *, reason: str, at: datetime) -> int:
    known = request.session.pop(_KEY, None)
    return ending.end(SmartGrant.objects.filter(session_key=known["key"]), reason=reason, at=at) if known else 0
