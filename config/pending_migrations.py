"""Whether the database is as this release needs it: `/ready/` asks, and a command that met a table it lacks."""

from functools import cache

from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder


def is_migrated() -> bool:
    """Every migration this process knows is in the database; later ones of a newer release do no harm."""
    try:
        return _known_migrations() <= MigrationRecorder(connection).applied_migrations().keys()
    except DatabaseError:
        return False


@cache
def _known_migrations() -> frozenset[tuple[str, str]]:
    """App and name of each. They are files of this release: read once, because a probe comes every few seconds."""
    return frozenset(MigrationLoader(None).graph.nodes)
