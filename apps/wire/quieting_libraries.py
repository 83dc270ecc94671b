"""Keeping the HTTP and OAuth libraries from logging secrets.

At debug level requests-oauthlib logs request bodies and token responses, and urllib3 logs whole URLs (at warning
level, too, if it cannot parse the headers). On interface A all of these contain secrets. We use filters and not levels,
because configuring a logger does not remove a filter.
"""

import logging
import sys

_TALKATIVE = ("requests", "requests_oauthlib", "oauthlib", "urllib3", "charset_normalizer")


def _nothing(_record: logging.LogRecord) -> bool:
    return False


def quiet_libraries() -> None:
    """Mute every module of the libraries that is loaded. Call it after importing them, as often as you like."""
    for module in [name for name in sys.modules if name.partition(".")[0] in _TALKATIVE]:
        logging.getLogger(module).addFilter(_nothing)
