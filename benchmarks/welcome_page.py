"""Measures the site's welcome page, and the smallest page it has, through the same middleware."""

import json

from django.test import Client

from benchmarks.figure import processor_ms

_REPEATS = 50


def main() -> None:
    """One line of JSON: the milliseconds of both."""
    client = Client()
    assert client.get("/").status_code == 200
    print(
        json.dumps(
            {
                "welcome_ms": processor_ms(lambda: client.get("/"), repeats=_REPEATS),
                "empty_ms": processor_ms(lambda: client.get("/health/"), repeats=_REPEATS),
            }
        )
    )
