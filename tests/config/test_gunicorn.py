"""Gunicorn names a request that failed by its whole address. We keep the path: codes and states are in the query."""

import logging

import pytest

from config import gunicorn


class TestALineOfGunicorn:
    @pytest.mark.parametrize(
        ("message", "arguments", "kept"),
        [
            ("Error handling request %s %s", ("GET", "/connect/return/1/?code=C&state=S"), "GET /connect/return/1/"),
            ("Invalid request from ip=%s: %s", ("10.0.0.1", "Invalid: 'GET /a?code=C x'"), "Invalid: 'GET /a x'"),
            ("Booting worker with pid: %s", (17,), "pid: 17"),
        ],
    )
    def test_keeps_the_path_and_loses_the_query(self, message, arguments, kept):
        record = logging.LogRecord("gunicorn.error", logging.ERROR, __file__, 1, message, arguments, None)
        assert gunicorn.without_query(record)
        assert kept in record.getMessage()
        assert "code=" not in record.getMessage()

    def test_of_each_request_has_no_query_and_no_referer(self):
        assert not any(part in gunicorn.access_log_format for part in ("%(r)s", "%(q)s", "%(f)s"))
