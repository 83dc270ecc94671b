"""Have a PDF made of a page to read, in a separate process: whatever happens to that, the site goes on.

The process gets the page and our style, and nothing else: no environment variable of ours, which may be a secret, and
no file. The page of a long record takes seconds and hundreds of megabytes, so one PDF is made at a time, and others
wait. Only a few may wait: each occupies a thread, and all other requests need threads, too.
"""

import json
import subprocess  # nosec B404 - of ourselves, below
import sys
from ctypes.util import find_library
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import BoundedSemaphore
from typing import Final

from django.conf import settings

# Waiting and making together take less than a minute, after which proxies give up.
_WAITS_SECONDS: Final = 15
_SECONDS: Final = 40
_LIBRARIES: Final = ("pango-1.0", "pangoft2-1.0", "harfbuzz", "fontconfig")
_SHEET: Final = "@page { size: letter }"  # the paper size where providers with these interfaces are
_SEAT: Final = BoundedSemaphore()
_MOST_AT_ONCE: Final = 3  # the one being made and those waiting; of eight threads (`config.gunicorn`)
_PLACES: Final = BoundedSemaphore(_MOST_AT_ONCE)


class CannotMake(Exception):
    """No PDF was made, or not in time: the text says how that ended, and is for the log. We have to investigate; the
    page itself is still available."""


class Busy(Exception):
    """Others are having theirs made, and too many are waiting. Wait."""


@cache
def is_here() -> bool:
    """Whether PDFs can be made: the library that makes them needs Pango, which the system must provide."""
    return find_spec("weasyprint") is not None and all(find_library(name) for name in _LIBRARIES)


def has_room() -> bool:
    """Whether one more may have one made, or wait for it, now. Ask before the page is made."""
    if not _PLACES.acquire(blocking=False):
        return False
    _PLACES.release()
    return True


def made(page: str) -> bytes:
    """The PDF of a complete HTML page, as it would be printed. Raises CannotMake and Busy. It takes seconds: call it
    outside transactions."""
    given = json.dumps({"page": page, "style": _style()}).encode(errors="surrogatepass")
    if not _PLACES.acquire(blocking=False):
        raise Busy
    try:
        return _made_in_turn(given)
    finally:
        _PLACES.release()


def _made_in_turn(given: bytes) -> bytes:
    if not _SEAT.acquire(timeout=_WAITS_SECONDS):
        raise Busy
    try:
        return _made(given)
    finally:
        _SEAT.release()


def _made(given: bytes) -> bytes:
    """What the process wrote, if it ended well. No exception with any of that leaves this function."""
    try:
        done = subprocess.run(  # noqa: S603 # nosec B603 - our own program, without a shell
            [sys.executable, "-m", __package__ or ""],
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # it quotes its input
            timeout=_SECONDS,
            cwd=settings.BASE_DIR,
            env=settings.SURROUNDINGS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        ended = "out of time"
    except OSError:
        ended = "not started"
    else:
        if done.returncode == 0 and done.stdout.startswith(b"%PDF-"):
            return done.stdout
        ended = f"exit code {done.returncode}"
    raise CannotMake(ended)


@cache
def _style() -> str:
    style: Path = settings.BASE_DIR / "static" / "holdfast.css"
    return f"{style.read_text()}{_SHEET}"
