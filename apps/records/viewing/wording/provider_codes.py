"""What a provider calls a thing, as a page tells it: a code in place of a name as what it is, where nothing else says
what the thing is called, and a name of SNOMED CT without its kind."""

from django.utils.translation import gettext

from apps.records.presenters import codeable_concepts
from apps.records.viewing.wording import snomed_kinds


def told(name: str) -> str:
    """The name; a code with a word before it. A name that says no more than "unknown" is none."""
    if codeable_concepts.is_code(name):
        return in_words(name)
    plain = snomed_kinds.without(name)
    return "" if plain != name and plain.casefold() == "unknown" else plain


def in_words(code: str) -> str:
    """A code, said to be one."""
    return gettext("Provider's code %(code)s") % {"code": code}
