"""Which HTML elements use a font that has symbols in place of letters (`symbols`)."""

import re
from typing import Final

from apps.records.presenters.prose import symbols
from apps.records.presenters.prose.markup import Piece, attributes
from apps.records.presenters.prose.symbols import Signs

_MAY_BE_ONE: Final = re.compile("symbol|dings", re.IGNORECASE)
_FONT: Final = re.compile(r"(?:\A|[\s;])font(?:-(family))?\s*+:([^;,]*+)", re.IGNORECASE)
_QUOTED: Final = re.compile("""["']([^"']*+)""")
_VOID: Final = frozenset({"br", "img", "input", "hr", "wbr"})
_DEEPEST: Final = 50


class Faces:
    """Tracks which elements are open. A font ends with its block at the latest: one missing end tag must not turn the
    rest of a letter into symbols."""

    def __init__(self) -> None:
        self._open: list[tuple[str, Signs | None]] = []  # from the first with such a font

    @property
    def signs(self) -> Signs | None:
        """The symbols that replace letters here, if any."""
        return self._open[-1][1] if self._open else None

    def begin(self, piece: Piece) -> None:
        """An element begins."""
        is_to_follow = bool(self._open) or _MAY_BE_ONE.search(piece.attributes) is not None
        if is_to_follow and piece.value not in _VOID and len(self._open) < _DEEPEST:
            self._open.append((piece.value, self._of(piece.attributes)))

    def end(self, name: str) -> None:
        """An element ends, and everything within it."""
        for at in range(len(self._open) - 1, -1, -1):
            if self._open[at][0] == name:
                del self._open[at:]
                return

    def end_all(self) -> None:
        """A block ends."""
        self._open.clear()

    def _of(self, written: str) -> Signs | None:
        said = attributes(written)
        if "face" in said:
            return symbols.of_font(said["face"].partition(",")[0])
        found = _FONT.search(said.get("style", ""))
        if found is None:
            return self.signs
        quoted = _QUOTED.search(found[2])
        if quoted is not None:
            return symbols.of_font(quoted[1])
        # The family is the last part of "font".
        return symbols.of_font(found[2] if found[1] else found[2].rpartition(" ")[2])
