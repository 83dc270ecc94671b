"""Start a program as a child that does not outlive us, and stop it.

On Linux the kernel kills the child when we die, however we die. On other systems only an orderly exit stops it.
"""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def start(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    folder: Path,
    log: Path | None = None,
    signal_on_our_death: int = signal.SIGTERM,
    uid: int | None = None,
    gid: int | None = None,
) -> subprocess.Popen[bytes]:
    """Start the command in its own session, so that Ctrl-C reaches only us. Its output goes to the log."""
    output = None if log is None else log.open("ab")
    try:
        return subprocess.Popen(
            command,
            user=uid,
            group=gid,
            extra_groups=None if uid is None else [],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            # Runs between fork and exec: one system call, which no other thread's lock can block. It comes after the
            # change of user, which would clear the setting.
            preexec_fn=_die_with(os.getpid(), signal_on_our_death),  # noqa: PLW1509
        )
    finally:
        if output is not None:
            output.close()


def stop(process: subprocess.Popen[bytes], *, by: int = signal.SIGTERM, patience_seconds: float = 30) -> None:
    """Terminate it, wait, and kill it if it does not end."""
    if process.poll() is None:
        process.send_signal(by)
        try:
            process.wait(timeout=patience_seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _die_with(parent: int, wish: int) -> Callable[[], None]:
    def ask_the_kernel() -> None:
        if _libc is not None:
            _libc.prctl(_PR_SET_PDEATHSIG, wish, 0, 0, 0)
            if os.getppid() != parent:
                os.kill(os.getpid(), signal.SIGKILL)

    return ask_the_kernel
