"""What the documents claim, as far as a machine can check it."""

import ast
import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.apps import apps
from django.core.management import load_command_class

from config import celery, env

DOCUMENTS = {name: (env.ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("security.md", "privacy.md")}
_ALL = sorted(
    str(path.relative_to(env.ROOT)) for pattern in ("*.md", "docs/**/*.md") for path in env.ROOT.glob(pattern)
)
_PATH = re.compile(r"`((?:apps|benchmarks|config|development|docs|locale|static|templates|tests)/[\w/.-]+)`")
_PAGES = ["docs/operating.md", *(str(path.relative_to(env.ROOT)) for path in env.ROOT.glob("docs/operating/*.md"))]
_OPERATORS = {name: (env.ROOT / name).read_text(encoding="utf-8") for name in (*sorted(_PAGES), "docs/trouble.md")}
_LINK = re.compile(r"\]\((?!https?:)([\w./-]*)(?:#([\w-]+))?\)")
_OURS = {path.stem for path in env.ROOT.glob("apps/*/management/commands/[!_]*.py") if "sandbox" not in path.parts}
_APPS = {
    path.stem: f"apps.{path.relative_to(env.ROOT).parts[1]}"
    for path in env.ROOT.glob("apps/*/management/commands/[!_]*.py")
}
_OF_DJANGO = {"check", "collectstatic", "createsuperuser", "migrate", "sendtestemail"}
_EVERY = {
    timedelta(minutes=1): "minute",
    timedelta(minutes=5): "5 minutes",
    timedelta(minutes=10): "10 minutes",
    timedelta(hours=1): "hour",
    timedelta(days=1): "day",
}
_CHECK_ID = re.compile(r"holdfast\.[EW]\d{3}")


class TestDocument:
    @pytest.mark.parametrize("name", _ALL)
    def test_names_only_files_that_exist(self, name):
        named = set(_PATH.findall((env.ROOT / name).read_text(encoding="utf-8")))
        assert [path for path in named if not (env.ROOT / path).exists()] == []

    @pytest.mark.parametrize("name", ["docs/security.md", "docs/privacy.md"])
    def test_says_where_something_is(self, name):
        assert _PATH.search((env.ROOT / name).read_text(encoding="utf-8"))

    @pytest.mark.parametrize("name", _ALL)
    def test_asks_make_for_nothing_that_it_cannot_do(self, name):
        asked = re.findall(r"`(?:\w+=\S+ )*make ([a-z-]+)", (env.ROOT / name).read_text(encoding="utf-8"))
        targets = re.findall(r"^([a-z-]+):", (env.ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        assert set(asked) <= set(targets)

    @pytest.mark.parametrize("name", [*_ALL, "apps/sandbox/README.md"])
    def test_leads_to_what_is_there(self, name):
        page = env.ROOT / name
        for target, anchor in _LINK.findall(page.read_text(encoding="utf-8")):
            path = page.parent / target if target else page
            assert path.exists(), target
            if anchor:
                assert anchor in {_anchor(line) for line in path.read_text(encoding="utf-8").splitlines()}, (
                    target,
                    anchor,
                )


class TestOperatorsGuide:
    def test_has_each_command_in_its_table(self):
        _before, _heading, below = _OPERATORS["docs/operating.md"].partition("\n## Commands\n")
        table, _heading, _after = below.partition("\n## ")
        named = {
            name for cell in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", cell)
        }
        assert named == _OURS

    @pytest.mark.parametrize("name", _OPERATORS)
    def test_names_no_command_that_is_not_there(self, name):
        assert set(re.findall(r"manage\.py (\w+)", _OPERATORS[name])) <= _OURS | _OF_DJANGO

    @pytest.mark.parametrize("name", [*_OPERATORS, "README.md"])
    def test_names_no_option_that_a_command_does_not_take(self, name):
        text = (env.ROOT / name).read_text(encoding="utf-8")
        for command, rest in re.findall(r"(?:`|manage\.py )(\w+)((?: [^`\n]*)?)", text):
            if command in _OURS:
                parser = load_command_class(_APPS[command], command).create_parser("manage.py", command)
                taken = {option for action in parser._actions for option in action.option_strings}
                assert set(re.findall(r"(?<!\w)--[\w-]+", rest)) <= taken, (command, rest)

    def test_leads_from_its_first_page_to_each_other(self):
        index = _OPERATORS["docs/operating.md"].partition("\n## ")[0]
        led_to = {f"docs/{target}" for target, _anchor in _LINK.findall(index)}
        assert led_to == set(_OPERATORS) - {"docs/operating.md"}

    def test_says_of_each_alarm_what_to_do(self):
        text = _OPERATORS["docs/operating/metrics.md"]
        explained = re.findall(r"^\| (`Holdfast.*?) \|", text, re.MULTILINE)
        alarms = re.findall(r"alert: (\w+)", text)
        assert sorted(alarms) == sorted(name for cell in explained for name in re.findall(r"`(\w+)`", cell))

    def test_has_no_rule_that_matches_labels_of_a_number(self):
        """Prometheus takes none of the rules then: labels are matched between two metrics alone."""
        rules = re.findall(r"expr: '([^']*)'", _OPERATORS["docs/operating/metrics.md"])
        assert len(rules) == _OPERATORS["docs/operating/metrics.md"].count("alert: ")
        assert [rule for rule in rules if re.search(r"[\d.]+ *[-+*/] *(?:on|ignoring)\b", rule)] == []


def _anchor(heading: str) -> str:
    """Under which a heading can be linked; "" for any other line."""
    words = heading.lstrip("#").strip().lower() if heading.startswith("#") else ""
    return re.sub(r"[^\w -]", "", words).replace(" ", "-")


class TestTableOfLines:
    def test_says_of_each_error_what_to_do(self):
        rows = re.findall(r"^\|.*", _OPERATORS["docs/operating/watching.md"], re.MULTILINE)
        said = tuple(re.findall(r"`([A-Z][^`]+ [^`]+)`", "\n".join(rows)))
        assert [line for line in _errors() if not line.startswith(said)] == []

    def test_has_no_line_that_nothing_writes(self):
        _before, _heading, below = _OPERATORS["docs/operating/watching.md"].partition("\n| Line begins with |")
        cells = re.findall(r"^\| (`.*?) \|", below.partition("\n\n")[0], re.MULTILINE)
        beginnings = re.findall(r"`([A-Z][^`]+)`", "\n".join(cells))
        written = tuple(_errors())
        assert beginnings
        assert [one for one in beginnings if not any(line.startswith(one) for line in written)] == []


def _errors() -> Iterator[str]:
    """What the product logs for somebody to read: every error, and one warning."""
    for path in env.ROOT.glob("apps/**/*.py"):
        calls = () if "sandbox" in path.parts else ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for call in calls:
            if isinstance(call, ast.Call) and ast.unparse(call.func) in {"_LOG.error", "_LOG.exception"}:
                yield str(ast.literal_eval(call.args[0]))
    yield "A provider never confirmed that a permission ended"


class TestTableOfTheSchedule:
    def test_says_of_each_task_how_often_it_comes_and_by_which_queue(self):
        text = (env.ROOT / "docs" / "code.md").read_text(encoding="utf-8")
        told = re.findall(r"^\| `([\w.]+\.tasks\.\w+)` \| ([\w ]+) \| (\w+) \|", text, re.MULTILINE)
        sent = [
            (
                row.task.removeprefix("apps."),
                _EVERY[row.every],
                celery.app.amqp.router.route({}, row.task)["queue"].name,
            )
            for row in celery.SCHEDULE
        ]
        assert sorted(told) == sorted(sent)


class TestTableOfChecks:
    def test_lists_each_check_once(self):
        source = [path.read_text(encoding="utf-8") for path in env.ROOT.glob("apps/*/*checks.py")]
        source.append((env.ROOT / "config" / "checks.py").read_text(encoding="utf-8"))
        listed = re.findall(r"^\| `(holdfast\.[EW]\d{3})` \|", DOCUMENTS["security.md"], re.MULTILINE)
        assert sorted(listed) == sorted(set(_CHECK_ID.findall("\n".join(source))))


class TestTableOfSealedColumns:
    def test_lists_each_sealed_column(self):
        """A column is sealed where its name says so."""
        sealed = {
            f"{model.__name__}.{field.name}"
            for model in apps.get_models()
            if model.__module__.startswith("apps.")
            for field in model._meta.concrete_fields
            if field.name.startswith("sealed_")
        }
        listed = set(re.findall(r"`(\w+\.sealed_\w+)`", DOCUMENTS["privacy.md"]))
        assert sealed == listed
