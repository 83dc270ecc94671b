"""What the web server reads of a request before any of our code sees it."""

from typing import Any

import pytest
from gunicorn.config import Config
from gunicorn.http.errors import LimitRequestLine
from gunicorn.http.message import Request
from gunicorn.http.unreader import IterUnreader

from config import gunicorn


def read(path: str) -> Any:
    cfg = Config()
    cfg.set("limit_request_line", gunicorn.limit_request_line)
    cfg.set("limit_request_field_size", gunicorn.limit_request_field_size)
    lines = f"GET {path} HTTP/1.1\r\nHost: holdfast.example\r\n\r\n".encode()
    chunks = (lines[start : start + 8192] for start in range(0, len(lines), 8192))
    return Request(cfg, IterUnreader(chunks), ("127.0.0.1", 1))


class TestARequestLine:
    def test_may_hold_a_code_of_64_kib(self):
        assert read("/connect/return/?code=" + "c" * 65_536).query == "code=" + "c" * 65_536

    def test_may_not_go_on_for_ever(self):
        with pytest.raises(LimitRequestLine):
            read("/" + "c" * 200_000)
