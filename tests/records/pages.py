"""Pages of a record as text, for tests that look for what one says."""

import re
from typing import Any

from django.test import Client
from django.urls import reverse


def page(client: Client, name: str, *args: object, **query: Any) -> str:
    """All of a page, its white space folded."""
    return text_of(client.get(reverse(name, args=args), query))


def main(client: Client, name: str, *args: object, **query: Any) -> str:
    """The same from its heading on."""
    return main_of(client.get(reverse(name, args=args), query))


def ask(client: Client, words: str) -> str:
    """All of the page that a search for these words leads to."""
    return text_of(client.post(reverse("search_record"), {"words": words}, follow=True))


def text_of(response: Any) -> str:  # typed as the base class, which has no content
    """All of a page that was answered, without what holds its dates together."""
    assert response.status_code == 200
    return re.sub(r'<span class="whole">([^<]*)</span>', r"\1", re.sub(r"\s+", " ", response.content.decode()))


def main_of(response: Any) -> str:
    """The same from its heading on."""
    return text_of(response).split("<h1", 1)[1]


def that_lasts(text: str) -> str:
    """A page without what is another at every look: the token of a form, and the minute of printing."""
    return re.sub(r'value="\w{64}"|\d+:\d\d [ap]\.m\.', "", text)
