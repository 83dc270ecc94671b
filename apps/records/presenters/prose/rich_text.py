"""The text of an RTF document (Rich Text Format Specification 1.9.1). Whatever is not text is left out: fonts,
pictures, embedded objects, the instructions of fields, file headers. So is hidden text. What was crossed out, or
deleted while changes were tracked, becomes a gap."""

import codecs
import re
from dataclasses import dataclass, replace

from apps.records.presenters.prose import forms, rich_text_fonts
from apps.records.presenters.prose.readings import LONGEST_MARKUP, Reading
from apps.records.presenters.prose.rich_text_fields import Field
from apps.records.presenters.prose.rich_text_fonts import Fonts
from apps.records.presenters.prose.typesetting import Typesetter

_TOKEN = re.compile(
    r"\\([a-zA-Z]{1,32})(-?[0-9]{1,10})?[ ]?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\"
)
_SILENT = frozenset(
    (
        "fonttbl", "colortbl", "stylesheet", "listtable", "listoverridetable", "rsidtbl", "generator", "info", "pict",
        "object", "objdata", "fldinst", "xmlnstbl", "themedata", "colorschememapping", "latentstyles", "datastore",
        "mmathpr", "filetbl", "revtbl", "pgptbl", "nonshppict", "bkmkstart", "bkmkend", "userprops", "template",
        "private", "panose", "falt", "formfield", "nonesttables", "shprslt", "xe", "tc", "tcn", "rxe",
    )
)  # fmt: skip
_CROSSED_OUT = frozenset({"strike", "striked", "deleted"})
_SCRIPTS = {"super": "sup", "sub": "sub", "nosupersub": ""}
_PARAGRAPHS = frozenset({"par", "pard", "sect", "page", "column"})
# Text that is elsewhere on the page: at its edges, or in a box, of which there is a copy for older readers.
_ELSEWHERE = frozenset(
    {"header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf", "shptxt", "dptxbxtext"}
)
_NOTES = frozenset({"footnote", "annotation"})  # shown in the text that they are about
_DESCRIBING = frozenset({"fonttbl", "formfield", "ffl"})
_RAISING = {"up": "sup", "dn": "sub"}
_MACHINES = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
_SIGNS = {
    "tab": "\t", "qmspace": " ",
    "emdash": "\u2014", "endash": "\u2013", "bullet": "\u2022", "lquote": "\u2018", "rquote": "\u2019",
    "ldblquote": "\u201c", "rdblquote": "\u201d", "emspace": " ", "enspace": " ",
}  # fmt: skip
_SYMBOLS = {"~": " ", "_": "-", "-": "", "{": "{", "}": "}", "\\": "\\", "\n": "\n", "\r": "\n"}
_PICTURE = re.compile(r"[0-9a-fA-F\r\n]{1000,}+")
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1f]")
_OF_TABLES = frozenset({"trowd", "intbl", "itap", "nestcell", "cell", "row"})
_NESTED = 2  # the depth of a table within a table
_LOOKED_AT = 1000
_DEEPEST = 2000
_LEAD = 40  # characters that may precede the first brace
_MOST_TOKENS = 1_000_000
_MOST_BYTES = 10_000


@dataclass(frozen=True)
class _Group:
    """The state that an opening brace saves and its closing brace restores."""

    is_silent: bool = False
    fallback: int = 1  # how many characters replace a \\u for older readers
    is_hidden: bool = False
    crossed_out: frozenset[str] = frozenset()  # the control words that crossed it out
    script: str = ""
    font: int = -1
    describes: str = ""  # what its words describe, if they are not text
    is_copy: bool = False  # a copy of text that was read already
    closing: str = ""  # text to add at its end
    field: Field | None = None  # the field that ends with it
    is_said_again: bool = False  # repeats text for newer readers, in characters that older ones do not know


def is_one(text: str) -> bool:
    """Whether a text is an RTF document, which some laboratories send as a note."""
    return text[:_LEAD].lstrip("\ufeff \t\r\n").startswith("{\\rtf")


def of_text(sent: str) -> Reading:
    """The text of an RTF document, as blocks. Pictures are removed from a long document first, so that megabytes of
    their hexadecimal digits do not cut off the text after them."""
    if len(sent) > LONGEST_MARKUP and "\\bin" not in sent:
        sent = _PICTURE.sub("", sent)
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
        self.skips_to = 0  # the end of binary data
        self._has_wrong_length = False  # whether the length of binary data was wrong
        self._group = _Group()
        self._groups: list[_Group] = []
        self._too_deep = 0
        self._to_drop = 0
        self._encoding = "cp1252"
        self._fonts = Fonts()
        self._font = -1  # the font of text that names none
        self._field = Field()
        self._first_half = 0  # the first of a surrogate pair
        self._depth = 0  # the nesting of the current table
        self._bytes = bytearray()  # escaped bytes, of which two may be one character

    @property
    def is_open(self) -> bool:
        """Whether a group is open, which at the end means that the document is not whole."""
        return bool(self._groups)

    def take(self, token: re.Match[str]) -> None:
        """Take the next token."""
        word, number, escaped, symbol, brace, text = token.groups()
        if escaped:
            self._escape(escaped)
            return
        if text:
            text = self._finish(text)
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
        """Write the bytes that were waiting for the second half of a character."""
        if self._bytes:
            self._say(self._bytes.decode(self._code, "replace"))
            self._bytes = bytearray()

    @property
    def _code(self) -> str:
        return self._fonts.encoding(self._group.font, otherwise=self._encoding)

    def _finish(self, text: str) -> str:
        """The text without its first character, if that is the second half of a character that an escape began."""
        if self._bytes and text[:1].isascii() and _is_half(bytes(self._bytes), self._code):
            self._bytes.append(ord(text[0]))
            text = text[1:]
        return text

    def _text(self, text: str) -> None:
        dropped, self._to_drop = self._to_drop, max(0, self._to_drop - len(text))
        self._say(text[dropped:])

    def _describe(self, text: str) -> None:
        if self._group.describes == "fonttbl":
            self._fonts.name(text)
        elif self._group.describes == "ffl":
            self._field.name_choice(text)

    def _say(self, text: str) -> None:
        group = self._group
        if group.describes:
            self._describe(text)
        if group.is_silent or not text:
            return
        if self._first_half:
            self._first_half, text = 0, f"\ufffd{text}"
        signs = self._fonts.signs(group.font)
        text = text.translate(signs) if signs is not None else text
        self._field.has_result = self._field.has_result or bool(text.strip())
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
                if self._group.closing or self._group.field:
                    self._group = replace(self._group, closing="", field=None)
        elif self._too_deep:
            self._too_deep -= 1
        elif self._groups:
            self._end_group()

    def _end_group(self) -> None:
        """End a group, with its closing text or what was filled in in its field."""
        field = self._group.field
        if field is not None and (said := field.said):
            if not self._group.is_silent and not self._group.is_hidden and not self._group.crossed_out:
                self.typesetter.enter(forms.Entry(said))
            self._field = Field()
        self._say(self._group.closing)
        self._change(self._groups.pop())

    def _change(self, group: _Group) -> None:
        """Set the state from here on. A superscript or subscript ends with the state that began it."""
        if group.script != self._group.script:
            self.typesetter.begin_script(group.script) if group.script else self.typesetter.end_script()
        self._group = group

    def _control(self, word: str, number: int | None, end: int) -> None:
        if word in {"pict", "object"}:
            self.typesetter.lack_picture()
        if self._is_about_characters(word, number):
            return
        if word == "bin":
            self._skip(end, max(0, number or 0))
        elif word in _SILENT or word in _DESCRIBING:
            self._begin_silence(word)
        elif self._group.describes:
            self._fonts.describe(word, number) if self._group.describes == "fonttbl" else self._field.describe(
                word, number
            )
        else:
            self._set_up(word, number, end)

    def _is_about_characters(self, word: str, number: int | None) -> bool:
        if word == "u" and number is not None:
            self._say_number(number % 65536)  # RTF writes numbers above 32767 as negative
            self._to_drop = self._group.fallback
        elif word == "uc":
            self._change(replace(self._group, fallback=max(0, min(number or 0, 10))))
        elif word == "ansicpg":
            self._encoding = rich_text_fonts.encoding_of(number)
        elif word in _MACHINES:
            self._encoding = _MACHINES[word]
        elif word == "deff":
            self._font = number or 0
            self._change(replace(self._group, font=self._font))
        else:
            return False
        return True

    def _say_number(self, code: int) -> None:
        """Write a character by its UTF-16 number. Two surrogates make one character; one alone cannot be read."""
        if 0xD800 <= code < 0xDC00:
            self._first_half = 0 if self._group.is_silent else code
        elif 0xDC00 <= code < 0xE000:
            first, self._first_half = self._first_half, 0
            self._say(chr(0x10000 + (first - 0xD800) * 0x400 + code - 0xDC00) if first else "\ufffd")
        else:
            self._say(chr(code))

    def _begin_silence(self, word: str) -> None:
        if word == "ffl":
            self._field.describe(word, None)
        describes = word if word in _DESCRIBING else ""
        is_copy = self._group.is_copy or word in {"shprslt", "nonesttables"}
        self._change(replace(self._group, is_silent=True, describes=describes, is_copy=is_copy))

    def _set_up(self, word: str, number: int | None, end: int) -> None:
        """Follow a control word about the document, or about the layout or place of text."""
        if word in _ELSEWHERE and not self._group.is_copy:
            self._group = replace(self._group, is_silent=False, closing="\n")
            self.typesetter.end_block()
        elif word in {"annotation", "result"} and not self._group.is_copy:
            self._group = replace(self._group, is_silent=False)
        elif word == "nestrow":
            self._end_nested_row()
        elif word == "upr" and not self._group.is_silent and "\\ud" in self._sent[end : end + _LOOKED_AT]:
            self._group = replace(self._group, is_silent=True, is_said_again=True)
        elif word == "ud" and self._group.is_said_again:
            self._group = replace(self._group, is_silent=False, is_said_again=False)
        if not self._group.is_silent:
            self._change(self._set(word, number))
            self._lay_out(word, number)

    def _skip(self, start: int, length: int) -> None:
        """Skip binary data. If it would end after the document, either the data is cut or its length is wrong; then we
        do not skip what is text."""
        if start + length <= len(self._sent):
            self.skips_to = start + length
            return
        if self._has_wrong_length:
            return
        self.typesetter.miss()
        self._has_wrong_length = True
        if _NO_TEXT.search(self._sent, start, start + _LOOKED_AT):
            self.skips_to = len(self._sent)

    def _lay_out(self, word: str, number: int | None) -> None:
        if word in _NOTES:
            self._say(" (")
            self._group = replace(self._group, closing=")")
        elif word in _PARAGRAPHS:
            self.typesetter.end_block()
        elif word == "line":
            self.typesetter.end_line()
        elif word in _OF_TABLES:
            self._lay_out_table(word, number)
        elif word == "field":
            self._field = Field()
            self._group = replace(self._group, field=self._field)
        else:
            self._say(_SIGNS.get(word, ""))

    def _lay_out_table(self, word: str, number: int | None) -> None:
        """Follow a control word about tables. A row may be described at its beginning, at its end, or only once for
        several rows. A table within a cell comes between the text before it in the row and the text after it."""
        if word == "trowd":
            self._depth = 0
            self.typesetter.begin_row()
        elif word == "intbl":
            self.typesetter.have_row()
        elif word == "itap":
            self._nest(max(0, number or 0))
        elif word == "nestcell":
            self._nest(max(self._depth, _NESTED))
            self.typesetter.end_cell()
        elif word == "cell":
            self._depth = min(self._depth, 1)
            self.typesetter.have_row(keeping=True)
            self.typesetter.end_cell()
        else:
            self._depth = 0
            self.typesetter.end_row()

    def _nest(self, depth: int) -> None:
        if depth != self._depth and max(depth, self._depth) >= _NESTED:
            self.typesetter.begin_row()
        self._depth = depth

    def _end_nested_row(self) -> None:
        if self._depth >= _NESTED:
            self.typesetter.begin_row()

    def _set(self, word: str, number: int | None) -> _Group:
        """The state of the group after a word about the looks of its text."""
        group, is_on = self._group, number != 0
        if word == "plain":
            return replace(group, is_hidden=False, crossed_out=frozenset(), script="", font=self._font)
        if word == "f":
            return replace(group, font=number or 0)
        if word == "v":
            return replace(group, is_hidden=is_on)
        if word in _CROSSED_OUT:
            return replace(group, crossed_out=group.crossed_out | {word} if is_on else group.crossed_out - {word})
        if word in _RAISING:
            return replace(group, script=_RAISING[word] if is_on else "")
        return replace(group, script=_SCRIPTS[word] if is_on else "") if word in _SCRIPTS else group


def _is_half(written: bytes, encoding: str) -> bool:
    """Whether the second byte of the last character is missing."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    decoder.decode(written)
    return bool(decoder.getstate()[0])
