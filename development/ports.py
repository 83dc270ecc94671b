"""Ports of this machine."""

import contextlib
import socket

LOOPBACK = "127.0.0.1"


def free_port() -> int:
    """A port nobody listens on now."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def is_taken(port: int) -> bool:
    """Whether somebody listens on the port already, on this machine or on every address of it."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return True
    with contextlib.suppress(OSError), socket.create_connection((LOOPBACK, port), timeout=0.5):
        return True
    return False
