"""Answers to HEAD have no body; otherwise gunicorn logs a warning about each."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.http import FileResponse, HttpResponse, StreamingHttpResponse
from django.test import RequestFactory

from config.head_requests import HeadRequestMiddleware
from config.wsgi import application


@pytest.fixture
def answer(rf: RequestFactory) -> Callable[..., Any]:
    return lambda response, method: HeadRequestMiddleware(lambda _request: response)(rf.generic(method, "/"))


@pytest.mark.parametrize("make", [HttpResponse, lambda sent: StreamingHttpResponse([sent])], ids=["whole", "streamed"])
class TestAnAnswer:
    def test_to_head_ends_with_its_headers(self, answer, make):
        found = answer(make(b"what GET brings"), "HEAD")
        assert (b"".join(found), found["Content-Type"]) == (b"", "text/html; charset=utf-8")

    def test_to_get_is_left_as_it_is(self, answer, make):
        assert b"".join(answer(make(b"what GET brings"), "GET")) == b"what GET brings"


def test_a_file_that_head_asks_for_is_closed_unread(answer, db):
    file = io.BytesIO(b"what GET brings")
    found = answer(FileResponse(file), "HEAD")
    assert (b"".join(found), found["Content-Length"]) == (b"", "15")
    found.close()
    assert file.closed


def test_the_site_sends_nothing_behind_the_headers_and_says_how_long_it_were(db):
    def ask(method: str) -> tuple[dict[str, str], bytes]:
        said: dict[str, str] = {}

        def start(_status: str, headers: list[tuple[str, str]], _error: Any = None) -> Callable[[bytes], object]:
            said.update(headers)
            return lambda _content: None

        content = b"".join(application(RequestFactory().generic(method, "/help/").environ, start))
        return said, content

    (head, nothing), (get, page) = ask("HEAD"), ask("GET")
    assert nothing == b""
    assert page
    assert head.keys() == get.keys()
    assert head["Content-Length"].isdigit()
