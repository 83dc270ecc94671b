"""What a command says if it failed for a reason that the operator can fix: one sentence that names what is missing and
what to do. It never quotes a server, whose text may contain an address, a password or stored data.
"""

from django.core.exceptions import ImproperlyConfigured
from django.db import InterfaceError, InternalError, OperationalError, ProgrammingError
from kombu.exceptions import OperationalError as BrokerAway
from psycopg.errors import InsufficientPrivilege, ReadOnlySqlTransaction, UndefinedColumn, UndefinedTable
from redis import exceptions as redis

from apps.vault.errors import KeyMissing, WeakKey
from config import pending_migrations, startup_errors

_REDIS = (BrokerAway, redis.ConnectionError, redis.TimeoutError, redis.OutOfMemoryError, redis.ReadOnlyError)


def sentence(error: BaseException) -> str | None:
    """The sentence; None if servers, settings and keys are fine: then it is our fault, and the traceback has to be
    seen."""
    if isinstance(error, ImproperlyConfigured):
        return startup_errors.sentence(error)
    if isinstance(error, WeakKey):
        return "VAULT_KEYS cannot be used as it stands. Run manage.py check, which says which rule it breaks."
    if isinstance(error, KeyMissing):
        return (
            "Something is sealed under a key that VAULT_KEYS lacks, or its data key was lost. "
            "Put back the keys that were in use (docs/operating/keys.md)."
        )
    if isinstance(error, _REDIS):
        return f"Redis does not answer, or takes nothing ({type(error).__name__}). Look at Redis and REDIS_URL."
    return _of_the_database(error)


def _of_the_database(error: BaseException) -> str | None:
    cause = error.__cause__
    if isinstance(error, ProgrammingError) and isinstance(cause, (UndefinedTable, UndefinedColumn)):
        if pending_migrations.is_migrated():  # the schema is up to date, so the statement is wrong
            return None
        return "The database lacks migrations of this release. Run manage.py migrate, then this again."
    if isinstance(error, ProgrammingError) and isinstance(cause, InsufficientPrivilege):
        return "The user that DATABASE_URL names may not do this in the database (docs/operating/deploying.md)."
    if isinstance(error, InternalError) and isinstance(cause, ReadOnlySqlTransaction):
        return "The database can only be read. Look at Postgres, and let DATABASE_URL name the one that is written to."
    if isinstance(error, (OperationalError, InterfaceError)):
        kind = type(cause or error).__name__
        return f"The database does not answer, or could not do this ({kind}). Look at Postgres and DATABASE_URL."
    return None
