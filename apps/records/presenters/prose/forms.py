"""What was filled in in an HTML form (HTML, 4.10): what is ticked, chosen and entered, and what is not.

Ticks are in attributes, not in the text, and the text has the options that were not chosen beside those that were. So
we show both with marks like those on a paper form, which belong to no language.
"""

from dataclasses import dataclass, field
from typing import Final

from apps.records.presenters.prose.markup import Piece, PieceKind, attributes

TICKED: Final = "[x]"
UNTICKED: Final = "[ ]"
EMPTY: Final = "____"
MARKS: Final = (TICKED, UNTICKED, EMPTY)
CONTROLS: Final = frozenset({"input", "select", "textarea", "label"})

_BOXES: Final = frozenset({"checkbox", "radio"})
_BUTTONS: Final = frozenset({"submit", "button", "reset"})
_UNSEEN: Final = frozenset({"hidden", "image"})  # inputs whose value readers do not see
_STATES: Final = {"true": TICKED, "false": UNTICKED}
_OF_CHOICES: Final = frozenset({"option", "optgroup", "hr", "span", "b", "i", "em", "strong", "small"})
_LONGEST_GROUP: Final = 200  # characters of a group's name, which is repeated with each choice in it


@dataclass(frozen=True)
class Entry:
    """What one control says, and its id, by which a label may refer to it. A box is a control that is ticked or not."""

    said: str
    name: str = ""
    is_box: bool = False


def entry(written: str) -> Entry:
    """The entry of an `input` with these attributes; empty if browsers do not show it."""
    said = attributes(written)
    kind, name = said.get("type", "").strip().lower(), said.get("id", "")
    if kind in _BOXES:
        return Entry(TICKED if "checked" in said else UNTICKED, name, is_box=True)
    value = " ".join(said.get("value", "").split())
    if kind in _UNSEEN or kind in _BUTTONS:
        return Entry(value if kind in _BUTTONS else "")
    return Entry(EMPTY if kind == "password" else value or EMPTY, name)


def drawn(piece: Piece) -> Entry | None:
    """The entry of a box that a page made of another element (WAI-ARIA, aria-checked); None if it is not a box."""
    if piece.kind is not PieceKind.START or piece.value in CONTROLS:
        return None
    state = _STATES.get(attributes(piece.attributes).get("aria-checked", ""))
    return None if state is None else Entry(state, is_box=True)


@dataclass
class _Option:
    group: str
    is_chosen: bool
    label: str
    said: list[str] = field(default_factory=list)

    @property
    def words(self) -> str:
        words = " ".join("".join(self.said).split()) or self.label
        return f"{self.group}: {words}" if self.group and words else words


class Choice:
    """A `select`, of which a page shows only what was chosen. If no option is marked, browsers show the first, but
    nobody knows whether it was chosen: we show all options as not chosen."""

    def __init__(self, written: str) -> None:
        self._takes_many = "multiple" in attributes(written)
        self._options: list[_Option] = []
        self._is_in_option = False
        self._group = ""
        self._loose: list[str] = []

    def take(self, piece: Piece) -> bool:
        """Take the next piece, and return whether it belongs to the select. One that cannot belong ends the select,
        even without an end tag."""
        if piece.kind is PieceKind.TEXT:
            (self._options[-1].said if self._is_in_option else self._loose).append(piece.value)
            return True
        if piece.kind not in {PieceKind.START, PieceKind.END} or piece.value not in _OF_CHOICES:
            return False
        said = attributes(piece.attributes)
        if piece.value in {"option", "optgroup"}:
            self._is_in_option = piece.value == "option" and piece.kind is PieceKind.START
        if piece.value == "optgroup":
            self._group = said.get("label", "")[:_LONGEST_GROUP] if piece.kind is PieceKind.START else ""
        elif self._is_in_option and piece.value == "option":
            self._options.append(_Option(self._group, "selected" in said, said.get("label", "")))
        return True

    @property
    def said(self) -> str:
        """What was chosen; if nothing was, all options as not chosen."""
        chosen = [option.words or EMPTY for option in self._options if option.is_chosen]
        if chosen:
            return "; ".join(chosen if self._takes_many else chosen[-1:])
        loose = " ".join("".join(self._loose).split())
        return " ".join(filter(None, (loose, *(f"{UNTICKED} {option.words}" for option in self._options)))) or EMPTY


class Labels:
    """Puts what controls say into the text of a block (a list of parts) beside their labels. The mark of a box goes
    before its label, and each label on a line of its own, so that nobody takes it for the mark of a neighbor."""

    def __init__(self) -> None:
        self._at = -1  # where the open label began; below 0: no label is open
        self._boxes: list[int] = []  # the positions of boxes in the open label
        self._for: dict[str, int] = {}  # where labels began, by the control that each is for
        self._last: tuple[Entry, int, bool] | None = None  # control after the last label, position, is it after text

    def forget(self) -> None:
        """Forget all labels, because the block ends."""
        self._at, self._last = -1, None
        self._boxes.clear()
        self._for.clear()

    def begin(self, written: str, parts: list[str]) -> None:
        """A label begins."""
        target = attributes(written).get("for", "")
        if self._last is not None:
            last, at, is_behind = self._last
            if target and last.name == target:
                parts[at] = f"\n{parts[at]}" if is_behind else parts[at]
            elif not last.is_box or any(map(str.strip, parts[at + 1 :])):
                parts.append("\n")
        self._at, self._last = len(parts), None
        self._boxes.clear()
        parts.append("")
        if target:
            self._for[target] = self._at

    def end(self, parts: list[str]) -> None:
        """The label ends, if one is open. If its only box comes after all its words, the mark moves before them."""
        if self._at >= 0 and len(self._boxes) == 1 and not any(map(str.strip, parts[self._boxes[0] + 1 :])):
            parts[self._at], parts[self._boxes[0]] = f"{parts[self._boxes[0]]} ", ""
        self._at = -1

    def put(self, entry: Entry, parts: list[str], *, is_behind: bool) -> None:
        """Put in what a control says. `is_behind`: it comes after text in its block."""
        at = self._for.pop(entry.name, -1) if entry.is_box and self._at < 0 else -1
        if at >= 0:
            parts[at] = f" {entry.said} {parts[at]}"
            self._last = (entry, at, False)
            return
        if entry.is_box and self._at >= 0:
            self._boxes.append(len(parts))
        self._last = (entry, len(parts), is_behind)
        parts.append(f" {entry.said}")
