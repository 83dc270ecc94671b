"""A code from an app lets in once (RFC 6238, section 5.2).

The library remembers a code that was used for one step of the clock, and would take it for three: our tolerance is a
step either way. Whoever has seen a code typed, and has the password, could use it once more half a minute later.
"""

from allauth.core.internal.cryptokit import normalize_user_code
from allauth.mfa import app_settings
from django.core.cache import cache

from apps.accounts.models import User


def is_first_use(user: User, code: str) -> bool:
    """Whether nobody has used this right code of theirs; from now on somebody has, for as long as it is right."""
    steps = 2 * app_settings.TOTP_TOLERANCE + 1
    key = f"used-code:{user.pk}:{normalize_user_code(code)}"
    is_first: bool = cache.add(key, 1, timeout=steps * app_settings.TOTP_PERIOD)
    return is_first
