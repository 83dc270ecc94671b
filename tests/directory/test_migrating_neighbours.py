"""The migration that moved the neighbours of words into a table of their own can be undone."""

from importlib import import_module

import pytest
from django.db import connection

from apps.directory.models import SearchWord
from apps.directory.words import mistyping

pytestmark = pytest.mark.django_db

MIGRATION = import_module("apps.directory.migrations.0028_neighbours_apart").Migration


def neighbours_of_before(word: str) -> set[str]:
    """What the version before finds a word by."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT neighbours FROM directory_searchword WHERE word = %s", [word])
        return set(cursor.fetchone()[0])


def go_back() -> None:
    with connection.cursor() as cursor:
        for operation in reversed(MIGRATION.operations):
            if getattr(operation, "reverse_sql", ""):
                cursor.execute(operation.reverse_sql)


class TestGoingBack:
    def test_gives_the_version_before_the_neighbours_of_words_learnt_since(self):
        SearchWord.learn(["harbor", "7"])
        go_back()
        assert neighbours_of_before("harbor") == mistyping.neighbours("harbor")
        assert neighbours_of_before("7") == set()

    def test_leaves_those_alone_that_the_version_before_made(self):
        SearchWord.learn(["harbor"])
        with connection.cursor() as cursor:
            cursor.execute("UPDATE directory_searchword SET neighbours = '{harb}'")
        go_back()
        assert neighbours_of_before("harbor") == {"harb"}
