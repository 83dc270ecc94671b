"""Gunicorn's settings, of the site and of the sandbox: `gunicorn --config python:config.gunicorn config.wsgi`.

Command-line options and GUNICORN_CMD_ARGS come on top.
"""

import ctypes
import errno
import logging
import re
import sys
import time
from contextlib import suppress
from typing import Any

from gunicorn.glogging import Logger
from gunicorn.http import message, parser
from gunicorn.http.unreader import SocketUnreader

_QUERY = re.compile(r"\?[^\s'\"]*")


class PathOnlyLogger(Logger):  # type: ignore[misc]  # gunicorn has no types
    """Gunicorn logs the whole URL of a request that failed. We keep only the path."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        self.error_log.addFilter(without_query)


def without_query(record: logging.LogRecord) -> bool:
    """Cut the query string out of a line, in place. Always true: no line is dropped."""
    record.msg, record.args = _QUERY.sub("", record.getMessage()), ()
    return True


_PR_SET_DUMPABLE = 4  # Linux: <linux/prctl.h>


def on_starting(_server: Any) -> None:
    """Close the memory and the environment variables of the site's processes to other programs of the same user, such
    as the one that makes PDFs (`apps.records.exporting.pdf`): the kernel then refuses them /proc/*/environ and mem.
    Processes that are forked inherit this, programs that are started do not."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


STALLED_MS = 60_000
_TCP, _USER_TIMEOUT = 6, 18  # Linux: IPPROTO_TCP of <netinet/in.h>, TCP_USER_TIMEOUT of <linux/tcp.h>
_OVER_TCP = frozenset({"AF_INET", "AF_INET6"})


def when_ready(server: Any) -> None:
    """Have the kernel close a connection whose client has acknowledged nothing for a minute. Gunicorn has no timeout
    for writing: eight clients that request a file and do not read it would hold all threads of a process for as long as
    they like."""
    for listener in server.LISTENERS:
        if sys.platform == "linux" and listener.sock.family.name in _OVER_TCP:
            listener.sock.setsockopt(_TCP, _USER_TIMEOUT, STALLED_MS)  # what is accepted there inherits it


_BOTH_WAYS = 2  # SHUT_RDWR of <sys/socket.h>
SLOWEST_SECONDS = 20.0  # so long a thread waits for the rest of a request's head, and as long for that of its body


class PromptUnreader(SocketUnreader):  # type: ignore[misc]  # as above
    """Gunicorn has no timeout for reading either: eight clients that send a byte now and then would hold all threads of
    a process. A proxy that buffers requests prevents that; without one, a client slower than this counts as gone."""

    def __init__(self, sock: Any, max_chunk: int = 8192) -> None:
        super().__init__(sock, max_chunk)
        self._left = SLOWEST_SECONDS

    def begin(self) -> None:
        """Start the timeout again."""
        self._left = SLOWEST_SECONDS

    def chunk(self) -> Any:
        """The next bytes. Raises ConnectionResetError, as if the client had closed the connection."""
        given, began_at = self.sock.gettimeout(), time.monotonic()
        is_given = given is not None and given < self._left
        self.sock.settimeout(given if is_given else max(self._left, 0.001))  # 0 would be: do not wait at all
        try:
            return super().chunk()
        except TimeoutError:
            if is_given:
                raise
            with suppress(OSError):
                self.sock.shutdown(_BOTH_WAYS)  # gunicorn would read on for two seconds, by its only main thread
            raise ConnectionResetError(errno.ECONNRESET, "A request came too slowly") from None
        finally:
            self._left -= time.monotonic() - began_at
            self.sock.settimeout(given)


def pre_request(_worker: Any, req: Any) -> None:
    """The request's head is complete: start the timeout for its body."""
    if isinstance(req.unreader, PromptUnreader):
        req.unreader.begin()


def post_request(_worker: Any, req: Any, _environ: Any, _answer: Any) -> None:
    """The request is answered: start the timeout for the next one on the connection, however long the last body
    took."""
    pre_request(_worker, req)


parser.SocketUnreader = PromptUnreader
logger_class = PathOnlyLogger
worker_class = "gthread"  # a request may wait for a provider; a thread waits cheaply
threads = 8
timeout = 60  # for a process that is stuck as a whole; a thread may take longer, to send a copy for example
graceful_timeout = 30
keepalive = 5
control_socket_disable = True  # it would be another way in, and create a file in the home folder
# The access log is off, because the site logs its own requests, and muted there (`config/logging.py`). If it is turned
# on for the sandbox, it has the path without the query string, which contains codes and states, and no Referer for the
# same reason.
access_log_format = "%(t)s %(m)s %(U)s %(s)s %(B)s bytes %(M)s ms"
# A code may be 16 KiB (C12) and arrives in the query string. Gunicorn accepts no limit above 8190 except unlimited, and
# then takes quadratic time for an endless line. So its maximum is raised instead.
limit_request_line = 131_072
message.MAX_REQUEST_LINE = limit_request_line + 1
limit_request_field_size = 65_536  # and a token may be 16 KiB, in a header
