"""The text of an RTF document (Rich Text Format Specification 1.9.1). What is no text is left out: fonts, pictures,
embedded objects, fields' instructions, headers of the file. So is hidden text; in place of what is crossed out, or
deleted while changes are tracked, there is a gap."""

import codecs
import re
from dataclasses import dataclass, replace

from apps.records.presenters.prose.blocks import LONGEST_MARKUP, Reading, Typesetter

_TOKEN = re.compile(
    r"\\([a-zA-Z]{1,32})(-?[0-9]{1,10})?[ ]?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\"
)
_SILENT = frozenset(
    (
        "fonttbl", "colortbl", "stylesheet", "listtable", "listoverridetable", "rsidtbl", "generator", "info", "pict",
        "object", "objdata", "fldinst", "xmlnstbl", "themedata", "colorschememapping", "latentstyles", "datastore",
        "mmathpr", "filetbl", "revtbl", "pgptbl", "nonshppict", "bkmkstart", "bkmkend", "userprops", "template",
        "private", "panose", "falt",
    )
)  # fmt: skip
_CROSSED_OUT = frozenset({"strike", "striked", "deleted"})
_SCRIPTS = {"super": "sup", "sub": "sub", "nosupersub": ""}
_PARAGRAPHS = frozenset({"par", "pard", "sect", "page"})
_SIGNS = {
    "tab": "\t", "nestcell": "\t", "nestrow": "\n",
    "emdash": "\u2014", "endash": "\u2013", "bullet": "\u2022", "lquote": "\u2018", "rquote": "\u2019",
    "ldblquote": "\u201c", "rdblquote": "\u201d", "emspace": " ", "enspace": " ",
}  # fmt: skip
_SYMBOLS = {"~": " ", "_": "-", "-": "", "{": "{", "}": "}", "\\": "\\", "\n": "\n", "\r": "\n"}
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1f]")
_LOOKED_AT = 1000
_DEEPEST = 2000
_LEAD = 40  # what may stand before its first brace
_MOST_TOKENS = 1_000_000
_MOST_BYTES = 10_000


@dataclass(frozen=True)
class _Group:
    """What a brace keeps and its end gives back."""

    is_silent: bool = False
    fallback: int = 1  # how many characters stand for a \\u that an old reader does not know
    is_hidden: bool = False
    crossed_out: frozenset[str] = frozenset()  # by which words
    script: str = ""
    closing: str = ""  # what its end says


def read(content: bytes) -> Reading:
    """Its text as blocks; bytes above 127 that are not escaped are read as Windows does."""
    return of_text(content[: LONGEST_MARKUP + 1].decode("cp1252", "replace"))


def is_one(text: str) -> bool:
    """Whether a text is such a document, as some laboratories send for a note."""
    return text[:_LEAD].lstrip().startswith("{\\rtf")


def of_text(sent: str) -> Reading:
    """The same of a document that came as text."""
    text = sent[:LONGEST_MARKUP]
    reader = _Reader(sent)
    for count, token in enumerate(_TOKEN.finditer(text)):
        if token.start() >= reader.skips_to:
            reader.take(token)
        if count > _MOST_TOKENS or reader.typesetter.is_full:
            return reader.typesetter.reading(is_cut=True)
    reader.flush()
    if len(sent) <= LONGEST_MARKUP and reader.is_open:
        reader.typesetter.miss()
    return reader.typesetter.reading(is_cut=len(sent) > LONGEST_MARKUP)


class _Reader:
    def __init__(self, sent: str) -> None:
        self._sent = sent
        self.typesetter = Typesetter()
        self.skips_to = 0  # past binary data
        self._is_told_wrong = False  # how long that is
        self._group = _Group()
        self._groups: list[_Group] = []
        self._too_deep = 0
        self._to_drop = 0
        self._encoding = "cp1252"
        self._bytes = bytearray()  # of escapes that may be halves of one character

    @property
    def is_open(self) -> bool:
        """Whether a group is, which at the end of a whole document none is."""
        return bool(self._groups)

    def take(self, token: re.Match[str]) -> None:
        """The next token."""
        word, number, escaped, symbol, brace, text = token.groups()
        if escaped:
            self._escape(escaped)
            return
        self.flush()
        if word:
            self._control(word, int(number) if number else None, token.end())
        elif symbol == "*":
            self._group = replace(self._group, is_silent=True)
        elif symbol:
            self._say(_SYMBOLS.get(symbol, ""))
        elif brace:
            self._brace(brace)
        elif text:
            self._text(text)

    def _escape(self, escaped: str) -> None:
        if self._to_drop:
            self._to_drop -= 1
        else:
            self._bytes.append(int(escaped, 16))
            if len(self._bytes) >= _MOST_BYTES:
                self.flush()

    def flush(self) -> None:
        """Say what waits for the second half of a character."""
        if self._bytes:
            self._say(self._bytes.decode(self._encoding, "replace"))
            self._bytes = bytearray()

    def _text(self, text: str) -> None:
        dropped, self._to_drop = self._to_drop, max(0, self._to_drop - len(text))
        self._say(text[dropped:])

    def _say(self, text: str) -> None:
        group = self._group
        if group.is_silent or not text:
            return
        if group.is_hidden:
            self.typesetter.hide(text)
        elif group.crossed_out and text.strip():
            self.typesetter.leave_out()
        else:
            self.typesetter.say(text, keeps_lines=True)

    def _brace(self, brace: str) -> None:
        self._to_drop = 0
        if brace == "{":
            if len(self._groups) >= _DEEPEST:
                self._too_deep += 1
            else:
                self._groups.append(self._group)
                self._group = replace(self._group, closing="") if self._group.closing else self._group
        elif self._too_deep:
            self._too_deep -= 1
        elif self._groups:
            self._say(self._group.closing)
            self._change(self._groups.pop())

    def _change(self, group: _Group) -> None:
        """From here on it is so. What stands above its line ends with what made it stand there."""
        if group.script != self._group.script:
            self.typesetter.begin_script(group.script) if group.script else self.typesetter.end_script()
        self._group = group

    def _control(self, word: str, number: int | None, end: int) -> None:
        group = self._group
        if word == "pict":
            self.typesetter.lack_picture()
        if word in _SILENT:
            self._change(replace(group, is_silent=True))
        elif word == "u" and number is not None:
            self._say(_character(number))
            self._to_drop = group.fallback
        elif word == "uc":
            self._change(replace(group, fallback=max(0, min(number or 0, 10))))
        elif word == "bin":
            self._skip(end, max(0, number or 0))
        elif word == "ansicpg":
            self._encoding = _known_encoding(number)
        elif not group.is_silent:
            self._change(_set(group, word, is_on=number != 0))
            self._lay_out(word)

    def _skip(self, start: int, length: int) -> None:
        """Past binary data. Data that ends behind the document is cut, or its length is a wrong word: then what is
        text is no data, and told."""
        if start + length <= len(self._sent):
            self.skips_to = start + length
            return
        if self._is_told_wrong:
            return
        self.typesetter.miss()
        self._is_told_wrong = True
        if _NO_TEXT.search(self._sent, start, start + _LOOKED_AT):
            self.skips_to = len(self._sent)

    def _lay_out(self, word: str) -> None:
        if word == "footnote":  # it stands in the text that it is about
            self._say(" (")
            self._group = replace(self._group, closing=")")
        elif word in _PARAGRAPHS:
            self.typesetter.end_block()
        elif word == "line":
            self.typesetter.end_line()
        elif word == "trowd":
            self.typesetter.begin_row()
        elif word == "cell":
            self.typesetter.end_cell()
        elif word == "row":
            self.typesetter.end_row()
        else:
            self._say(_SIGNS.get(word, ""))


def _set(group: _Group, word: str, *, is_on: bool) -> _Group:
    """The group as this word has its text look from here on."""
    if word == "plain":
        return replace(group, is_hidden=False, crossed_out=frozenset(), script="")
    if word == "v":
        return replace(group, is_hidden=is_on)
    if word in _CROSSED_OUT:
        return replace(group, crossed_out=group.crossed_out | {word} if is_on else group.crossed_out - {word})
    return replace(group, script=_SCRIPTS[word] if is_on else "") if word in _SCRIPTS else group


def _character(number: int) -> str:
    """Numbers above 32767 are written as negative ones; halves of pairs become nothing."""
    code = number % 65536
    return "" if 0xD800 <= code <= 0xDFFF else chr(code)


def _known_encoding(number: int | None) -> str:
    try:
        return codecs.lookup(f"cp{number}").name
    except LookupError:
        return "cp1252"
