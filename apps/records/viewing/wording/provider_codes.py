"""The provider's name for a thing, as a page shows it: a code sent in place of a name is labeled as a code, if nothing
else names the thing, and a name from SNOMED CT loses its kind."""

from django.utils.translation import gettext

from apps.records.presenters import codeable_concepts
from apps.records.viewing.wording import snomed_kinds


def told(name: str) -> str:
    """The name; a code gets a word before it. A name that only says "unknown" counts as none."""
    if codeable_concepts.is_code(name):
        return in_words(name)
    plain = snomed_kinds.without(name)
    return "" if plain != name and plain.casefold() == "unknown" else plain


def in_words(code: str) -> str:
    """A code, labeled as one."""
    return gettext("Provider's code %(code)s") % {"code": code}
