"""Pages of a record as text, for tests that look for what one says."""

import re
from typing import Any

from django.test import Client
from django.urls import reverse


def page(client: Client, name: str, *args: object, **query: Any) -> str:
    """All of a page, its white space folded."""
    response = client.get(reverse(name, args=args), query)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def main_of(text: str) -> str:
    """What follows its heading."""
    return text.split("<h1>")[1]
