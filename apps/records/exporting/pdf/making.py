"""Have a PDF made of a page to read, by a process of its own: whatever becomes of that one, the site goes on.

It is given the page and our style, and nothing else: no variable of ours, which may be a secret, and no file. A page of
a long record takes seconds and hundreds of megabytes, so that one is made at a time, and others wait. Of those only a
few do: each holds a thread, and all who wait for something else need some.
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

# Together less than a minute, after which proxies give up.
_WAITS_SECONDS: Final = 15
_SECONDS: Final = 40
_LIBRARIES: Final = ("pango-1.0", "pangoft2-1.0", "harfbuzz", "fontconfig")
_SHEET: Final = "@page { size: letter }"  # as printers of those have it whose providers speak these interfaces
_SEAT: Final = BoundedSemaphore()
_MOST_AT_ONCE: Final = 3  # who has the seat, and who waits for it; of eight threads (`config.gunicorn`)
_PLACES: Final = BoundedSemaphore(_MOST_AT_ONCE)


class CannotMake(Exception):
    """No PDF came of it, or not in time. For us to look at; the page itself can be had all the same."""


class Busy(Exception):
    """Others are having theirs made, and more than this one person can wait for. Wait."""


@cache
def is_here() -> bool:
    """Whether PDFs can be made: the library that makes them needs Pango, which is the system's to have."""
    return find_spec("weasyprint") is not None and all(find_library(name) for name in _LIBRARIES)


def made(page: str) -> bytes:
    """The PDF of a whole HTML page, as it would be printed. Raises CannotMake and Busy. It takes seconds: call it
    outside transactions."""
    given = json.dumps({"page": page, "style": _style()}).encode(errors="surrogatepass")
    if not _PLACES.acquire(blocking=False):
        raise Busy
    try:
        file = _made_in_turn(given)
    finally:
        _PLACES.release()
    if not file.startswith(b"%PDF-"):
        raise CannotMake
    return file


def _made_in_turn(given: bytes) -> bytes:
    if not _SEAT.acquire(timeout=_WAITS_SECONDS):
        raise Busy
    try:
        return _made(given)
    finally:
        _SEAT.release()


def _made(given: bytes) -> bytes:
    """What the process wrote, if it ended well. No exception leaves that holds any of it."""
    try:
        done = subprocess.run(  # noqa: S603 # nosec B603 - our own program, without a shell
            [sys.executable, "-m", __package__ or ""],
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # it quotes what it reads
            timeout=_SECONDS,
            cwd=settings.BASE_DIR,
            env=settings.SURROUNDINGS,
            check=False,
        )
    except (subprocess.TimeoutExpired, OSError):
        return b""
    return done.stdout if done.returncode == 0 else b""


@cache
def _style() -> str:
    style: Path = settings.BASE_DIR / "static" / "holdfast.css"
    return f"{style.read_text()}{_SHEET}"
