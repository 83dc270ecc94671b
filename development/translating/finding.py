"""Find every string marked for translation: `gettext` and the like in Python, `translate` and the like in templates."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from django.utils.translation.template import templatize

from development.translating.catalog import Message

ROOT = Path(__file__).resolve().parent.parent.parent
SINGULAR = {"_", "gettext", "gettext_lazy", "gettext_noop"}
PLURAL = {"ngettext", "ngettext_lazy"}
WITH_CONTEXT = {"pgettext", "pgettext_lazy"}

_STRING = r"""u?('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
_CALL = re.compile(rf"\b([np]?gettext|_)\(\s*{_STRING}\s*(?:,\s*{_STRING})?")


def messages(root: Path = ROOT) -> set[Message]:
    """Every message of the site. The sandbox is left out: it is English only."""
    found: set[Message] = set()
    for path in sorted((root / "templates").rglob("*.*")):
        found.update(in_template(path.read_text()))
    for folder in ("apps", "config"):
        for path in sorted((root / folder).rglob("*.py")):
            if "sandbox" not in path.parts and "migrations" not in path.parts:
                found.update(in_python(path.read_text()))
    return found


def in_template(source: str) -> Iterator[Message]:
    """The messages of one template. Django converts it into Python calls, which we read."""
    for found in _CALL.finditer(templatize(source)):
        first, second = (str(ast.literal_eval(text)) if text else "" for text in (found[2], found[3]))
        if found[1] == "pgettext":
            yield Message(second, context=first)
        else:
            yield Message(first, second if found[1] == "ngettext" else "")


def in_python(source: str) -> Iterator[Message]:
    """The messages of one module. Raises ValueError for a call whose text is not a literal."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in SINGULAR and node.args:
            yield Message(_text(node.args[0]))
        elif name in PLURAL:
            yield Message(_text(node.args[0]), _text(node.args[1]))
        elif name in WITH_CONTEXT:
            yield Message(_text(node.args[1]), context=_text(node.args[0]))


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    raise ValueError(f"Line {node.lineno}: only a literal string can be translated.")
