"""Write into `docs/conformance.md` which tests prove each number. `python -m development.conformance` rewrites it.

Tests claim numbers with `@pytest.mark.conformance("C3", "C7")`; the claims are read from the source, so nothing has to
run. The head of the page says what its test enforces.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "conformance.md"
NOT_YET = "*not yet*"
ROW = re.compile(r"^\| ([CX]\d+) \| (.*) \| (.*?) ?\|$")

Claims = Mapping[str, tuple[str, ...]]


def claims() -> dict[str, tuple[str, ...]]:
    """Test name (`tests/x/test_y.py::TestThing::test_sentence`) to the numbers it claims."""
    found: dict[str, tuple[str, ...]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        module = ast.parse(path.read_text(encoding="utf-8"))
        found.update(_claims_in(module.body, str(path.relative_to(ROOT)), ()))
    return found


def page(text: str, proven_by: Claims) -> str:
    """The page with its third column brought up to date."""
    tests: dict[str, list[str]] = {}
    for test, numbers in proven_by.items():
        for number in numbers:
            tests.setdefault(number, []).append(f"`{test.removeprefix('tests/')}`")
    return "".join(f"{_line_brought_up_to_date(line, tests)}\n" for line in text.splitlines())


def numbers(text: str) -> list[str]:
    """Every number the page lists, in order."""
    return [row.group(1) for line in text.splitlines() if (row := ROW.match(line))]


def _line_brought_up_to_date(line: str, tests: Mapping[str, list[str]]) -> str:
    row = ROW.match(line)
    if row is None:
        return line
    number, sentence, _ = row.groups()
    return f"| {number} | {sentence} | {'<br>'.join(tests.get(number, [NOT_YET]))} |"


def _claims_in(body: list[ast.stmt], prefix: str, inherited: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _claims_in(node.body, f"{prefix}::{node.name}", inherited + _claimed(node))
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            claimed = inherited + _claimed(node)
            if claimed:
                yield f"{prefix}::{node.name}", claimed


def _claimed(node: ast.ClassDef | ast.FunctionDef) -> tuple[str, ...]:
    return tuple(
        str(argument.value)
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.conformance"
        for argument in decorator.args
        if isinstance(argument, ast.Constant)
    )


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), claims()), encoding="utf-8")
