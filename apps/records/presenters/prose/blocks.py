"""Text a provider wrote, as blocks that a page can show: headings, paragraphs, items of lists and rows of tables.

Nothing of its markup is left, so nothing of it can act.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby

from apps.records.presenters.prose import forms, raised
from apps.records.presenters.prose.faces import Faces
from apps.records.presenters.prose.layout import Apart, Layout
from apps.records.presenters.prose.markup import Piece, PieceKind, pieces
from apps.records.presenters.prose.numbering import Numbering, is_list
from apps.records.presenters.prose.showable import showable

MOST_CHARACTERS = 300_000  # a long book; a page of more helps nobody
MOST_BLOCKS = 10_000
LONGEST_MARKUP = 5_000_000
MOST_PIECES = 400_000  # of markup; more, in so little text, was made to keep us busy
GAP = "[…]"  # in place of words that were crossed out: no language's own

_SPACES = re.compile(r"[^\S\n]+")
_BREAKS = re.compile(r" ?\n ?")
_LINE = re.compile(r"([^\r\n]*+)(?:\r\n?|\n|\Z)")
_EMPTY_LINES = re.compile(r"[\r\n](?:[^\S\r\n]*+[\r\n]){4,}+")  # spaces in them are nothing to read
_COLUMNS = re.compile(r"\S(?: {3}|\t)")  # of a line without spaces at its end: more than stands between words
_FEWEST_LINES = 2  # with columns, to be a table
_UNSEEN = frozenset({"title", "template", "iframe", "svg", "math", "datalist"})
_DRAWINGS = frozenset({"img", "svg", "math"})
_ELSEWHERE = frozenset({"iframe", "embed", "object", "video", "audio"})  # a part of the page that did not come with it
_PARAGRAPHS = frozenset(
    (
        "p", "div", "ul", "ol", "dl", "dt", "dd", "table", "hr", "blockquote", "section", "article", "header",
        "footer", "form", "fieldset", "body", "address", "figure", "figcaption", "main", "nav", "aside", "details",
        "hgroup", "search", "dialog", "center", "dir", "menu", "noscript",
        "paragraph", "list", "text",  # of a C-CDA section
    )
)  # fmt: skip
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "caption", "legend", "summary"})
_ITEMS = frozenset({"li", "item"})
_OF_ITEMS = frozenset({"p", "div", "paragraph"})
_CELLS = frozenset({"td", "th"})
_ROWS = re.compile(r"""\srowspan\s*+=\s*+["']?([0-9]{1,3})\b""", re.IGNORECASE)
_WIDTH = re.compile(r"""\scolspan\s*+=\s*+["']?([0-9]{1,2})\b""", re.IGNORECASE)
_DECORATION = re.compile(
    r"""\s(?:alt\s*+=\s*+(?:""|'')|(?:width|height)\s*+=\s*+["']?[01](?![0-9.])|aria-hidden\s*+=\s*+["']?true)""",
    re.IGNORECASE,
)
_ENDING = frozenset(" \t\r\n.,;:!?)]")  # what stands at the end of a word
_LONGEST_REPEATED = 200  # of a cell that is as high as several rows
_MOST_HIGH = 50  # of one table, at once
_LINES = re.compile(r"(?<![:;,.!?])\n+")  # in a cell
_SCRIPTS = {"sup": raised.above, "sub": raised.below}
_STYLED = frozenset({"span", "font", "a", "b", "i", "u", "em", "strong", "small"})
_SCRIPT = re.compile(r"""[\s"';]vertical-align\s*+:\s*+(sup|sub)(?:er)?\b""", re.IGNORECASE)


class BlockKind(StrEnum):
    """How a block is shown."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    NUMBERED = "numbered"  # an item of an ordered list, whose text begins with its number
    ROW = "row"
    ALIGNED = "aligned"  # by spaces, which are kept: a table of figures, typed
    REMARK = "remark"  # in words of ours, such as that nothing is written
    PICTURE = "picture"
    UNSHOWN = "unshown"  # a picture that no page shows, or that we have not


_BEGINNING = {
    **dict.fromkeys(_PARAGRAPHS, BlockKind.PARAGRAPH),
    **dict.fromkeys(_HEADINGS, BlockKind.HEADING),
    **dict.fromkeys(_ITEMS, BlockKind.ITEM),
    "pre": BlockKind.ALIGNED,
}


_LAID_OUT = frozenset({*_BEGINNING, *forms.CONTROLS, "table", "thead", "tbody", "tfoot", "tr", "html", "head"})
_PICTURES = frozenset({BlockKind.PICTURE, BlockKind.UNSHOWN})


@dataclass(frozen=True)
class Block:
    """One block. A row has `cells`; every other block `text`, whose lines are kept. `picture` says which of its
    document's it is, from 1 on; 0 where we do not have it."""

    kind: BlockKind = BlockKind.PARAGRAPH
    text: str = ""
    cells: tuple[str, ...] = ()
    picture: int = 0

    @property
    def plain(self) -> str:
        """Its text in a line, or in several."""
        return " ".join(filter(None, self.cells)) if self.cells else self.text


@dataclass(frozen=True)
class Reading:
    """What could be read of a text; `is_cut` where it was longer than we show, `has_gaps` where something of it was
    crossed out by its author, `has_hidden` where it has text that no reader sees: neither is told. `lacks_pictures`
    where it has some that are not among the blocks; `is_damaged` where it is not what it should be, such as ended in
    its middle, and may have said more. `has_marks` where those of a form are in it, which need a word."""

    blocks: tuple[Block, ...] = ()
    is_cut: bool = False
    has_gaps: bool = False
    has_hidden: bool = False
    lacks_pictures: bool = False
    is_damaged: bool = False
    has_marks: bool = False

    @property
    def plain(self) -> str:
        """All of it as text, a block to a line or more."""
        return "\n".join(block.plain for block in self.blocks if block.plain)

    @property
    def says_any(self) -> bool:
        """Whether anything is to be said of it, be it no more than what is left out of it."""
        return bool(self.blocks) or self.is_cut or self.has_hidden or self.lacks_pictures

    @property
    def has_pictures(self) -> bool:
        """Whether pictures stand in it, which its text alone lacks."""
        return self.lacks_pictures or any(block.kind in _PICTURES for block in self.blocks)


class Typesetter:
    """Gathers text into blocks. Whoever feeds it stops where `is_full`."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._said: list[str] = []
        self._cells: list[str] | None = None
        self._column = 0  # of the cell at hand
        self._size = (1, 1)  # its rows and columns
        self._high: dict[int, tuple[int, int, str]] = {}  # cells that reach down: rows left, columns, text
        self._kind = BlockKind.PARAGRAPH
        self._left = MOST_CHARACTERS
        self._pieces_left = MOST_PIECES
        self._script = ""  # "sup" or "sub", while it lasts
        self._script_at = 0  # where in what was said it began
        self._script_of: list[str] = []  # the element whose style says so, and those of its name in it
        self._has_gaps = False
        self._has_hidden = False
        self._lacks_pictures = False
        self._is_damaged = False
        self._numbering = Numbering()
        self._label = ""  # the number of the item at hand, until something is said in it
        self._is_begun = False  # whether anything was said in the block at hand
        self._pictures: list[Block] = []  # of the row at hand
        self._labels = forms.Labels()
        self._choice: forms.Choice | None = None  # that is open
        self._is_entering = False  # whether an area of text is open
        self._is_entered = False  # whether anything is in it
        self._has_marks = False
        self._apart = Apart.NOT  # how far what comes is from what was said
        self._layout = Layout()
        self._faces = Faces()
        self._tables = 0  # that are open
        self.is_full = False

    def feed(self, piece: Piece) -> None:
        """A piece of markup."""
        self._pieces_left -= 1
        self.is_full = self.is_full or self._pieces_left <= 0
        if piece.kind is PieceKind.HIDDEN:
            self._has_hidden = True
            return
        if self._choice is not None and self._choice.take(piece):
            return
        self._end_choice()
        if piece.kind is PieceKind.TEXT:
            self._feed_text(piece.value)
        elif piece.kind is PieceKind.GAP:
            self.leave_out()
        elif piece.kind is PieceKind.UNSEEN:
            self._see_what_is_left_out(piece)
        else:
            is_end = piece.kind is PieceKind.END
            self._feed_tag(piece, is_end=is_end)
            self._faces.end(piece.value) if is_end else self._faces.begin(piece)
            if "aria-checked" in piece.attributes and (box := forms.drawn(piece)) is not None:
                self.enter(box)

    def _feed_text(self, text: str) -> None:
        self._is_entered = self._is_entered or bool(text.strip())
        if self._is_entered or not self._is_entering:
            signs = self._faces.signs
            self.say(text if signs is None else text.translate(signs), keeps_lines=self._is_entering)

    def _see_what_is_left_out(self, piece: Piece) -> None:
        """Of what would be loaded, or drawn, and is no ornament."""
        if piece.value in _ELSEWHERE and "=" in piece.attributes and not _DECORATION.search(piece.attributes):
            self.miss()
        elif piece.value in _DRAWINGS and not _DECORATION.search(piece.attributes):
            self.lack_picture()

    def _feed_tag(self, piece: Piece, *, is_end: bool) -> None:
        self._follow_style(piece, is_end=is_end)
        if piece.value not in _LAID_OUT:
            self._set_apart(piece, is_end=is_end)
        if is_list(piece.value):
            self._numbering.end() if is_end else self._numbering.begin(piece.value, piece.attributes)
        if not is_end:
            self._see_what_is_left_out(piece)
        if piece.value in forms.CONTROLS:
            self._fill_in(piece, is_end=is_end)
        elif piece.value in _CELLS and self._has_place_for_cells:
            self.end_cell() if is_end else self._begin_cell(piece.attributes)
        elif piece.value in _ITEMS and not is_end:
            self._begin_item(piece.attributes)
        elif is_end or piece.value not in _OF_ITEMS or self._kind is not BlockKind.ITEM or self._is_begun:
            self._set(piece.value, is_end=is_end)  # else it is the paragraph that an item begins with: the item

    def say(self, text: str, *, keeps_lines: bool = False) -> None:
        """Text of the block at hand. Its own line breaks count where the caller says so."""
        text = self._room_for(text)
        if self._apart and text:
            text = f" {text}" if self._is_run_into_by(text[0]) else text
            self._apart = Apart.NOT
        keeps_lines = keeps_lines or self._kind is BlockKind.ALIGNED
        self._is_begun = self._is_begun or bool(text.strip())
        self._said.append(text if keeps_lines else text.replace("\n", " "))

    def _is_run_into_by(self, letter: str) -> bool:
        """Whether text that begins so would seem to go on with a word that it is no part of."""
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
        """This stands here, and no reader of the document sees it."""
        self._has_hidden = self._has_hidden or bool(text.strip())

    def miss(self) -> None:
        """Something should stand here that cannot be read."""
        self._is_damaged = True

    def lack_picture(self) -> None:
        """A picture stands here that nothing is told of."""
        self._lacks_pictures = True

    def show(self, picture: Block) -> None:
        """A picture stands here; within a row, beneath it."""
        if self._cells is not None:
            self._pictures.append(picture)
            self.is_full = self.is_full or len(self._blocks) + len(self._pictures) >= MOST_BLOCKS
        else:
            self.end_block()
            self._add(picture)

    def begin_script(self, script: str) -> None:
        """What comes stands above ("sup") or below ("sub") its line."""
        self.end_script()
        self._script, self._script_at = script, len(self._said)

    def end_script(self) -> None:
        """What comes stands on its line again. Also where it never left it."""
        if not self._script:
            return
        behind = "".join(self._said[max(0, self._script_at - 3) : self._script_at])
        self._script_of = []
        self._said[self._script_at :] = [_SCRIPTS[self._script]("".join(self._said[self._script_at :]), behind=behind)]
        self._script = ""

    def end_line(self) -> None:
        """A line ends, and the block goes on."""
        self._said.append("\n")

    def end_block(self, following: BlockKind = BlockKind.PARAGRAPH) -> None:
        """A block ends, and one of this kind begins; within a row only a line ends."""
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
        """A row begins; one that is open ends."""
        self.end_row()
        self.end_block()
        self._cells = []
        self._column = 0

    def have_row(self, *, keeping: bool = False) -> None:
        """A row is open; where none is, one begins, be it with what was said of the block at hand."""
        if self._cells is None and keeping:
            self._cells, self._column = [], 0
        elif self._cells is None:
            self.begin_row()

    def _begin_cell(self, attributes: str) -> None:
        """What reaches down from a row above stands before it in this row, too: a value without its name is nobody's.
        A cell that is open ends."""
        self.have_row()
        if any(map(str.strip, self._said)):
            self.end_cell()
        rows, width = _ROWS.search(attributes), _WIDTH.search(attributes)
        self._size = (int(rows[1]) if rows else 1, max(1, int(width[1])) if width else 1)
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
        """A cell ends; an empty one keeps its place where it stands between two."""
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
        """The row ends, if there is one."""
        if self._cells is None:
            return
        rest = _LINES.sub("; ", self._taken()).replace("\n", " ")
        if not rest:
            self._reach_down()
        cells = [*self._cells, rest]
        self._cells = None
        while cells and not cells[-1]:  # nothing stands behind them that they would keep in its place
            cells.pop()
        if cells:
            self._add(Block(BlockKind.ROW, cells=tuple(cells)))
        for picture in self._pictures:
            self._add(picture)
        self._pictures = []

    def reading(self, *, is_cut: bool = False) -> Reading:
        """Everything so far; the end."""
        self._end_choice()
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
        )

    def _begin_item(self, attributes: str) -> None:
        number = self._numbering.next(attributes)
        self.end_block(BlockKind.ITEM)
        if self._cells is None:
            self._label = number
        elif number:
            self.say(number)

    def _follow_style(self, piece: Piece, *, is_end: bool) -> None:
        """What an element's style has stand above or below its line does so to the end of that element."""
        if self._script_of[-1:] == [piece.value]:
            self._script_of.pop() if is_end else self._script_of.append(piece.value)
            if not self._script_of:
                self.end_script()
        elif not is_end and not self._script_of and piece.value in _STYLED:
            found = _SCRIPT.search(piece.attributes)
            if found is not None:
                self.begin_script(found[1].lower())
                self._script_of = [piece.value]

    def _fill_in(self, piece: Piece, *, is_end: bool) -> None:
        """A control of a form, or a label of one."""
        if piece.value == "label":
            self.end_script()
            self._labels.end(self._said) if is_end else self._labels.begin(piece.attributes, self._said)
            self._apart = Apart.SPACE
        elif piece.value == "textarea":
            self._enter(is_end=is_end)
        elif piece.value == "select" and not is_end:
            self._choice = forms.Choice(piece.attributes)
        elif not is_end and (entry := forms.entry(piece.attributes)).said:
            self.enter(entry)

    def _enter(self, *, is_end: bool) -> None:
        """An area of text begins or ends; of one without a word it is told that it is empty."""
        if is_end and self._is_entering and not self._is_entered:
            self.enter(forms.Entry(forms.EMPTY))
        self.end_line()
        self._is_entering, self._is_entered = not is_end, False

    def _end_choice(self) -> None:
        if self._choice is not None:
            self.enter(forms.Entry(self._choice.said))
            self._choice = None

    def enter(self, entry: forms.Entry) -> None:
        """This was filled in here."""
        self.end_script()
        is_behind, self._is_begun = self._is_begun, True
        self._has_marks |= any(mark in entry.said for mark in forms.MARKS)
        self._labels.put(replace(entry, said=self._room_for(entry.said)), self._said, is_behind=is_behind)
        self._apart = Apart.SPACE

    @property
    def _has_place_for_cells(self) -> bool:
        """Whether a cell can stand here: in a row, or in a table, where it begins one."""
        return self._cells is not None or self._tables > 0

    def _set_apart(self, piece: Piece, *, is_end: bool) -> None:
        apart = self._layout.follow(piece, is_end=is_end)
        if apart is Apart.LINE and self._is_begun:
            self._break(is_end=True)
        self._apart = apart if apart and self._apart is not Apart.SPACE else self._apart

    def _break(self, *, is_end: bool) -> None:
        """A line ends; at an end tag, unless it just has."""
        if not is_end or self._said[-1:] != ["\n"]:
            self.end_line()

    def _set_table(self, name: str, *, is_end: bool) -> None:
        if name == "table":
            self._high = {}
            self._tables = max(0, self._tables + (-1 if is_end else 1))
        if is_end:
            self.end_row()
        elif name == "tr":
            self.begin_row()

    def _set(self, name: str, *, is_end: bool) -> None:
        """What a tag of HTML, or of the text of a C-CDA section, does to the blocks."""
        if name in {"tr", "table"}:
            self._set_table(name, is_end=is_end)
        if name == "caption" and self._kind is BlockKind.ITEM:  # of an item of a list: its first words
            self.say(" ")
        elif name in _BEGINNING:
            self.end_block(BlockKind.PARAGRAPH if is_end else _BEGINNING[name])
        elif name == "br":
            self._break(is_end=is_end)
        elif name in _SCRIPTS:
            self.end_script() if is_end else self.begin_script(name)
        elif name == "footnote":  # of a C-CDA section: its words stand in the text that it is about
            self.say(")" if is_end else " (")
        elif name == "q":
            self.say('"')

    def _add(self, block: Block) -> None:
        self._blocks.append(block)
        self.is_full = self.is_full or len(self._blocks) >= MOST_BLOCKS

    def _taken(self) -> str:
        self.end_script()
        text = showable("".join(self._said))
        self._said.clear()
        self._labels.forget()
        self._faces.end_all()
        self._is_begun, self._apart = False, Apart.NOT
        if self._kind is BlockKind.ALIGNED and self._cells is None:
            return text.strip("\n").rstrip() if text.strip() else ""
        return _BREAKS.sub("\n", _SPACES.sub(" ", text)).strip()


def of_markup(markup: str) -> Reading:
    """What HTML or XHTML says, without what a browser would not show."""
    typesetter = Typesetter()
    for piece in pieces(markup[:LONGEST_MARKUP], unseen=_UNSEEN):
        typesetter.feed(piece)
        if typesetter.is_full:
            break
    return typesetter.reading(is_cut=len(markup) > LONGEST_MARKUP)


def _lines(text: str) -> Iterator[str]:
    """Its lines, as far as a page has room: of ten megabytes of short ones no page shows more than the first."""
    left = MOST_CHARACTERS
    for line in _LINE.finditer(_EMPTY_LINES.sub("\n\n", text)):
        yield line[1]
        left -= len(line[1].strip())
        if left < 0:
            return


def of_text(text: str) -> Reading:
    """Plain text: an empty line ends a block."""
    typesetter = Typesetter()
    for is_said, block in groupby(_lines(text), key=lambda line: bool(line.strip())):
        if is_said:
            together = list(block)
            has_columns = sum(bool(_COLUMNS.search(line.strip())) for line in together) >= _FEWEST_LINES
            typesetter.end_block(BlockKind.ALIGNED if has_columns else BlockKind.PARAGRAPH)
            for line in together:
                typesetter.say(line)
                typesetter.end_line()
        if typesetter.is_full:
            break
    return typesetter.reading()
