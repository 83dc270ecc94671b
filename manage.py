#!/usr/bin/env python
"""Management commands. Uses the settings of this machine unless DJANGO_SETTINGS_MODULE names others.

What whoever runs the installation must mend is one sentence; with --traceback it is where it happened, too.
"""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import InterfaceError, InternalError, OperationalError
from psycopg.errors import ReadOnlySqlTransaction

from config import starting


def main(arguments: list[str]) -> None:
    """Run the command. Ends with 1 where settings are wrong, or Postgres is away."""
    try:
        execute_from_command_line(arguments)
    except ImproperlyConfigured as error:
        if "--traceback" in arguments:
            raise
        sys.exit(starting.sentence(error))
    except ModuleNotFoundError as error:
        if "--traceback" in arguments or error.name != os.environ["DJANGO_SETTINGS_MODULE"]:
            raise
        sys.exit("DJANGO_SETTINGS_MODULE names settings that are not there. See .env.example.")
    except (OperationalError, InterfaceError, InternalError) as error:
        if "--traceback" in arguments or not _is_outage(error):
            raise
        kind = type(error.__cause__ or error).__name__  # the text may hold more than a log may
        sys.exit(f"The database does not answer, or could not do this ({kind}). Look at Postgres and DATABASE_URL.")


def _is_outage(error: BaseException) -> bool:
    """As `apps.connections.outages` has it. No app is imported here: settings may be what is wrong."""
    return not isinstance(error, InternalError) or isinstance(error.__cause__, ReadOnlySqlTransaction)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")
    main(sys.argv)
