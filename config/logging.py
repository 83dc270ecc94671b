"""Structured logs that cannot print a query string, a secret or a clinical fact, at any level.

Lines of JSON, or readable ones on a developer's machine. Three defences, in this order:

1. Libraries that print addresses, bodies or SQL are muted, or print no more than warnings (`_MUTED`, `_LEVELS`).
2. Of any other library's line only its constant words are kept, with numbers filled in; values are left out
   (`_words_of_others`). Exceptions show type and place, not text (`config/exceptions.py`).
3. What still looks like a secret is taken out of every line (`config/redaction.py`).

Our apps log with the standard library's `logging`: a constant sentence, with ids filled in. Error mail is not used.
"""

import logging
import logging.config
import re
import sys
from collections.abc import Mapping
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from config import exceptions, redaction

# Loggers whose lines carry query strings, bodies or tokens whatever their level.
_MUTED = (
    "charset_normalizer",
    "django.server",  # the development server's request line; `config/request_logging.py` says what was asked
    "gunicorn.access",
    "oauthlib",
    "requests",
    "requests_oauthlib",  # request bodies and token answers
    "urllib3",  # whole URLs
)
# Loggers that say nothing useful below this level, or say what they should not.
_LEVELS = {
    "amqp": "WARNING",
    "asyncio": "WARNING",
    "celery": "INFO",  # at DEBUG it prints the arguments of tasks
    "django.db.backends": "INFO",  # at DEBUG it prints SQL with its values
    "django.request": "ERROR",  # what it warns of has a line in config/request_logging.py
    "django.template": "INFO",
    "django.utils.autoreload": "INFO",
    "environ.environ": "INFO",
    "gunicorn.error": "INFO",
    "kombu": "WARNING",
    "parso": "WARNING",
}
_OURS = ("apps", "config", "development", "tests", "__main__")

_PLACEHOLDER = re.compile(r"%(?:\((\w+)\))?[-#0 +]*\d*(?:\.\d+)?([srdifgx%])")
# What to say instead of lines that have no constant words; more exact names first.
_EVENTS = {
    "django.security.csrf": "request refused: cross-site request forgery",
    "django.security": "request refused as suspicious",  # the exception's text; the logger's name says its type
    "django.request": "request answered with an error",  # "%s: %s"
}
# What a library may name in its line besides numbers: Celery's task and its id.
_NAMEABLE = frozenset({"name", "id"})


class Handler(logging.StreamHandler[TextIO]):
    """Writes to stderr. If a line cannot be written, it says so without repeating the line, as the standard handler
    would."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  the standard library's name
        """Name the logger, and nothing of the record."""
        sys.stderr.write(f"A line of {record.name} could not be logged.\n")


def configuration(*, level: str, readable: bool = False) -> dict[str, Any]:
    """The `logging.config` dictionary for one level: JSON, or readable lines for a terminal."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": "config.logging.formatter", "readable": readable}},
        "handlers": {
            "console": {"class": "config.logging.Handler", "formatter": "line"},
            "nowhere": {"class": "logging.NullHandler"},
        },
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            # gunicorn gives its loggers handlers of their own: taken away here, so that its lines pass through ours
            **{name: {"handlers": [], "propagate": True, "level": least} for name, least in _LEVELS.items()},
            **{name: {"handlers": ["nowhere"], "propagate": False} for name in _MUTED},
        },
    }


def configure(configuration: dict[str, Any]) -> None:
    """Apply that dictionary to the standard library's loggers and to structlog's."""
    logging.config.dictConfig(configuration)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.contextvars.merge_contextvars,
            *_about_the_line(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def formatter(*, readable: bool) -> structlog.stdlib.ProcessorFormatter:
    """Turns every record, ours or a library's, into one line without secrets."""
    render: list[Processor] = (
        [structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)]
        if readable
        else [structlog.processors.JSONRenderer(ensure_ascii=False)]
    )
    return structlog.stdlib.ProcessorFormatter(
        use_get_message=False,
        pass_foreign_args=True,
        foreign_pre_chain=[_words_of_others, structlog.contextvars.merge_contextvars, *_about_the_line()],
        processors=[
            _exception_without_text,
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            _without_secrets,
            *render,
        ],
    )


def _about_the_line() -> list[Processor]:
    return [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]


def _words_of_others(_logger: WrappedLogger, _method: str, line: EventDict) -> EventDict:
    """Keep only the constant words and the numbers of another library's line; our own lines are formatted in full."""
    record: logging.LogRecord = line["_record"]
    arguments = line.pop("positional_args", ())
    template = record.msg if isinstance(record.msg, str) else type(record.msg).__name__
    if record.name.partition(".")[0] in _OURS:
        line["event"] = _filled(template, arguments)
    else:
        instead = (event for name, event in _EVENTS.items() if f"{record.name}.".startswith(f"{name}."))
        line["event"] = next(instead, None) or _words(template, arguments)
        if isinstance(status := getattr(record, "status_code", None), int):
            line["status"] = status
    return line


def _filled(template: str, arguments: Any) -> str:
    try:
        return template % arguments if arguments else template
    except (TypeError, ValueError, KeyError):
        return template


def _words(template: str, arguments: Any) -> str:
    positional = iter(arguments if isinstance(arguments, tuple) else ())
    named = arguments if isinstance(arguments, Mapping) else {}

    def fill(match: re.Match[str]) -> str:
        if match.group(2) == "%":
            return "%"
        name = match.group(1)
        value = named.get(name) if name else next(positional, None)
        is_safe = name in _NAMEABLE or isinstance(value, int | float)
        return str(value) if is_safe else "…"

    return _PLACEHOLDER.sub(fill, template)


def _exception_without_text(_logger: WrappedLogger, _method: str, line: EventDict) -> EventDict:
    given = line.pop("exc_info", None)
    if given is True:
        given = sys.exc_info()
    exception = given[1] if isinstance(given, tuple) else given
    if isinstance(exception, BaseException):
        line["_exception"] = exceptions.description(exception)
    return line


def _without_secrets(_logger: WrappedLogger, _method: str, line: EventDict) -> EventDict:
    exception = line.pop("_exception", None)  # made of types and places alone; its paths look like long random strings
    scrubbed = redaction.scrub_mapping(line)
    return {**scrubbed, "exception": exception} if exception else scrubbed
