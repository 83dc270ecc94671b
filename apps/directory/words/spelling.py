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
# Letters that no decomposition turns into plain ones.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "\u0131": "i", "&": " and "}
)
# Ways to write one word, none of which begins the other.
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
    """The words of a text, lower case, accents and apostrophes dropped, split at everything else that is neither
    letter nor digit; "&" is "and", and "P.C." one word."""
    told = _INITIALS.sub("", _APOSTROPHES.sub("", text))
    if told.isascii():  # what most names are, ten times faster
        return tuple(_ASCII_WORDS.findall(told.lower().replace("&", " and ")))
    decomposed = unicodedata.normalize("NFKD", told.casefold().translate(_LETTERS))
    kept = "".join(character for character in decomposed if not unicodedata.combining(character))
    return tuple("".join(character if character.isalnum() else " " for character in kept).split())


def plain(text: str) -> str:
    """The words of a text with one space between them, without the article it may begin with."""
    words = plain_words(text)
    return " ".join(words[1:] if len(words) > 1 and words[0] == "the" else words)


def other_spellings(word: str) -> tuple[str, ...]:
    """How else a plain word is written: "saint" and "st", "center" and "ctr"."""
    return _OTHER_SPELLINGS.get(word, ())


def name_words(name: str) -> tuple[str, ...]:
    """The plain words of a name, and beside them each in its other spellings and the parts of joined ones."""
    return tuple(dict.fromkeys(_name_words(name)))


def state_words(state: str) -> tuple[str, ...]:
    """The plain words of a state in both ways to write it."""
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
    """Every word by which a provider is found: each once, none longer than 60 characters, at most a hundred.

    A state is found by its code and by its name, an address by what its host says of whose it is. Portals are those
    through which patients of the provider sign in; `system_name` is that of the provider it is a site of.
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
