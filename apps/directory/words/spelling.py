"""How words are compared when somebody looks for a provider: without accents, case or punctuation."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from apps.directory.words import places, web_addresses

LONGEST_WORD = 60
_MOST_WORDS = 100
_APOSTROPHES = re.compile(r"['\u2018\u2019\u02bc\u02bb`\u00b4]")
_INITIALS = re.compile(r"(?<=\b[^\W\d_])\.(?=[^\W\d_]\b)")
_ASCII_WORDS = re.compile(r"[a-z0-9]+")
_JOINED_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")  # HealthPartners
# Letters that Unicode does not decompose into plain ones.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "\u0131": "i", "&": " and "}
)
# Spellings of one word, none of which is a prefix of another.
_SAME = (
    ("saint", "st", "ste", "sainte"),
    ("mount", "mt"),
    ("fort", "ft"),
    ("center", "centre", "ctr", "cntr"),
    ("group", "grp"),
    ("health", "hlth"),
    ("healthcare", "hlthcare"),
    ("service", "svc"),
    ("services", "svcs"),
    ("association", "assn"),
    ("department", "dept"),
    ("international", "intl"),
    ("national", "natl"),
    ("county", "cnty", "cty"),
    ("regional", "rgnl"),
    ("physicians", "phys"),
    ("pediatric", "paediatric", "ped"),
    ("pediatrics", "paediatrics", "peds"),
    ("orthopedic", "orthopaedic"),
    ("orthopedics", "orthopaedics"),
    ("gynecology", "gynaecology"),
    ("hematology", "haematology"),
    ("anesthesiology", "anaesthesiology"),
    ("northeast", "ne"),
    ("northwest", "nw"),
    ("southeast", "se"),
    ("southwest", "sw"),
    ("doctor", "dr"),
    ("doctors", "drs"),
    ("first", "1st"),
    ("second", "2nd"),
    ("third", "3rd"),
)
_OTHER_SPELLINGS = {word: tuple(other for other in same if other != word) for same in _SAME for word in same}


def plain_words(text: str) -> tuple[str, ...]:
    """The words of a text in lower case, without accents and apostrophes, split at everything else that is neither
    letter nor digit; "&" is "and", and "P.C." is one word."""
    told = _INITIALS.sub("", _APOSTROPHES.sub("", text))
    if told.isascii():  # most names are, and this is ten times faster
        return tuple(_ASCII_WORDS.findall(told.lower().replace("&", " and ")))
    decomposed = unicodedata.normalize("NFKD", told.casefold().translate(_LETTERS))
    kept = "".join(character for character in decomposed if not unicodedata.combining(character))
    return tuple("".join(character if character.isalnum() else " " for character in kept).split())


def plain(text: str) -> str:
    """The words of a text joined by single spaces, without a leading article."""
    words = plain_words(text)
    return " ".join(words[1:] if len(words) > 1 and words[0] == "the" else words)


def other_spellings(word: str) -> tuple[str, ...]:
    """Other spellings of a plain word: "saint" and "st", "center" and "ctr"."""
    return _OTHER_SPELLINGS.get(word, ())


def name_words(name: str) -> tuple[str, ...]:
    """The plain words of a name, with other spellings of each and the parts of joined words."""
    return tuple(dict.fromkeys(_name_words(name)))


def state_words(state: str) -> tuple[str, ...]:
    """The plain words of a state's name and code."""
    return (*plain_words(state), *plain_words(places.other_name(plain(state))))


def provider_words(
    *,
    name: str,
    aliases: Iterable[str] = (),
    city: str = "",
    state: str = "",
    postal_code: str = "",
    website: str = "",
    portal_names: Iterable[str] = (),
    portal_urls: Iterable[str] = (),
    system_name: str = "",
) -> list[str]:
    """Every word by which a provider is found: each once, at most 60 characters long, at most a hundred.

    A state is found by its code and its name, an address by the parts of its host that name its owner. Portals are
    those through which the provider's patients sign in; `system_name` is that of the provider of which it is a site.
    """
    words = (
        *name_words(name),
        *plain_words(city),
        *state_words(state),
        *plain_words(postal_code),
        *(word for url in (website, *portal_urls) for word in web_addresses.words(url)),
        *(word for text in (*aliases, *portal_names, system_name) for word in name_words(text)),
    )
    return list(dict.fromkeys(word[:LONGEST_WORD] for word in words))[:_MOST_WORDS]


def _name_words(name: str) -> Iterator[str]:
    for word in plain_words(name):
        yield word
        yield from other_spellings(word)
    for joined in name.split():
        parts = _JOINED_WORDS.split(joined)
        if len(parts) > 1:
            yield from (word for part in parts for word in plain_words(part))
        broken = _APOSTROPHES.sub(" ", joined)
        if broken != joined:
            yield from (word for word in plain_words(broken) if len(word) > 1)
