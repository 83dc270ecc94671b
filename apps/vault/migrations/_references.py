"""References to rows of a table that an earlier release deletes from.

Django deletes what refers to a row itself, as far as it knows of it: a process of the previous release knows neither a
table nor a column that came since, and Postgres refuses what it deletes. Nobody could close an account in which the
new release has left anything, until the last old process is gone or, after going back, at all.

It stands here because every app that has such a migration may import from the vault.
"""

import time
from typing import Any

from django.db import OperationalError
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.models import CASCADE
from psycopg.errors import LockNotAvailable

# Both tables are locked for a moment, one after the other, and whoever closes an account may lock them the other way
# around. After a second Postgres would end one of the two, most often theirs. Giving up before that lets them through.
_LOCK_TIMEOUT = "500ms"
_TRIES = 120
_PAUSE_SECONDS = 0.5

_NAME = """
SELECT conname FROM pg_constraint WHERE contype = 'f' AND conrelid = to_regclass(%s) AND conkey = ARRAY[(
    SELECT attnum FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attname = %s
)]
"""


class FollowDeletion(Operation):
    """Let Postgres do to a foreign key what its `on_delete` says: delete the row, or set it to NULL.

    For a migration that is not atomic, after the one that makes the table or column. It may be run again.
    """

    reduces_to_sql = True
    reversible = True
    atomic = False

    def __init__(self, model_name: str, name: str) -> None:
        self.model_name = model_name
        self.name = name

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Nothing: the models say it already."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        field = to_state.apps.get_model(app_label, self.model_name)._meta.get_field(self.name)
        _make(schema_editor, field, "CASCADE" if field.remote_field.on_delete is CASCADE else "SET NULL")

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        field = to_state.apps.get_model(app_label, self.model_name)._meta.get_field(self.name)
        _make(schema_editor, field, "NO ACTION")

    def describe(self) -> str:
        return f"Follow deletions by {self.name} of {self.model_name}"


def _make(schema_editor: BaseDatabaseSchemaEditor, field: Any, action: str) -> None:
    """Put another constraint in the place of the one that is there; rows are checked beside the work of others."""
    quote = schema_editor.quote_name
    table, target = quote(field.model._meta.db_table), quote(field.related_model._meta.db_table)
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(_NAME, [table, table, field.column])
        (name,) = map(quote, cursor.fetchone())
    referring = f"({quote(field.column)}) REFERENCES {target} ({quote(field.target_field.column)}) ON DELETE {action}"
    replacing = f"DROP CONSTRAINT {name}, ADD CONSTRAINT {name} FOREIGN KEY {referring}"
    _patiently(schema_editor, f"ALTER TABLE {table} {replacing} DEFERRABLE INITIALLY DEFERRED NOT VALID")
    _patiently(schema_editor, f"ALTER TABLE {table} VALIDATE CONSTRAINT {name}")


def _patiently(schema_editor: BaseDatabaseSchemaEditor, statement: str) -> None:
    """Give up soon where somebody has locked the tables, and try again a little later."""
    schema_editor.execute(f"SET lock_timeout = '{_LOCK_TIMEOUT}'")
    try:
        for left in reversed(range(_TRIES)):
            try:
                return schema_editor.execute(statement)
            except OperationalError as error:
                if not left or not isinstance(error.__cause__, LockNotAvailable):
                    raise
                time.sleep(_PAUSE_SECONDS)
    finally:
        schema_editor.execute("RESET lock_timeout")
