"""The command lines of the two web servers on this machine."""

import sys

from development.ports import LOOPBACK

SITE_THREADS = 8
SANDBOX_THREADS = 16
# gunicorn waits this long also for connections that are merely kept open, and here nobody wants to wait for Ctrl-C
_STOPS_WITHIN_SECONDS = 2


def site(port: int) -> list[str]:
    """The site. Threads, because callbacks wait for providers."""
    return _command(port, workers=1, threads=SITE_THREADS)


def sandbox(port: int) -> list[str]:
    """The sandbox: one process always, since its clock, switches and recorder live in it."""
    return _command(port, workers=1, threads=SANDBOX_THREADS)


def _command(port: int, *, workers: int, threads: int) -> list[str]:
    return [
        *(sys.executable, "-m", "gunicorn", "config.wsgi:application", "--config", "python:config.gunicorn"),
        *("--bind", f"{LOOPBACK}:{port}", "--workers", str(workers), "--threads", str(threads)),
        *("--graceful-timeout", str(_STOPS_WITHIN_SECONDS)),
    ]
