"""References to rows of a table that an earlier release deletes from.

Django deletes what refers to a row itself, as far as it knows of it: a process of the previous release knows neither a
table nor a column that came since, and Postgres refuses what it deletes. Nobody could close an account in which the
new release has left anything, until the last old process is gone or, after going back, at all.

It stands here because every app that has such a migration may import from the vault.
"""

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.models import CASCADE

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
    schema_editor.execute(
        f"ALTER TABLE {table} DROP CONSTRAINT {name}, "
        f"ADD CONSTRAINT {name} FOREIGN KEY {referring} DEFERRABLE INITIALLY DEFERRED NOT VALID"
    )
    schema_editor.execute(f"ALTER TABLE {table} VALIDATE CONSTRAINT {name}")
