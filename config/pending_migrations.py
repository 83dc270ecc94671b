"""Whether all migrations of this release are applied; for `/ready/`, and for a command that met a missing table."""

from functools import cache

from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder


def is_migrated() -> bool:
    """Whether every migration that this process knows is applied; migrations of a newer release do no harm."""
    try:
        return _known_migrations() <= MigrationRecorder(connection).applied_migrations().keys()
    except DatabaseError:
        return False


@cache
def _known_migrations() -> frozenset[tuple[str, str]]:
    """App and name of each migration. Read from the release's files once, because a probe comes every few seconds."""
    return frozenset(MigrationLoader(None).graph.nodes)
