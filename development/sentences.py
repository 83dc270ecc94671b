"""Check the second half of `docs/conformance.md` against the source: where each rule of the specification is
implemented, and which tests prove it.

A row is a line that begins with `| §`. Its first cell names the rule; its last three say where it is in the product,
where in the sandbox, and what proves it. `complaints` returns what is wrong with the page, for a test to show.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from development.conformance import ROOT, ROW, Claims

# Every rule of the specification, by part, section, and number, row or field. The specification itself is not in here.
RULES = (
    *(f"§1.{number}" for number in range(1, 8)),
    *("§2.1 id", "§2.1 others"),
    *(f"§2.2 {name}" for name in ("place", "extension", "authorize", "token", "manage")),
    *(f"§2.3 {name}" for name in ("access_token", "token_type", "scope", "expires_in", "patient", "encounter")),
    *(f"§2.3 {name}" for name in ("refresh_token", "id_token", "refresh answer", "patient access")),
    "§2.4",
    *("§3 states", "§3 application", "§3 code", "§3 refresh, patient access", "§3 refresh, online"),
    *("§3 refresh, offline", "§3 access token", "§3 others"),
    *("§4 token requests", "§4 JSON"),
    *(f"§4.1 P{number}" for number in range(1, 7)),
    *(f"§4.1 r{number}" for number in range(1, 5)),
    *(f"§4.2 S{number}" for number in range(1, 7)),
    *(f"§4.2 r{number}" for number in range(1, 6)),
    *(f"§5.1.{number}" for number in range(1, 8)),
    "§5.1.3 values",
    *(f"§5.2.{number}" for number in range(1, 9)),
    "§6",
    *(f"§7.{number}" for number in range(1, 7)),
    "§7.3 form",
    *(f"§8 {name}" for name in ("window", "lifetime", "interval", "idle", "sizes", "rates")),
    *(f"§9.{number}" for number in range(1, 6)),
)
_NUMBER = re.compile(r"\b[CX]\d+\b")
_NAMED = re.compile(r"`([^`]+)`")
_NONE = re.compile(r"None: \S+ \S+ \S+.*")
_COLUMNS = {5, 6}  # what the specification does not show has one more: what we chose


@dataclass(frozen=True)
class Row:
    """One row; `cells` has all of its cells, stripped."""

    rule: str
    cells: tuple[str, ...]

    @property
    def product(self) -> str:
        return self.cells[-3]

    @property
    def sandbox(self) -> str:
        return self.cells[-2]

    @property
    def proof(self) -> str:
        return self.cells[-1]


def rows(text: str) -> list[Row]:
    """The rows of the page, in order."""
    found = [tuple(cell.strip() for cell in line[1:-1].split("|")) for line in text.splitlines() if line[:3] == "| §"]
    return [Row(cells[0], cells) for cells in found]


def complaints(text: str, proven_by: Claims) -> list[str]:
    """What is wrong with the page, one sentence each. `proven_by` has the numbers that each test claims."""
    found = rows(text)
    proven = {number for numbers in proven_by.values() for number in numbers}
    return [
        *(f"{rule} has no row" for rule in RULES if rule not in {row.rule for row in found}),
        *(complaint for row in found for complaint in _about(row, proven)),
        *(f"{number} cites {rule} and stands in no row of it" for number, rule in _unanswered(text, found)),
    ]


def _about(row: Row, proven: set[str]) -> Iterator[str]:
    if row.rule not in RULES:
        yield f"{row.rule} is no rule"
    if len(row.cells) not in _COLUMNS or "" in row.cells:
        yield f"{row.rule} has an empty cell, or too few"
        return
    yield from _about_modules(row, row.product, "apps")
    yield from _about_modules(row, row.sandbox, "apps/sandbox")
    yield from _about_proof(row, proven)


def _about_modules(row: Row, cell: str, below: str) -> Iterator[str]:
    named = _NAMED.findall(cell)
    if not named and not _NONE.fullmatch(cell):
        yield f"{row.rule} names no module, and no reason why there is none: {cell}"
    for name in named:
        if not (name.endswith(".py") and (ROOT / below / name).is_file()):
            yield f"{row.rule} names a module that is not there: {below}/{name}"


def _about_proof(row: Row, proven: set[str]) -> Iterator[str]:
    numbers, tests = _NUMBER.findall(_NAMED.sub("", row.proof)), _NAMED.findall(row.proof)
    for number in numbers:
        if number not in proven:
            yield f"{row.rule} counts on {number}, which no test claims"
    for test in tests:
        if not _exists(test):
            yield f"{row.rule} names a test that is not there: {test}"
    of_sandbox = [number for number in numbers if number[0] == "X"] + [t for t in tests if t.startswith("sandbox/")]
    of_product = len(numbers) + len(tests) - len(of_sandbox)
    if _NAMED.search(row.product) and not of_product:
        yield f"{row.rule} is in the product, and no test of it is named"
    if _NAMED.search(row.sandbox) and not of_sandbox:
        yield f"{row.rule} is in the sandbox, and no test of it is named"


def _exists(test: str) -> bool:
    """Whether `x/test_y.py::TestThing::test_sentence` exists below `tests/`."""
    path, *names = test.split("::")
    file = ROOT / "tests" / path
    return len(names) == 2 and file.is_file() and tuple(names) in _tests_in(file)


@cache
def _tests_in(file: Path) -> frozenset[tuple[str, str]]:
    """Class and method of each test of a file."""
    classes = [node for node in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(node, ast.ClassDef)]
    return frozenset((one.name, node.name) for one in classes for node in one.body if isinstance(node, ast.FunctionDef))


def _unanswered(text: str, found: list[Row]) -> Iterator[tuple[str, str]]:
    """Numbers of the first half that cite a rule, but that no row of that rule lists."""
    for row in filter(None, map(ROW.match, text.splitlines())):
        for rule in _cited(row.group(2)):
            of_rule = [one for one in found if one.rule == rule or one.rule.startswith((f"{rule} ", f"{rule}."))]
            if not any(row.group(1) in _NUMBER.findall(_NAMED.sub("", one.proof)) for one in of_rule):
                yield row.group(1), rule


def _cited(sentence: str) -> Iterator[str]:
    """The rules in the brackets at its end: "(§4.1 r1, P5, §5.2.5-7 +)" cites §4.1 r1, §4.1 P5 and §5.2.5."""
    section = ""
    for part in sentence.rpartition("(")[2].rstrip(")").replace("+", "").split(","):
        number, _, name = part.strip().rpartition(" ") if " " in part.strip() else _parted(part.strip())
        section = number.partition("-")[0] or section
        if section.startswith("§"):
            yield f"{section} {name}".strip()


def _parted(word: str) -> tuple[str, str, str]:
    """A lone word: a section, or a name within the one before."""
    return (word, "", "") if word.startswith("§") else ("", "", word)
