"""How words are compared when somebody looks for a provider: without accents, case or punctuation."""

import unicodedata

_LONGEST_WORD = 60
_MOST_WORDS = 100


def plain_words(text: str) -> tuple[str, ...]:
    """The words of a text, lower case, accents dropped, split at everything that is neither letter nor digit."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(character for character in decomposed if not unicodedata.combining(character))
    return tuple("".join(character if character.isalnum() else " " for character in kept).split())


def plain(text: str) -> str:
    """The words of a text with one space between them."""
    return " ".join(plain_words(text))


def distinct_words(*texts: str) -> list[str]:
    """All words of the texts, each once, none longer than 60 characters, in their first order and at most a hundred."""
    return list(dict.fromkeys(word[:_LONGEST_WORD] for text in texts for word in plain_words(text)))[:_MOST_WORDS]


def search_words(*texts: str) -> str:
    """All words of the texts, each after one space, so that a search for " wo" finds a word that starts with it."""
    return "".join(f" {word}" for text in texts for word in plain_words(text))
