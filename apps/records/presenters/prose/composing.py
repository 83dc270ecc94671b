"""Gathers pieces of HTML, XHTML or the text of a C-CDA section into blocks."""

import re

from apps.records.presenters.prose import drawings, forms
from apps.records.presenters.prose.forms import Entry
from apps.records.presenters.prose.layout import Apart, Layout
from apps.records.presenters.prose.markup import Piece, PieceKind
from apps.records.presenters.prose.numbering import Numbering, is_list
from apps.records.presenters.prose.readings import MOST_PIECES, BlockKind, Reading
from apps.records.presenters.prose.symbol_typefaces import Faces
from apps.records.presenters.prose.typesetting import Typesetter

_DRAWINGS = frozenset({"img", "svg", "math"})
_ELSEWHERE = frozenset({"iframe", "embed", "object", "video", "audio"})  # parts of the page that were not sent with it
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
_OF_TABLES = frozenset({"table", "thead", "tbody", "tfoot", "tr"})
_ROWS = re.compile(r"""\srowspan\s*+=\s*+["']?([0-9]{1,3})\b""", re.IGNORECASE)
_WIDTH = re.compile(r"""\scolspan\s*+=\s*+["']?([0-9]{1,2})\b""", re.IGNORECASE)
_DECORATION = re.compile(
    r"""\s(?:alt\s*+=\s*+(?:""|'')|(?:width|height)\s*+=\s*+["']?[01](?![0-9.])|aria-hidden\s*+=\s*+["']?true)""",
    re.IGNORECASE,
)
_STYLED = frozenset({"span", "font", "a", "b", "i", "u", "em", "strong", "small"})
_SCRIPTS = frozenset({"sup", "sub"})
_SCRIPT = re.compile(r"""[\s"';]vertical-align\s*+:\s*+(sup|sub)(?:er)?\b""", re.IGNORECASE)
_BEGINNING = {
    **dict.fromkeys(_PARAGRAPHS, BlockKind.PARAGRAPH),
    **dict.fromkeys(_HEADINGS, BlockKind.HEADING),
    **dict.fromkeys(_ITEMS, BlockKind.ITEM),
    "pre": BlockKind.ALIGNED,
}
_LAID_OUT = frozenset({*_BEGINNING, *forms.CONTROLS, *_OF_TABLES, "html", "head"})


class Compositor(Typesetter):
    """A typesetter that takes pieces of markup. Callers stop once it `is_full`."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces_left = MOST_PIECES
        self._script_of: list[str] = []  # the element with such a style, and those of the same name within it
        self._numbering = Numbering()
        self._labels = forms.Labels()
        self._choice: forms.Choice | None = None  # the open select, if any
        self._is_entering = False  # whether a textarea is open
        self._is_entered = False  # whether it has any text
        self._layout = Layout()
        self._faces = Faces()
        self._tables = 0  # how many are open
        self._is_in_note = False

    def feed(self, piece: Piece) -> None:
        """Take the next piece of markup."""
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
        elif piece.kind is PieceKind.SWALLOWED:
            self.miss()
        elif piece.kind is PieceKind.UNSEEN:
            self._see_what_is_left_out(piece)
        else:
            is_end = piece.kind is PieceKind.END
            self._feed_tag(piece, is_end=is_end)
            self._faces.end(piece.value) if is_end else self._faces.begin(piece)
            if "aria-checked" in piece.attributes and (box := forms.drawn(piece)) is not None:
                self.enter(box)

    def reading(self, *, is_cut: bool = False) -> Reading:
        """Finish, and return everything so far."""
        self._end_choice()
        return super().reading(is_cut=is_cut)

    def _feed_text(self, text: str) -> None:
        self._is_entered = self._is_entered or bool(text.strip())
        if self._is_entered or not self._is_entering:
            signs = self._faces.signs
            self.say(text if signs is None else text.translate(signs), keeps_lines=self._is_entering)

    def _see_what_is_left_out(self, piece: Piece) -> None:
        """Note a piece that a browser would load or draw, unless it is decoration."""
        if piece.value in _ELSEWHERE and "=" in piece.attributes and not _DECORATION.search(piece.attributes):
            self.miss()
        elif piece.value in _DRAWINGS and not _DECORATION.search(piece.attributes):
            self.lack_picture()
            said, read = drawings.told(piece, most=self._pieces_left)
            self._pieces_left -= read
            if said:
                self._has_captions = True
                self._apart = Apart.SPACE
                self.say(said)
                self._apart = Apart.SPACE

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
            self._set(piece.value, is_end=is_end)  # otherwise it is an item's first paragraph, which is the item itself

    def _begin_cell(self, attributes: str) -> None:
        rows, width = _ROWS.search(attributes), _WIDTH.search(attributes)
        self.begin_cell(int(rows[1]) if rows else 1, max(1, int(width[1])) if width else 1)

    def _begin_item(self, attributes: str) -> None:
        number = self._numbering.next(attributes)
        self.end_block(BlockKind.ITEM)
        if self._cells is None:
            self._label = number
        elif number:
            self.say(number)

    def _follow_style(self, piece: Piece, *, is_end: bool) -> None:
        """Follow superscripts and subscripts that are set by style, which last until the end of their element."""
        if self._script_of[-1:] == [piece.value]:
            self._script_of.pop() if is_end else self._script_of.append(piece.value)
            if not self._script_of:
                self.end_script()
        elif not is_end and not self._script_of and piece.value in _STYLED:
            found = _SCRIPT.search(piece.attributes)
            if found is not None:
                self.begin_script(found[1].lower())
                self._script_of = [piece.value]

    def end_script(self) -> None:
        """End a superscript or subscript, if there is one."""
        super().end_script()
        self._script_of = []

    def _fill_in(self, piece: Piece, *, is_end: bool) -> None:
        """A form control, or the label of one."""
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
        """A textarea begins or ends. One without text is marked as empty."""
        if is_end and self._is_entering and not self._is_entered:
            self.enter(Entry(forms.EMPTY))
        self.end_line()
        self._is_entering, self._is_entered = not is_end, False

    def _end_choice(self) -> None:
        if self._choice is not None:
            self.enter(Entry(self._choice.said))
            self._choice = None

    @property
    def _has_place_for_cells(self) -> bool:
        """Whether there can be a cell here: in a row, or in a table, where the cell begins a row."""
        return self._cells is not None or self._tables > 0

    def _set_apart(self, piece: Piece, *, is_end: bool) -> None:
        apart = self._layout.follow(piece, is_end=is_end)
        if apart is Apart.LINE and self._is_begun:
            self._break(is_end=True)
        self._apart = apart if apart and self._apart is not Apart.SPACE else self._apart

    def _break(self, *, is_end: bool) -> None:
        """End a line; at an end tag, unless it has just ended."""
        if not is_end or self._said[-1:] != ["\n"]:
            self.end_line()

    def _set_table(self, name: str, *, is_end: bool) -> None:
        if name == "table":
            self._high = {}
            self._tables = max(0, self._tables + (-1 if is_end else 1))
        if name == "tr" and not is_end:
            self.begin_row()
        elif name != "table" or is_end:
            self.end_row()

    def _set(self, name: str, *, is_end: bool) -> None:
        """Apply a tag of HTML, or of a C-CDA section's text, to the blocks."""
        if name in _OF_TABLES:
            self._set_table(name, is_end=is_end)
        if name == "caption" and (self._is_in_note or self._kind is BlockKind.ITEM):  # an item's first words
            self.say(" ")
        elif name in _BEGINNING:
            self.end_block(BlockKind.PARAGRAPH if is_end else _BEGINNING[name])
        elif name == "br":
            self._break(is_end=is_end)
        elif name in _SCRIPTS:
            self.end_script() if is_end else self.begin_script(name)
        elif name == "footnote":  # in a C-CDA section: shown in parentheses in the text that it is about
            self.say(")" if is_end else " (")
            self._is_in_note = not is_end
        elif name == "q":
            self.say('"')

    def _put(self, entry: Entry, *, is_behind: bool) -> None:
        self._labels.put(entry, self._said, is_behind=is_behind)

    def _taken(self) -> str:
        text = super()._taken()
        self._labels.forget()
        self._faces.end_all()
        return text
