"""Fetch pages of a record, and reduce them to text that tests can search."""

import re
from typing import Any

from django.test import Client
from django.urls import reverse


def page(client: Client, name: str, *args: object, **query: Any) -> str:
    """The HTML of a whole page, with each run of white space reduced to one space."""
    return text_of(client.get(reverse(name, args=args), query))


def main(client: Client, name: str, *args: object, **query: Any) -> str:
    """The same, from the page's heading on."""
    return main_of(client.get(reverse(name, args=args), query))


def ask(client: Client, words: str) -> str:
    """The whole page that a search for these words leads to."""
    return text_of(client.post(reverse("search_record"), {"words": words}, follow=True))


def text_of(response: Any) -> str:  # typed as the base class, which has no content
    """The HTML of this answer, without the elements that keep dates from breaking at the end of a line."""
    assert response.status_code == 200
    return re.sub(r'<span class="whole">([^<]*)</span>', r"\1", re.sub(r"\s+", " ", response.content.decode()))


def main_of(response: Any) -> str:
    """The same, from the page's heading on."""
    return text_of(response).split("<h1", 1)[1]


def that_lasts(text: str) -> str:
    """The text without what differs each time a page is fetched: the token of a form, and the time of printing."""
    return re.sub(r'value="\w{64}"|\d+:\d\d [ap]\.m\.', "", text)
