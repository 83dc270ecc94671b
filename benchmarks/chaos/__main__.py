"""`python -m benchmarks.chaos [--links N] [--rounds N] [--seconds S] [--settle S] [--seed N] [--logs FOLDER]`

Workers, beat, site and readers are killed with SIGKILL at random, Redis is flushed, Postgres is restarted and crashes,
connections break before and after the provider acted, and our clocks are a minute wrong. Prints one line of JSON at
its end: `running.run`. With `--sandbox ORIGIN --directory FILE` it uses a sandbox that runs already.
"""

import argparse
import contextlib
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import django
from django.core.management import call_command

from benchmarks import running_sandbox
from benchmarks.chaos import servers as own_servers
from benchmarks.chaos.fleet import Fleet, usual
from development.control import Sandbox


def main(arguments: list[str]) -> int:
    """Start what is needed, break it, and print what came of it."""
    asked = _parser().parse_args(arguments)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="holdfast-chaos-")))
        if asked.logs is not None:
            stack.callback(lambda: shutil.copytree(folder, asked.logs, ignore=_all_but_logs, dirs_exist_ok=True))
        servers = stack.enter_context(own_servers.running(folder))
        surroundings = {
            "DJANGO_SETTINGS_MODULE": "benchmarks.chaos.settings",
            "DATABASE_URL": servers.database_url,
            "REDIS_URL": servers.redis_url,
            "LOCAL_FOLDER": str(folder / "local"),
        }
        os.environ.update(surroundings)
        django.setup()
        call_command("migrate", verbosity=0)
        if asked.sandbox:
            sandbox, directory = Sandbox(asked.sandbox), asked.directory
        else:
            sandbox, directory = stack.enter_context(running_sandbox.running())
        fleet = Fleet(usual(folder, are_apart=asked.apart), surroundings, folder)
        stack.callback(fleet.stop)
        from benchmarks.chaos import running  # noqa: PLC0415 - once Django is set up

        plan = running.Plan(asked.links, asked.rounds, asked.seconds, asked.settle, asked.seed)
        found = running.run(plan, sandbox=sandbox, directory=directory, servers=servers, fleet=fleet)
    print(json.dumps(found))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos", description=main.__doc__)
    parser.add_argument("--links", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=2, help="Days that pass.")
    parser.add_argument("--seconds", type=float, default=60, help="How long things break in each.")
    parser.add_argument("--settle", type=float, default=240, help="How long each may take to come to rest after that.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--apart", action="store_true", help="Our own clocks differ by a minute among themselves.")
    parser.add_argument("--logs", type=Path, help="Where to leave what the programs said.")
    parser.add_argument("--sandbox", default="", help="The origin of a sandbox that runs already.")
    parser.add_argument("--directory", type=Path, help="The file of that sandbox's directory.")
    return parser


def _all_but_logs(_folder: str, names: list[str]) -> set[str]:
    return {name for name in names if not name.endswith(".log")}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
