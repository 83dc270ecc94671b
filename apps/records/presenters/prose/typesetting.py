"""Gathers a text into blocks, whatever its format."""

import re
from dataclasses import replace

from apps.records.presenters.prose import forms, superscripts
from apps.records.presenters.prose.forms import Entry
from apps.records.presenters.prose.layout import Apart
from apps.records.presenters.prose.readings import GAP, MOST_BLOCKS, MOST_CHARACTERS, Block, BlockKind, Reading
from apps.records.presenters.prose.showable import showable

_SPACES = re.compile(r"[^\S\n]+")
_PAGES = {0x0B: " ", 0x0C: " "}  # characters that end a page; they also end a word
_BREAKS = re.compile(r" ?\n ?")
_ENDING = frozenset(" \t\r\n.,;:!?)]")  # characters that may directly follow a word
_LONGEST_REPEATED = 200  # characters of a cell that spans rows, which is repeated in each
_MOST_HIGH = 50  # cells spanning rows, in one table at the same time
_LINES = re.compile(r"(?<![:;,.!?])\n+")  # in a cell
_SCRIPTS = {"sup": superscripts.above, "sub": superscripts.below}


class Typesetter:
    """Gathers text into blocks. Callers stop once it `is_full`."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._said: list[str] = []
        self._cells: list[str] | None = None
        self._column = 0  # of the current cell
        self._size = (1, 1)  # how many rows and columns the current cell spans
        self._high: dict[int, tuple[int, int, str]] = {}  # cells that span rows: rows left, columns, text
        self._kind = BlockKind.PARAGRAPH
        self._left = MOST_CHARACTERS
        self._script = ""  # "sup" or "sub", while it lasts
        self._script_at = 0  # where in `_said` it began
        self._has_gaps = False
        self._has_hidden = False
        self._lacks_pictures = False
        self._is_damaged = False
        self._label = ""  # the number of the current item, until the item has text
        self._is_begun = False  # whether the current block has any text
        self._pictures: list[Block] = []  # of the current row
        self._has_marks = False
        self._has_captions = False  # whether words replace pictures
        self._apart = Apart.NOT  # how far the next text is from the last
        self.is_full = False

    def say(self, text: str, *, keeps_lines: bool = False) -> None:
        """Add text to the current block. Its line breaks count only if `keeps_lines`."""
        text = self._room_for(text)
        if self._apart and text:
            text = f" {text}" if self._is_run_into_by(text[0]) else text
            self._apart = Apart.NOT
        keeps_lines = keeps_lines or self._kind is BlockKind.ALIGNED
        self._is_begun = self._is_begun or bool(text.strip())
        self._said.append(text if keeps_lines else text.replace("\n", " "))

    def _is_run_into_by(self, letter: str) -> bool:
        """Whether text that begins with this letter would seem to continue a word to which it does not belong."""
        if self._apart is Apart.WORD:
            return letter.isalnum() and bool(self._said) and self._said[-1][-1:].isalnum()
        return letter not in _ENDING

    def _room_for(self, text: str) -> str:
        text = text[: max(0, self._left)]
        self._left -= len(text)
        self.is_full = self.is_full or self._left <= 0
        return text

    def leave_out(self) -> None:
        """Something stood here that was crossed out."""
        self._has_gaps = True
        if self._said[-1:] != [GAP]:
            self.say(GAP)

    def hide(self, text: str) -> None:
        """There is text here that readers of the document do not see."""
        self._has_hidden = self._has_hidden or bool(text.strip())

    def miss(self) -> None:
        """There should be something here that cannot be read."""
        self._is_damaged = True

    def take_in(self, reading: Reading) -> None:
        """Add what was read of a text that is here in another format."""
        self.end_block()
        for block in reading.blocks:
            self._add(block)
        self.is_full = self.is_full or reading.is_cut
        self._has_gaps |= reading.has_gaps
        self._has_hidden |= reading.has_hidden
        self._has_marks |= reading.has_marks
        self._has_captions |= reading.has_captions
        self._lacks_pictures |= reading.lacks_pictures
        self._is_damaged |= reading.is_damaged

    def lack_picture(self) -> None:
        """There is a picture here that is not shown."""
        self._lacks_pictures = True

    def show(self, picture: Block) -> None:
        """Add a picture; within a row, it goes below the row."""
        if self._cells is not None:
            self._pictures.append(picture)
            self.is_full = self.is_full or len(self._blocks) + len(self._pictures) >= MOST_BLOCKS
        else:
            self.end_block()
            self._add(picture)

    def begin_script(self, script: str) -> None:
        """Begin a superscript ("sup") or a subscript ("sub")."""
        self.end_script()
        self._script, self._script_at = script, len(self._said)

    def end_script(self) -> None:
        """End a superscript or subscript, if there is one."""
        if not self._script:
            return
        behind = "".join(self._said[max(0, self._script_at - 3) : self._script_at])
        self._said[self._script_at :] = [_SCRIPTS[self._script]("".join(self._said[self._script_at :]), behind=behind)]
        self._script = ""

    def end_line(self) -> None:
        """End a line, but not the block."""
        self._said.append("\n")

    def end_block(self, following: BlockKind = BlockKind.PARAGRAPH) -> None:
        """End the block, and begin one of this kind; within a row, only end the line."""
        if self._cells is not None:
            self.end_line()
            return
        text = self._taken()
        if text:
            kind = BlockKind.NUMBERED if self._label and self._kind is BlockKind.ITEM else self._kind
            self._add(Block(kind, self._label + text))
            self._label = ""
        self._kind = following

    def begin_row(self) -> None:
        """Begin a row, and end an open one."""
        self.end_row()
        self.end_block()
        self._cells = []
        self._column = 0

    def have_row(self, *, keeping: bool = False) -> None:
        """Make sure that a row is open. With `keeping`, a new row begins with the text of the current block."""
        if self._cells is None and keeping:
            self._cells, self._column = [], 0
        elif self._cells is None:
            self.begin_row()

    def begin_cell(self, rows: int, width: int) -> None:
        """Begin a cell that spans so many rows and columns, and end an open one. A cell that spans rows from above is
        repeated in this row before it: a value must not lose its name."""
        self.have_row()
        if any(map(str.strip, self._said)):
            self.end_cell()
        self._size = (rows, width)
        self._reach_down()

    def _reach_down(self) -> None:
        while self._cells is not None and self._column in self._high:
            left, width, text = self._high.pop(self._column)
            if left > 1:
                self._high[self._column] = (left - 1, width, text)
            self._cells.append(text)
            self._left -= len(text)
            self.is_full = self.is_full or self._left <= 0
            self._column += width

    def end_cell(self) -> None:
        """End a cell. An empty cell keeps its place between others."""
        if self._cells is None:
            return
        text = _LINES.sub("; ", self._taken()).replace("\n", " ")
        rows, width = self._size
        if rows > 1 and len(text) <= _LONGEST_REPEATED and len(self._high) < _MOST_HIGH:
            self._high[self._column] = (rows - 1, width, text)
        self._cells.append(text)
        self._column += width
        self._size = (1, 1)

    def end_row(self) -> None:
        """End the row, if one is open."""
        if self._cells is None:
            return
        rest = _LINES.sub("; ", self._taken()).replace("\n", " ")
        if not rest:
            self._reach_down()
        cells = [*self._cells, rest]
        self._cells = None
        while cells and not cells[-1]:  # empty cells at the end keep nothing in its place
            cells.pop()
        if cells:
            self._add(Block(BlockKind.ROW, cells=tuple(cells)))
        for picture in self._pictures:
            self._add(picture)
        self._pictures = []

    def reading(self, *, is_cut: bool = False) -> Reading:
        """Finish, and return everything so far."""
        self.end_row()
        self.end_block()
        return Reading(
            tuple(self._blocks),
            is_cut or self.is_full,
            self._has_gaps,
            self._has_hidden,
            self._lacks_pictures,
            self._is_damaged,
            self._has_marks,
            self._has_captions,
        )

    def enter(self, entry: Entry) -> None:
        """Add what was filled in here."""
        self.end_script()
        is_behind, self._is_begun = self._is_begun, True
        self._has_marks |= any(mark in entry.said for mark in forms.MARKS)
        self._put(replace(entry, said=self._room_for(entry.said)), is_behind=is_behind)
        self._apart = Apart.SPACE

    def _put(self, entry: Entry, *, is_behind: bool) -> None:
        """Put an entry here. `is_behind`: it comes after text in its block."""
        del is_behind
        self._said.append(f" {entry.said}")

    def _add(self, block: Block) -> None:
        self._blocks.append(block)
        self.is_full = self.is_full or len(self._blocks) >= MOST_BLOCKS

    def _taken(self) -> str:
        self.end_script()
        text = showable("".join(self._said).translate(_PAGES)) if self._said else ""
        self._said.clear()
        self._is_begun, self._apart = False, Apart.NOT
        if not text:
            return ""
        if self._kind is BlockKind.ALIGNED and self._cells is None:
            return text.strip("\n").rstrip() if text.strip() else ""
        return _BREAKS.sub("\n", _SPACES.sub(" ", text)).strip()
