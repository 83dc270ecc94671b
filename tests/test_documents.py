"""What docs/security.md and docs/privacy.md claim, as far as a machine can hold them to it."""

import re

import pytest
from django.apps import apps

from config import env

DOCUMENTS = {name: (env.ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("security.md", "privacy.md")}
_PATH = re.compile(r"`((?:apps|config|tests|docs)/[\w/.-]+)`")
_CHECK_ID = re.compile(r"holdfast\.[EW]\d{3}")


class TestDocument:
    @pytest.mark.parametrize("name", DOCUMENTS)
    def test_names_only_files_that_exist(self, name):
        named = set(_PATH.findall(DOCUMENTS[name]))
        assert named
        assert [path for path in named if not (env.ROOT / path).exists()] == []


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
