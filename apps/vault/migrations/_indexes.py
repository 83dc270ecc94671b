"""Indexes built beside the work of everybody else, in a migration that may be killed and run again.

It stands here because the vault is the lowest app that has such a migration; those of all above it import it."""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import AddConstraint

_STATE = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"


class AddIndexBeside(AddIndexConcurrently):
    """As AddIndexConcurrently. An index that is whole already is left, and one whose building was cut short, which
    Postgres keeps filling and never uses, is built anew."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        if not _is_whole(schema_editor, self.index.name):
            super().database_forwards(app_label, schema_editor, from_state, to_state)


class AddUniqueBeside(AddConstraint):
    """The same for a UniqueConstraint of expressions, which Postgres has as an index."""

    atomic = False

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        if not _is_whole(schema_editor, self.constraint.name):
            model = to_state.apps.get_model(app_label, self.model_name)
            made = str(self.constraint.create_sql(model, schema_editor))
            schema_editor.execute(
                made.replace("CREATE UNIQUE INDEX", "CREATE UNIQUE INDEX CONCURRENTLY", 1), params=None
            )

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {schema_editor.quote_name(self.constraint.name)}")


def _is_whole(schema_editor: BaseDatabaseSchemaEditor, name: str) -> bool:
    """Whether the index is there. What is left of one whose building was cut short is dropped."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(_STATE, [schema_editor.quote_name(name)])
        found = cursor.fetchone()
        if found and not found[0]:
            cursor.execute(f"DROP INDEX CONCURRENTLY {schema_editor.quote_name(name)}")
    return bool(found and found[0])
