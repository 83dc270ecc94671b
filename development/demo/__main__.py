"""`make demo`: starts everything, says where it is and what to do first, and stops cleanly on Ctrl-C or SIGTERM.

Data stays in `.local` between runs. Whatever cannot work is said in one sentence.
"""

import argparse
import contextlib
import fcntl
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import django
from django.core.exceptions import ImproperlyConfigured

from config import env
from development import ports, servers
from development.demo import preparing, programs, terminal
from development.demo.failing import CannotRun
from development.demo.sign_ins import sign_ins
from development.servers import places
from development.servers.locks import alone


def main(arguments: list[str]) -> int:
    """Run until told to stop. The exit code is 0 after an orderly stop, 1 if something could not start or died."""
    parser = argparse.ArgumentParser(prog="make demo", description=__doc__)
    parser.add_argument("--fresh", action="store_true", help="throw the data of earlier runs away first")
    parser.add_argument("--data", type=Path, help="FHIR Bundles to serve from the sandbox: a file or a folder")
    options = parser.parse_args(arguments)
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, _stop)
    try:
        with _the_only_one():
            _refuse_taken_ports()
            if options.fresh:
                _start_afresh()
            _run(options.data)
    except (CannotRun, ImproperlyConfigured) as error:
        print(error, file=sys.stderr)
        return 1
    except _Stopped:
        print("\nStopped.")
    return 0


class _Stopped(BaseException):
    """Ctrl-C or SIGTERM. Not an Exception: nothing on the way may take it for a failure."""


def _stop(_signal: int, _frame: FrameType | None) -> None:
    for further in (signal.SIGINT, signal.SIGTERM):
        signal.signal(further, signal.SIG_IGN)  # once is enough; what runs is being stopped
    raise _Stopped


def _run(data: Path | None) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.local"
    terminal.step("Starting Postgres and Redis")
    with contextlib.ExitStack() as stack:
        stack.callback(lambda: servers.demo().leave())
        django.setup()
        running = stack.enter_context(programs.running())
        control = preparing.sandbox(running, data)
        preparing.site(running, control)
        terminal.welcome(sign_ins(), control.get("/control/accounts")["accounts"])
        running.wait()


@contextlib.contextmanager
def _the_only_one() -> Iterator[None]:
    folder = env.local_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "demo.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CannotRun("The demo of this checkout is running already.") from None
        yield


def _refuse_taken_ports() -> None:
    for variable, port in (("SITE_PORT", env.site_port()), ("SANDBOX_PORT", env.sandbox_port())):
        if ports.is_taken(port):
            raise CannotRun(f"Port {port} is taken: stop what listens there, or choose another with {variable}.")


def _start_afresh() -> None:
    if env.database_url() or env.sandbox_database_url():
        raise CannotRun("FRESH=1 removes private data only, but DATABASE_URL or SANDBOX_DATABASE_URL names yours.")
    folder = env.local_folder()
    with alone(folder) as is_alone:
        if not is_alone:
            raise CannotRun("Another program uses the demo's servers: stop it before starting afresh.")
        places.forget(folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
