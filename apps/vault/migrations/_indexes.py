"""Indexes built beside the work of everybody else, in a migration that may be killed and run again.

It stands here because the vault is the lowest app that has such a migration; those of all above it import it."""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

_STATE = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"


class AddIndexBeside(AddIndexConcurrently):
    """As AddIndexConcurrently. An index that is whole already is left, and one whose building was cut short, which
    Postgres keeps filling and never uses, is built anew."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        with schema_editor.connection.cursor() as cursor:
            cursor.execute(_STATE, [schema_editor.quote_name(self.index.name)])
            found = cursor.fetchone()
            if found and not found[0]:
                cursor.execute(f"DROP INDEX CONCURRENTLY {schema_editor.quote_name(self.index.name)}")
        if not (found and found[0]):
            super().database_forwards(app_label, schema_editor, from_state, to_state)
