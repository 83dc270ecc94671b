"""Starting a server as a child that cannot outlive us, and stopping it."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from development.servers.unprivileged import Account, clean_environment

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def start(command: list[str], *, account: Account, log: Path, signal_on_our_death: int) -> subprocess.Popen[bytes]:
    """Start a server as the account's user; what it prints goes to the log."""
    with log.open("ab") as output:
        return subprocess.Popen(
            command,
            user=account.uid,
            group=account.gid,
            extra_groups=None if account.uid is None else [],
            cwd="/",
            env=clean_environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            # Runs after the change of user, which would clear the wish.
            preexec_fn=_die_with(os.getpid(), signal_on_our_death),  # noqa: PLW1509  the keeper has one thread
        )


def stop(process: subprocess.Popen[bytes], *, by: int, patience_seconds: float = 30) -> None:
    """Ask it to stop, wait, and insist."""
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
