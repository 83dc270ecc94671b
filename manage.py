#!/usr/bin/env python
"""Management commands. Uses the settings of this machine unless DJANGO_SETTINGS_MODULE names others, here or in `.env`.

What whoever runs the installation must mend is one sentence; with --traceback it is where it happened, too.
"""

import os
import select
import sys
from typing import Final, TextIO

from django.core.management import execute_from_command_line

from config import command_errors, env

_READER_LEFT: Final = 141  # as a shell counts a program that was ended for writing to nobody (128 and SIGPIPE)


def run(arguments: list[str]) -> None:
    """`main`, before a reader who may have read enough, as `head` has: that ends it without a word. What it had found
    by then is still its exit code."""
    try:
        try:
            main(arguments)
        finally:
            sys.stdout.flush()  # here, where it can be caught; not as Python ends
    except BrokenPipeError as error:
        left = [stream for stream in (sys.stdout, sys.stderr) if _has_no_reader(stream)]
        if not left:  # another pipe than ours
            raise
        for stream in left:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        ended = error.__context__
        sys.exit(ended.code if isinstance(ended, SystemExit) else _READER_LEFT)


def _has_no_reader(stream: TextIO) -> bool:
    watched = select.poll()
    watched.register(stream, 0)  # what is wrong is told unasked
    return bool(watched.poll(0))


def main(arguments: list[str]) -> None:
    """Run the command. Ends with 1 where settings, a server or a key must be mended first."""
    try:
        env.choose_settings(otherwise="config.settings.local")
        execute_from_command_line(arguments)
    except ModuleNotFoundError as error:
        if "--traceback" in arguments or error.name != os.environ["DJANGO_SETTINGS_MODULE"]:
            raise
        sys.exit("DJANGO_SETTINGS_MODULE names settings that are not there. See .env.example.")
    except Exception as error:
        said = None if "--traceback" in arguments else command_errors.sentence(error)
        if said is None:
            raise
        sys.exit(said)


if __name__ == "__main__":
    run(sys.argv)
