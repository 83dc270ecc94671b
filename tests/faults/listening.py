"""Capture everything that any logger says at debug level, including what the site's settings would not log.

Everything is captured as the site prints it. What our own modules and the libraries below them log is also captured
before it is redacted, because it must be harmless from the start. (Debug lines of Django contain whole template
contexts, so they are judged as printed.)
"""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.conf import settings

from config import logging as site_logging

_RAW = ("apps", "config", "requests", "requests_oauthlib", "oauthlib", "urllib3", "http", "celery", "kombu")


@dataclass
class Heard:
    """`printed` as the site prints it; `raw` as it was said, with tracebacks."""

    printed: io.StringIO = field(default_factory=io.StringIO)
    raw: io.StringIO = field(default_factory=io.StringIO)

    @property
    def texts(self) -> list[str]:
        """Both, as far as they go."""
        return [self.printed.getvalue(), self.raw.getvalue()]


@contextmanager
def to_everything() -> Iterator[Heard]:
    """For as long as the block lasts."""
    heard = Heard()
    levels = {logger: logger.level for logger in _known()}
    site_logging.configure(site_logging.configuration(level="DEBUG"))
    (printing,) = (one for one in logging.getLogger().handlers if isinstance(one, site_logging.Handler))
    printing.setStream(heard.printed)
    raw = logging.StreamHandler(heard.raw)
    for logger in _known():
        logger.setLevel(logging.DEBUG)
        if logger.name in _RAW:
            logger.addHandler(raw)
    try:
        yield heard
    finally:
        for logger in _known():
            logger.removeHandler(raw)
            logger.setLevel(levels.get(logger, logging.NOTSET))
        site_logging.configure(settings.LOGGING)


def _known() -> list[logging.Logger]:
    """Every logger there is below the root."""
    return [logging.getLogger(name) for name in {*logging.root.manager.loggerDict, *_RAW}]
