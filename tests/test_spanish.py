"""The Spanish translations follow Spanish typography, and keep the numbers of the English text."""

import re

import pytest

from tests.test_translations import CATALOG, PLACEHOLDER

# Each text beside the English that it is shown for: of a message with a plural, the one and the many.
PAIRS = [
    (english, spanish)
    for message, texts in CATALOG.items()
    for english, spanish in zip((message.singular, message.plural), texts, strict=False)
]
SPANISH = [spanish for _english, spanish in PAIRS]
# What no text may hold, and what it is.
MISPRINTED = {
    r"  |^\s|\s$|\s(?:\.(?!\w)|[,;:?!)”])|[(¿¡“]\s": "a space too many",
    r"\.\.\.": "three dots, which are one sign",
    r"[\"']": "a straight quotation mark",
    r"\by (?=[ií]|h[ií](?![aeo]))": 'an "and" before its own sound, where it is e',
    r"\bo (?=h?[oó])": 'an "or" before its own sound, where it is u',
    r"(?<!^)\b(Lunes|Martes|Miércoles|Jueves|Viernes|Sábado|Domingo)\b": "a day of the week with a capital",
    r"(?<!^)\b(Enero|Febrero|Marzo|Abril|Mayo|Junio|Julio|Agosto|Septiembre|Octubre|Noviembre|Diciembre)\b": "a month",
    r"\b(sólo|guión|éste|ésta|ése|ésa|aquél)\b": "an accent of former times",
}
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
# What begins small in Spanish alone: a day of the week, and what stands behind other words.
BEGIN_SMALL = {
    *("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "A to Z"),
    *("FHIR version it states", "PKCE methods it declares", "SMART version"),
    *("launch URL to register", "redirect URI to register"),
}


def _words(text: str) -> str:
    """Without what is filled in, and without tags, whose attributes have quotation marks of their own."""
    return PLACEHOLDER.sub("%", text)


def _numbers(text: str) -> list[str]:
    return sorted(NUMBER.findall(_words(text)))


def _begins_large(text: str) -> bool | None:
    """None for what begins with something that is filled in, or with a number."""
    first = _words(text).lstrip("¿¡“(")[:1]
    return first.isupper() if first.isalpha() else None


def _ends(text: str) -> bool:
    """With a full stop, which in Spanish stands behind a quotation."""
    return "." in text[len(text.rstrip('.”"')) :] and not text.endswith("EE. UU.")


class TestASpanishText:
    @pytest.mark.parametrize("pattern", MISPRINTED)
    def test_is_printed_right(self, pattern):
        assert [text for text in SPANISH if re.search(pattern, _words(text))] == [], f"holds {MISPRINTED[pattern]}"

    @pytest.mark.parametrize("marks", ["¿?", "¡!", "“”", "()"])
    def test_opens_what_it_closes(self, marks):
        assert [text for text in SPANISH if text.count(marks[0]) != text.count(marks[1])] == []

    def test_asks_where_english_asks(self):
        assert [pair for pair in PAIRS if _words(pair[0]).count("?") != _words(pair[1]).count("?")] == []

    def test_ends_a_sentence_where_english_does(self):
        assert [pair for pair in PAIRS if _ends(pair[0]) != _ends(pair[1])] == []

    def test_keeps_every_number_as_it_is_written(self):
        """A point for decimals: 6.1 never becomes 6,1."""
        assert [pair for pair in PAIRS if _numbers(pair[0]) != _numbers(pair[1])] == []

    def test_begins_with_a_capital_where_english_does(self):
        begins = [(_begins_large(english), _begins_large(text), english) for english, text in PAIRS]
        wrong = {english for one, other, english in begins if None not in (one, other) and one != other}
        assert wrong == BEGIN_SMALL

    def test_is_the_same_with_a_full_stop_and_without(self):
        told = {message.singular: texts[0] for message, texts in CATALOG.items() if not message.context}
        pairs = [(text, told[f"{english}."]) for english, text in told.items() if f"{english}." in told]
        assert [pair for pair in pairs if f"{pair[0]}." != pair[1]] == []
