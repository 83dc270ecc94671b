"""Migrations that a running site applies: no statement locks others out of a table for as long as its rows take to read
(docs/operating/deploying.md, "Releasing").

The SQL of each migration is checked, not its operations. Those up to `BEFORE` were made before the first release, and
run over empty tables.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.apps import apps
from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently, ValidateConstraint
from django.db import connection, migrations, models
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState

# The last of each app that nobody upgrades over.
BEFORE: Mapping[str, str] = {
    "accounts": "0003_warning_choices",
    "audit": "0003_restoration",
    "connections": "0027_silent_since",
    "directory": "0024_parallel_requests",
    "records": "0014_deaths_of_workers",
    "sharing": "",  # its first is looked at, too
    "vault": "0002_rewrapping",
}

_CREATED = re.compile(r'CREATE TABLE "(\w+)"')
# Postgres notes the new length, and neither reads nor writes a row.
_RESIZED = re.compile(r'ALTER TABLE "(\w+)" ALTER COLUMN "(\w+)" TYPE varchar\((\d+)\)')
_TABLE = re.compile(r'(?:ALTER TABLE|\bON) "?(\w+)"?')
# What reads or rewrites all rows of a table while it keeps others out, or breaks what the version before still does.
_WRONG: Mapping[str, re.Pattern[str]] = {
    "builds an index while nobody may write": re.compile(r"CREATE (UNIQUE )?INDEX (?!CONCURRENTLY)"),
    "checks every row under a lock": re.compile(r"ADD CONSTRAINT (?!.*\bNOT VALID)|ADD (UNIQUE|PRIMARY KEY|CHECK)\b"),
    "builds an index for a new column while nobody may write": re.compile(r"ADD COLUMN .*\b(UNIQUE|PRIMARY KEY)\b"),
    "computes a default for every row": re.compile(r"ADD COLUMN .*DEFAULT \(?\(?(\w*uuid\w*|random|clock_timestamp)\("),
    "checks every row for a foreign key": re.compile(r"ADD COLUMN .*DEFAULT (?!NULL).*REFERENCES"),
    "leaves the version before without a default": re.compile(r"ALTER COLUMN .* DROP DEFAULT"),
    "may rewrite every row": re.compile(r"ALTER COLUMN .* TYPE\b"),
    "reads every row for NULL": re.compile(r"ALTER COLUMN .* SET NOT NULL"),
    "writes all rows in one statement": re.compile(r"^\s*(UPDATE|DELETE|INSERT)\b"),
}
_VALIDATES = re.compile(r"VALIDATE CONSTRAINT")

_FOLLOWED = """
SELECT conrelid::regclass::text, attname, confdeltype::text FROM pg_constraint
JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1] WHERE contype = 'f'
"""


def faults(migration: Migration, state: ProjectState) -> Iterator[str]:
    """What would keep others out for long, of one migration over this state of the models."""
    with connection.schema_editor(collect_sql=True, atomic=False) as editor:
        migration.apply(state.clone(), editor, collect_sql=True)
    statements = [line for line in editor.collected_sql if not line.startswith("--")]
    created = {name for statement in statements for name in _CREATED.findall(statement)}
    is_validated = any(_VALIDATES.search(statement) for statement in statements)
    lengths = dict(_lengths(state))
    for statement in statements:
        if _widens(statement, lengths):
            continue
        if created & set(_TABLE.findall(statement)[:1]):
            continue  # nobody knows it yet
        for fault, pattern in _WRONG.items():
            is_proven = fault == "reads every row for NULL" and is_validated and not migration.atomic
            if pattern.search(statement) and not is_proven:
                yield f"{fault}: {statement}"
        if _VALIDATES.search(statement) and migration.atomic:
            yield f"reads every row under the lock of what came before: {statement}"
    if migration.atomic and any(isinstance(one, migrations.RunPython) for one in migration.operations):
        yield "changes rows in one transaction: RunPython wants atomic = False, and lots"


def _lengths(state: ProjectState) -> Iterator[tuple[tuple[str, str], int]]:
    """How long a text each column takes, of those that have a limit."""
    for model in state.apps.get_models():
        for field in model._meta.concrete_fields:
            limited = re.fullmatch(r"varchar\((\d+)\)", field.db_type(connection) or "")
            if limited is not None and field.column is not None:
                yield (model._meta.db_table, field.column), int(limited[1])


def _widens(statement: str, lengths: dict[tuple[str, str], int]) -> bool:
    """Whether all it does is to let texts be longer."""
    resized = _RESIZED.fullmatch(statement.rstrip("; "))
    if resized is None:
        return False
    table, column, length = resized.groups()
    before, lengths[table, column] = lengths.get((table, column), 0), int(length)
    return 0 < before <= int(length)


def _later() -> Iterator[tuple[Migration, MigrationLoader]]:
    loader = MigrationLoader(connection)
    for (app, name), migration in sorted(loader.disk_migrations.items()):
        if app in BEFORE and name > BEFORE[app]:
            yield migration, loader


class TestAMigrationInSteps:
    """One that is not atomic, and so may die between any two of them."""

    @staticmethod
    def apply_again(app: str, name: str) -> None:
        loader = MigrationLoader(connection)
        migration, state = loader.disk_migrations[app, name], loader.project_state((app, name), at_end=False)
        with connection.schema_editor(atomic=False) as editor:
            migration.apply(state, editor)

    @staticmethod
    def indexes() -> set[str]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'")
            return {definition for (definition,) in cursor.fetchall()}

    @pytest.mark.django_db(transaction=True)
    def test_may_be_run_again_where_it_was_killed_before_it_was_written_down(self):
        known = MigrationLoader(connection).disk_migrations
        in_steps = [(app, name) for app, name in _ours() if not known[app, name].atomic]
        before = self.indexes()
        for app, name in in_steps:
            self.apply_again(app, name)
        assert len(in_steps) > 10
        assert self.indexes() == before

    @pytest.mark.django_db(transaction=True)
    @pytest.mark.parametrize(
        ("app", "name", "index"),
        [
            ("vault", "0002_rewrapping", "vault_data_keys_of_key"),
            ("vault", "0004_one_key_of_each_state", "vault_one_data_key_of_each_state"),
            ("directory", "0026_common_beginnings", "common_first_letter"),
            ("directory", "0028_neighbours_apart", "word_neighbours"),
            ("records", "0015_forms_of_shelves", "shelves_by_form"),
            ("records", "0021_index_of_gaps", "sync_steps_with_gaps"),
        ],
    )
    def test_builds_an_index_anew_whose_building_was_cut_short(self, app, name, index):
        """Postgres keeps it, and uses it for nothing."""
        with connection.cursor() as cursor:
            cursor.execute("UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = to_regclass(%s)", [index])
            assert cursor.rowcount == 1
            self.apply_again(app, name)
            cursor.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", [index])
            assert cursor.fetchone() == (True,)


class TestAMigrationOfARelease:
    @pytest.mark.django_db(transaction=True)  # as a migration that is not atomic wants it
    def test_keeps_nobody_out_of_a_table(self):
        found = [
            f"{migration.app_label}.{migration.name} {fault}"
            for migration, loader in _later()
            for fault in faults(migration, loader.project_state((migration.app_label, migration.name), at_end=False))
        ]
        assert found == []

    def test_is_one_of_an_app_that_is_looked_at(self, db):
        """A new app's first migration is after nothing."""
        ours = {app for app, _name in MigrationLoader(connection).disk_migrations if _is_ours(app)}
        assert ours - {"sandbox"} == set(BEFORE)

    def test_has_a_first_one_that_exists(self, db):
        assert {(app, name) for app, name in BEFORE.items() if name} <= set(MigrationLoader(connection).disk_migrations)


class TestAReferenceOfARelease:
    """Of a table or a column that an earlier release does not know: it deletes what is referred to."""

    def test_is_followed_by_postgres_when_an_earlier_release_deletes(self, db):
        loader = MigrationLoader(connection)
        earlier = loader.project_state([(app, name) for app, name in BEFORE.items() if name]).apps
        known = {(model._meta.db_table, field.column) for model in earlier.get_models() for field in _references(model)}
        later = {
            (model._meta.db_table, field.column): field
            for model in apps.get_models()
            for field in _references(model)
            if model._meta.app_label in BEFORE and (model._meta.db_table, field.column) not in known
        }
        with connection.cursor() as cursor:
            cursor.execute(_FOLLOWED)
            followed = {(table, column): action for table, column, action in cursor.fetchall()}
        actions = {models.CASCADE: "c", models.SET_NULL: "n"}
        assert len(later) > 5
        assert {name: followed[name] for name in later} == {
            name: actions[field.remote_field.on_delete] for name, field in later.items()
        }


def _references(model: type[models.Model]) -> Iterator[Any]:
    return (field for field in model._meta.concrete_fields if field.remote_field)


def _ours() -> list[tuple[str, str]]:
    """All there are, of the product's apps."""
    return sorted((app, name) for app, name in MigrationLoader(connection).disk_migrations if app in BEFORE)


def _is_ours(app: str) -> bool:
    return apps.get_app_config(app).name.startswith("apps.")


def _migration(*operations: Any, atomic: bool = True) -> Migration:
    kind: type[Migration] = type("Made", (Migration,), {"operations": list(operations), "atomic": atomic})
    return kind("0099_made_up", "connections")


def _adding(field: Any) -> migrations.AddField:
    return migrations.AddField("connection", "made_up", field)


def _resizing(length: int) -> migrations.AlterField:
    """Of a text of 40 characters."""
    return migrations.AlterField("connection", "reason", models.CharField(max_length=length, blank=True))


_INDEX = models.Index(fields=["created_at"], name="made_up")
_CHECK = models.CheckConstraint(condition=models.Q(created_at__isnull=False), name="made_up")
_TEXT: dict[str, Any] = {"max_length": 4}
_NUMBER = models.IntegerField(default=0, db_default=0)
_NEW_TABLE = migrations.CreateModel(
    "MadeUp", [("id", models.BigAutoField(primary_key=True)), ("name", models.TextField(unique=True))]
)


def _reference(**options: Any) -> Any:
    return models.ForeignKey("directory.endpoint", models.PROTECT, null=True, related_name="+", **options)


class TestTheRule:
    @pytest.mark.parametrize(
        ("migration", "word"),
        [
            (_migration(migrations.AddIndex("connection", _INDEX)), "builds an index while"),
            (_migration(migrations.AddConstraint("connection", _CHECK)), "checks every row under a lock"),
            (
                _migration(
                    migrations.AddConstraint(
                        "connection", models.UniqueConstraint(fields=["created_at"], name="made_up")
                    )
                ),
                "checks every row under a lock",
            ),
            (_migration(_adding(models.CharField(default="x", **_TEXT))), "without a default"),
            (_migration(_adding(models.CharField(null=True, unique=True, **_TEXT))), "for a new column"),
            (_migration(_adding(models.CharField(null=True, db_index=True, **_TEXT))), "builds an index while"),
            (
                _migration(_adding(_reference())),
                "builds an index while",
            ),
            (
                _migration(migrations.AlterField("connection", "is_muted", _NUMBER)),
                "may rewrite every row",
            ),
            (_migration(_resizing(30)), "may rewrite every row"),
            (_migration(_resizing(50), _resizing(45)), "may rewrite every row"),
            (
                _migration(migrations.AlterField("connection", "is_muted", models.CharField(max_length=100))),
                "may rewrite every row",
            ),
            (
                _migration(migrations.AlterField("connection", "last_checked_at", models.DateTimeField())),
                "reads every row for NULL",
            ),
            (_migration(migrations.RunSQL("UPDATE connections_connection SET reason = ''")), "in one statement"),
            (_migration(migrations.RunPython(migrations.RunPython.noop)), "in one transaction"),
            (
                _migration(AddConstraintNotValid("connection", _CHECK), ValidateConstraint("connection", "made_up")),
                "under the lock of what came before",
            ),
        ],
    )
    def test_finds_what_locks_for_long(self, db, migration, word):
        assert any(word in fault for fault in faults(migration, _now()))

    @pytest.mark.parametrize(
        "migration",
        [
            _migration(AddIndexConcurrently("connection", _INDEX), atomic=False),
            _migration(AddConstraintNotValid("connection", _CHECK)),
            _migration(_adding(models.CharField(default="x", db_default="x", **_TEXT))),
            _migration(_adding(models.DateTimeField(null=True))),
            _migration(_adding(_reference(db_index=False))),
            _migration(_NEW_TABLE),
            _migration(_resizing(50), _resizing(60)),
            _migration(migrations.RunPython(migrations.RunPython.noop), atomic=False),
            _migration(
                AddConstraintNotValid("connection", _CHECK),
                ValidateConstraint("connection", "made_up"),
                migrations.AlterField("connection", "last_checked_at", models.DateTimeField()),
                atomic=False,
            ),
        ],
    )
    @pytest.mark.django_db(transaction=True)
    def test_lets_pass_what_does_not(self, migration):
        assert list(faults(migration, _now())) == []


def _now() -> ProjectState:
    return MigrationLoader(connection).project_state()
