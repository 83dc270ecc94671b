"""A provider's code in place of a name: told as what it is, where nothing else says what the thing is called."""

from django.utils.translation import gettext

from apps.records.presenters import heads


def told(name: str) -> str:
    """The name; a code with a word before it."""
    return gettext("Provider's code %(code)s") % {"code": name} if heads.is_code(name) else name
