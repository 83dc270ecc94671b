"""Rules about the source code that a machine can check."""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

from config import env

PACKAGES = ("apps", "config", "development", "benchmarks", "tests")
OURS = ("apps", "config", "development")
DRAWERS = {"utils", "util", "helpers", "helper", "common", "misc", "services", "managers", "tools", "lib", "shared"}
LONGEST_MODULE = 400
LONGEST_FUNCTION = 40
MENTION = re.compile(r"`(?:apps\.)?([a-z_]+(?:\.\w+)+)`")  # in a docstring or a comment


def modules(*packages):
    """Every Python file of the packages, migrations apart: those are written by Django."""
    found = [path for package in packages for path in (env.ROOT / package).rglob("*.py")]
    return sorted(path for path in found if "migrations" not in path.parts)


def name(path):
    return str(Path(path).relative_to(env.ROOT))


@cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def lines(node):
    return (node.end_lineno or node.lineno) - node.lineno + 1


@cache
def rooms():
    """The folders of apps, by their names."""
    return {path.parent.name for path in (env.ROOT / "apps").rglob("__init__.py")}


def is_there(mention):
    """Whether a dotted name leads to a folder of apps, to a module, or to a word of one."""
    first, *rest = mention.split(".")
    apps = env.ROOT / "apps"
    return any(leads(found, rest) for form in (first, f"{first}.py") for found in apps.rglob(form))


def leads(place, parts):
    if not parts:
        return True
    if place.is_file():
        return re.search(rf"\b{parts[0]}\b", place.read_text(encoding="utf-8")) is not None
    inside = ((place / parts[0], parts[1:]), (place / f"{parts[0]}.py", parts[1:]), (place / "__init__.py", parts))
    return any(found.exists() and leads(found, left) for found, left in inside)


class TestTheSource:
    def test_has_no_drawers(self):
        """A name that says nothing collects everything."""
        parts = {part for path in modules(*PACKAGES) for part in (*path.relative_to(env.ROOT).parts[:-1], path.stem)}
        assert parts & DRAWERS == set()

    def test_has_no_module_that_is_too_long(self):
        lengths = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in modules(*PACKAGES)}
        assert {path: lines for path, lines in lengths.items() if lines > LONGEST_MODULE} == {}

    def test_has_no_function_that_is_too_long(self):
        long = [
            f"{name(path)}:{node.name} {lines(node)}"
            for path in modules("apps", "config", "development", "benchmarks")
            for node in ast.walk(tree(path))
            if isinstance(node, ast.FunctionDef) and lines(node) > LONGEST_FUNCTION
        ]
        assert long == []

    def test_imports_its_own_at_the_top(self):
        """An import inside a function hides a cycle."""
        hidden = [
            f"{name(path)}:{inner.lineno}"
            for path in modules("apps", "config", "development", "benchmarks")
            for node in ast.walk(tree(path))
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            for inner in ast.walk(node)
            if (isinstance(inner, ast.ImportFrom) and (inner.module or "").split(".")[0] in OURS)
            or (isinstance(inner, ast.Import) and any(alias.name.split(".")[0] in OURS for alias in inner.names))
        ]
        assert hidden == []

    def test_imports_absolutely(self):
        relative = [
            f"{name(path)}:{node.lineno}"
            for path in modules(*PACKAGES)
            for node in ast.walk(tree(path))
            if isinstance(node, ast.ImportFrom) and node.level
        ]
        assert relative == []

    def test_says_what_every_module_is_for(self):
        empty = [name(path) for path in modules(*PACKAGES) if path.stat().st_size and not ast.get_docstring(tree(path))]
        assert empty == []

    def test_names_modules_where_they_stand(self):
        lost = [
            f"{name(path)}: {mention}"
            for path in modules("apps", "config", "development", "benchmarks")
            for mention in MENTION.findall(path.read_text(encoding="utf-8"))
            if mention.split(".")[0] in rooms() and not is_there(mention)
        ]
        assert lost == []

    def test_receives_no_signals(self):
        """A higher app learns what a lower one did by asking its rows."""
        found = [
            name(path)
            for path in modules("apps", "config")
            for node in ast.walk(tree(path))
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("django.db.models.signals")
        ]
        assert found == []


class TestTheArrow:
    def test_points_one_way(self):
        checked = subprocess.run(
            [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"],
            cwd=env.ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert checked.returncode == 0, checked.stdout

    def test_leaves_through_the_transport(self):
        """The import linter cannot name modules of the standard library's packages."""
        doors = {"http.client", "socket", "ssl", "urllib.request", "ftplib", "smtplib"}
        through = {
            name(path)
            for path in modules("apps", "config")
            for node in ast.walk(tree(path))
            for door in doors
            if (isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"{door}."))
            or (isinstance(node, ast.Import) and any(alias.name == door for alias in node.names))
        }
        # The probe asks its own container, and is no part of the site; the sandbox asks this machine for keys.
        apart = {"config/probing.py", "apps/sandbox/smart/clients/registered_keys.py"}
        assert {path for path in through if not path.startswith("apps/wire/")} <= apart

    def test_leads_from_the_product_to_no_laptop(self):
        """`development` is absent from production's image: only the settings of a laptop and of tests import it."""
        importing = [
            name(path)
            for path in modules("apps", "config")
            for node in ast.walk(tree(path))
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "development"
        ]
        allowed = {f"config/settings/{settings}.py" for settings in ("local", "test", "sandbox", "sandbox_test")}
        assert set(importing) <= allowed
