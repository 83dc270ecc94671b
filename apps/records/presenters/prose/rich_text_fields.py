"""Form fields of an RTF document: boxes, and lists of choices (RTF 1.9.1, form fields). What was filled in is among the
control words about the field, which are not text."""

from typing import Final

from apps.records.presenters.prose import forms

_BOX: Final = 1
_LIST: Final = 2
_UNSET: Final = 25  # what Word writes for a box that nobody touched
_MOST: Final = 200
_WORDS: Final = frozenset({"fftype", "ffres", "ffdefres"})


class Field:
    """What we know of the current field."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._choices: list[str] = []
        self.has_result = False  # whether the document itself contains the result as text

    def describe(self, word: str, number: int | None) -> None:
        """Take a control word about the field."""
        if word in _WORDS:
            self._numbers[word] = number or 0
        elif word == "ffl" and len(self._choices) < _MOST:
            self._choices.append("")

    def name_choice(self, text: str) -> None:
        """Take a part of the name of the last choice."""
        if self._choices:
            self._choices[-1] += text

    @property
    def said(self) -> str:
        """What was filled in; empty if the document itself contains it as text, or if it is another kind of field."""
        kind, result = self._numbers.get("fftype"), self._numbers.get("ffres", _UNSET)
        result = self._numbers.get("ffdefres", 0) if result == _UNSET else result
        if self.has_result or kind not in {_BOX, _LIST}:
            return ""
        if kind == _BOX:
            return forms.TICKED if result else forms.UNTICKED
        return self._choices[result].strip() if 0 <= result < len(self._choices) else forms.EMPTY
