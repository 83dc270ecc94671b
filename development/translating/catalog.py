"""Messages and their translations, read from and written to the `.po` and `.mo` formats of GNU gettext.

Of `.po` we support what we need: a header, `msgctxt`, `msgid`, `msgid_plural`, `msgstr` and its plural forms, and lines
that start with `#`. There are no fuzzy or obsolete entries.
"""

import ast
import re
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

HEADER = (
    "Language: es\n"
    "MIME-Version: 1.0\n"
    "Content-Type: text/plain; charset=UTF-8\n"
    "Content-Transfer-Encoding: 8bit\n"
    "Plural-Forms: nplurals=2; plural=(n != 1);\n"
)
PREAMBLE = (
    "# The Spanish of Holdfast: usted, as it is used in the United States. Clinical numbers are never localized.\n"
    "# Written by `python -m development.translating`; fill in the msgstr lines by hand.\n"
)


@dataclass(frozen=True, order=True)
class Message:
    """One string of the source; `plural` and `context` are "" if there is none."""

    singular: str
    plural: str = ""
    context: str = ""

    @property
    def key(self) -> str:
        """The key of the message in a `.mo` file."""
        words = f"{self.singular}\0{self.plural}" if self.plural else self.singular
        return f"{self.context}\4{words}" if self.context else words


Catalog = Mapping[Message, tuple[str, ...]]  # one translation, or two where there is a plural; "" is not done yet


def read_po(text: str) -> dict[Message, tuple[str, ...]]:
    """The entries of a `.po` file, without its header. Raises ValueError for a line that we never write."""
    entries: dict[Message, tuple[str, ...]] = {}
    for block in re.split(r"\n\s*\n", text):
        parts = _parts(line for line in block.splitlines() if line and not line.startswith("#"))
        if parts.get("msgid"):
            message = Message(parts["msgid"], parts.get("msgid_plural", ""), parts.get("msgctxt", ""))
            keys = ("msgstr[0]", "msgstr[1]") if message.plural else ("msgstr",)
            entries[message] = tuple(parts[key] for key in keys)
    return entries


def write_po(catalog: Catalog) -> str:
    """The `.po` file, sorted, so that two people who add strings rarely conflict."""
    blocks = [PREAMBLE + 'msgid ""\nmsgstr ' + _quoted(HEADER)]
    for message in sorted(catalog):
        lines = [f"msgctxt {_quoted(message.context)}"] if message.context else []
        lines.append(f"msgid {_quoted(message.singular)}")
        if message.plural:
            lines.append(f"msgid_plural {_quoted(message.plural)}")
            lines += [f"msgstr[{form}] {_quoted(text)}" for form, text in enumerate(catalog[message])]
        else:
            lines.append(f"msgstr {_quoted(catalog[message][0])}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def compile_mo(catalog: Catalog) -> bytes:
    """The `.mo` file (GNU gettext manual, section "The Format of GNU MO Files"), without untranslated messages."""
    done = [(message.key, "\0".join(texts)) for message, texts in catalog.items() if all(texts)]
    pairs = [("", HEADER), *done]
    encoded = sorted((key.encode(), value.encode()) for key, value in pairs)
    start = 28 + 16 * len(encoded)
    keys, values = _table([key for key, _ in encoded], start), b"".join(key + b"\0" for key, _ in encoded)
    texts = _table([value for _, value in encoded], start + len(values))
    head = struct.pack("<7I", 0x950412DE, 0, len(encoded), 28, 28 + 8 * len(encoded), 0, start)
    return head + keys + texts + values + b"".join(value + b"\0" for _, value in encoded)


def _table(items: list[bytes], offset: int) -> bytes:
    table = b""
    for item in items:
        table += struct.pack("<2I", len(item), offset)
        offset += len(item) + 1
    return table


def _parts(lines: Iterable[str]) -> dict[str, str]:
    parts: dict[str, str] = {}
    key = ""
    for line in lines:
        found = re.fullmatch(r'(?:(msgctxt|msgid|msgid_plural|msgstr(?:\[\d\])?) )?(".*")', line.strip())
        if found is None or not (found[1] or key):
            raise ValueError(f"Not a line of a catalog: {line}")
        key = found[1] or key
        parts[key] = parts.get(key, "") + str(ast.literal_eval(found[2]))
    return parts


def _quoted(text: str) -> str:
    def quote(line: str) -> str:
        return '"' + line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'

    lines = text.splitlines(keepends=True)
    return quote(text) if len(lines) < 2 else "\n".join(['""', *map(quote, lines)])
