"""Keeps the HTTP and OAuth libraries from logging what they carry.

At debug level requests-oauthlib logs request bodies and token answers, urllib3 logs whole URLs (and at warning level
those whose headers it cannot parse); interface A has secrets in both. A filter rather than a level: configuring the
root logger, or even the library's own, does not take a filter away.
"""

import logging
import sys

_TALKATIVE = ("requests", "requests_oauthlib", "oauthlib", "urllib3", "charset_normalizer")


def _nothing(_record: logging.LogRecord) -> bool:
    return False


def quiet_libraries() -> None:
    """Mutes every module of the libraries that is loaded; call after importing them. Repeating it is harmless."""
    for module in [name for name in sys.modules if name.partition(".")[0] in _TALKATIVE]:
        logging.getLogger(module).addFilter(_nothing)
