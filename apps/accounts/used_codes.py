"""A code from an authenticator app works only once (RFC 6238, section 5.2).

The library remembers a used code for one time step, but accepts it for three: our tolerance is one step either way.
Somebody who saw a code being typed, and has the password, could use it again half a minute later.
"""

from allauth.core.internal.cryptokit import normalize_user_code
from allauth.mfa import app_settings
from django.core.cache import cache

from apps.accounts.models import User


def is_first_use(user: User, code: str) -> bool:
    """Whether this valid code was not used before. Marks it as used, for as long as it would be valid."""
    steps = 2 * app_settings.TOTP_TOLERANCE + 1
    key = f"used-code:{user.pk}:{normalize_user_code(code)}"
    is_first: bool = cache.add(key, 1, timeout=steps * app_settings.TOTP_PERIOD)
    return is_first
