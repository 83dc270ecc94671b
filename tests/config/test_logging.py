"""No canary is ever logged, whoever logs what, as JSON or as text, even at DEBUG."""

import io
import json
import logging
import time
from typing import Any
from uuid import UUID

import oauthlib.oauth2.rfc6749.parameters
import pytest
import requests
import requests_oauthlib.oauth2_session
import structlog
import urllib3.connectionpool
from celery import Celery
from celery.contrib.testing.worker import start_worker
from django.conf import settings as project_settings
from django.contrib import auth
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.core.exceptions import SuspiciousOperation
from django.db import connection
from django.http import Http404, HttpResponse
from django.urls import path
from django.utils.log import AdminEmailHandler

from apps.wire.errors import Unavailable
from config import celery  # noqa: F401  keeps Celery's hands off the logs
from config import logging as project_logging
from config.request_logging import RequestLoggingMiddleware

CANARY = "CANARY-b71f"
ADDRESS = f"https://provider.example/token?client_secret={CANARY}&code={CANARY}"
ITEM_ID = UUID("7b0f3f2e-6f0e-4a44-9a44-1d4cf5a3a111")


def fails(request, **_ids):
    raise RuntimeError(f"could not reach {ADDRESS}")


def library_call():
    raise requests.ConnectionError(f"HTTPSConnectionPool: Max retries exceeded with url: {ADDRESS}")


def fails_because(request):
    try:
        library_call()
    except requests.ConnectionError as error:
        raise Unavailable from error


def is_absent(request, **_ids):
    raise Http404(ADDRESS)


def is_suspicious(request):
    raise SuspiciousOperation(ADDRESS)


def answers(request, **_ids):
    return HttpResponse("ok")


URLS = (
    path("answers/<uuid:item_id>/<str:key>/", answers),
    path("fails/<uuid:item_id>/", fails),
    path("fails/because/", fails_because),
    path("absent/<uuid:item_id>/", is_absent),
    path("suspicious/", is_suspicious),
)


class Printed:
    """What one configuration of the logs has written so far."""

    def __init__(self, *, readable: bool) -> None:
        self._stream = io.StringIO()
        project_logging.configure(project_logging.configuration(level="DEBUG", readable=readable))
        (handler,) = logging.getLogger().handlers
        assert isinstance(handler, project_logging.Handler)
        self.handler = handler
        self.handler.setStream(self._stream)

    @property
    def text(self) -> str:
        return self._stream.getvalue()

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]


@pytest.fixture(params=["json", "readable"])
def printed(request):
    yield Printed(readable=request.param == "readable")
    project_logging.configure(project_settings.LOGGING)


@pytest.fixture
def printed_json():
    yield Printed(readable=False)
    project_logging.configure(project_settings.LOGGING)


@pytest.fixture
def site(client, settings):
    settings.ROOT_URLCONF = URLS
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if "whitenoise" not in name]
    settings.TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates"}]  # Django's own error pages
    client.raise_request_exception = False
    return client


@pytest.mark.django_db
class TestRequest:
    @pytest.mark.parametrize(
        ("address", "status"),
        [
            (f"/answers/{ITEM_ID}/{CANARY}/", 200),
            (f"/fails/{ITEM_ID}/", 500),
            ("/fails/because/", 500),
            (f"/absent/{ITEM_ID}/", 404),
            (f"/{CANARY}/", 404),
            ("/suspicious/", 400),
        ],
    )
    @pytest.mark.parametrize("debug", [False, True])
    def test_leaves_no_canary(self, site, settings, printed, address, status, debug):
        settings.DEBUG = debug
        answer = site.get(
            address,
            {"code": CANARY, "state": CANARY},
            headers={
                "authorization": f"Bearer {CANARY}",
                "cookie": f"session={CANARY}",
                "referer": f"https://testserver/?code={CANARY}",
                "x-request-id": CANARY,
                "user-agent": CANARY,
            },
        )
        assert answer.status_code == status
        assert str(status) in printed.text
        assert CANARY not in printed.text

    def test_leaves_no_canary_of_a_form(self, site, printed):
        site.post("/fails/because/", {"password": CANARY, "client_secret": CANARY})
        assert "Unavailable" in printed.text
        assert CANARY not in printed.text

    def test_is_one_line_with_method_route_status_duration_and_id(self, site, printed_json):
        answer = site.get(f"/answers/{ITEM_ID}/{CANARY}/?code={CANARY}")
        (line,) = [line for line in printed_json.lines if line["event"] == "request"]
        assert (line["method"], line["status"], line["user_id"]) == ("GET", 200, None)
        assert line["path"] == f"/answers/{ITEM_ID}/<str:key>/"
        assert line["duration_ms"] >= 0
        assert line["request_id"] == answer["X-Request-ID"]
        assert str(UUID(line["request_id"])) == line["request_id"]

    def test_joins_its_lines_by_the_id_that_the_proxy_gave(self, site, printed_json):
        site.get(f"/fails/{ITEM_ID}/", headers={"x-request-id": str(ITEM_ID)})
        assert {line["request_id"] for line in printed_json.lines} == {str(ITEM_ID)}
        assert len(printed_json.lines) >= 2

    def test_names_the_user_by_id_where_the_view_asked_who_it_is(self, rf, printed_json, django_user_model):
        user = django_user_model.objects.create_user("alice@example.org", "a password of alice")

        def asks(request):
            return HttpResponse(str(request.user.is_authenticated))

        for view in (asks, answers):
            request = rf.get("/")
            request.session = {
                auth.SESSION_KEY: str(user.pk),
                auth.BACKEND_SESSION_KEY: project_settings.AUTHENTICATION_BACKENDS[-1],
                auth.HASH_SESSION_KEY: user.get_session_auth_hash(),
            }
            RequestLoggingMiddleware(AuthenticationMiddleware(view))(request)  # type: ignore[arg-type]  # never awaitable here

        assert [line["user_id"] for line in printed_json.lines] == [str(user.pk), None]
        assert "alice" not in printed_json.text


class TestException:
    def test_shows_type_place_and_cause_without_foreign_text(self, printed_json):
        try:
            fails_because(None)
        except Unavailable:
            structlog.get_logger("apps.connections").exception("refresh failed", connection_id=str(ITEM_ID))
        (line,) = printed_json.lines
        assert line["event"] == "refresh failed"
        assert line["connection_id"] == str(ITEM_ID)
        first, rest = line["exception"].split("which led to")
        assert first.startswith("requests.exceptions.ConnectionError\n")
        assert "test_logging.py" in first
        assert f"apps.wire.errors.Unavailable: {Unavailable()}" in rest
        assert CANARY not in printed_json.text

    def test_of_a_standard_logger_is_shown_alike(self, printed):
        try:
            fails(None)
        except RuntimeError as error:
            logging.getLogger("apps.records").exception("sync failed")
            logging.getLogger("some.library").critical(error, exc_info=error)
            logging.getLogger("some.library").critical("it broke: %s", error, exc_info=error)
        assert printed.text.count("builtins.RuntimeError") == 3
        assert CANARY not in printed.text

    def test_survives_a_cycle_of_causes(self, printed_json):
        one, other = ValueError(CANARY), KeyError(CANARY)
        one.__cause__, other.__cause__ = other, one
        structlog.get_logger("apps").error("x", exc_info=one)
        assert "builtins.KeyError" in printed_json.lines[0]["exception"]
        assert CANARY not in printed_json.text


class TestLibrary:
    @pytest.mark.parametrize("level", [logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL])
    @pytest.mark.parametrize(
        "name",
        [
            urllib3.connectionpool.__name__,
            requests_oauthlib.oauth2_session.__name__,
            oauthlib.oauth2.rfc6749.parameters.__name__,
            "requests.sessions",
            "django.server",
            "gunicorn.access",
        ],
    )
    def test_that_prints_addresses_is_mute_at_every_level(self, printed, capsys, name, level):
        logging.getLogger(name).log(level, "GET /token HTTP/1.1 without any secret")
        assert printed.text == ""
        assert capsys.readouterr().err == ""

    @pytest.mark.parametrize("name", ["django.utils", "axes.handlers", "celery.worker", "gunicorn.error", "any.other"])
    def test_keeps_its_constant_words_and_numbers_alone(self, printed, name):
        logging.getLogger(name).error("%s answered %d in %.1f s: %r", CANARY, 502, 1.5, {"token": CANARY})
        logging.getLogger(name).error("%(name)s failed for %(person)s", {"name": "apps.records.sync", "person": CANARY})
        assert "… answered 502 in 1.5 s: …" in printed.text
        assert "apps.records.sync failed for …" in printed.text
        assert CANARY not in printed.text

    def test_of_django_says_that_a_request_failed_and_how(self, site, printed_json, db):
        site.get("/fails/because/")
        (line,) = [line for line in printed_json.lines if line["logger"] == "django.request"]
        assert (line["event"], line["status"]) == ("request answered with an error", 500)
        assert "fails_because" in line["exception"]

    def test_leaves_no_sql_with_values(self, printed, db):
        connection.force_debug_cursor = True
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT %s", [CANARY])
        finally:
            connection.force_debug_cursor = False
        assert CANARY not in printed.text

    def test_that_formats_wrongly_is_not_repeated(self, printed, capsys):
        for name, template in [("apps.records", "%d rows of %s"), ("library", "%d rows of %s and %s")]:
            record = logging.LogRecord(name, logging.ERROR, __file__, 1, template, (CANARY, CANARY), None)
            printed.handler.handle(record)  # at our handler, because pytest's own would raise
        assert "%d rows of %s" in printed.text
        assert "… rows of … and …" in printed.text
        assert CANARY not in printed.text + capsys.readouterr().err

    def test_line_that_cannot_be_written_is_not_repeated(self, printed, capsys):
        class Unprintable:
            def __str__(self):
                raise ValueError(CANARY)

        logging.getLogger("apps.records").error("x", extra={})
        structlog.get_logger("apps.records").error("x", thing=Unprintable())
        err = capsys.readouterr().err
        assert err == "A line of apps.records could not be logged.\n"


class TestOurLine:
    def test_shows_its_values(self, printed_json):
        structlog.get_logger("apps.records.syncing").info("step ended", rows=12, resource_type="Observation", ok=True)
        logging.getLogger("apps.records").warning("%d rows of %s", 12, "Observation")
        first, second = printed_json.lines
        assert (first["event"], first["rows"], first["resource_type"], first["ok"]) == (
            "step ended",
            12,
            "Observation",
            True,
        )
        assert (first["level"], first["logger"]) == ("info", "apps.records.syncing")
        assert first["timestamp"].endswith("Z")
        assert second["event"] == "12 rows of Observation"

    def test_is_scrubbed_as_the_last_defence(self, printed):
        structlog.get_logger("apps.records").error(
            f"asked {ADDRESS}",
            url=ADDRESS,
            client_secret=CANARY,
            headers={"Authorization": f"Bearer {CANARY}"},
            body=CANARY.encode(),
            error=RuntimeError(CANARY),
        )
        assert "asked https://provider.example/token?" in printed.text
        assert CANARY not in printed.text


class TestErrorMail:
    def test_is_never_used(self, settings):
        loggers = [logging.getLogger(name) for name in logging.root.manager.loggerDict]
        handlers = [handler for logger in [logging.root, *loggers] for handler in logger.handlers]
        assert handlers
        assert not any(isinstance(handler, AdminEmailHandler) for handler in handlers)
        assert settings.ADMINS == []


class TestTask:
    """A real worker, with its own thread and an in-memory broker."""

    @pytest.fixture
    def queue(self):
        queue = Celery("canary", broker="memory://", set_as_current=False, fixups=[])
        queue.conf.task_ignore_result = True
        return queue

    def test_that_fails_leaves_its_name_and_type_alone(self, queue, printed):
        @queue.task(name="tests.fails", shared=False)
        def task(secret):
            raise RuntimeError(f"could not reach {ADDRESS}")

        @queue.task(name="tests.retries", shared=False, bind=True, max_retries=1, default_retry_delay=0)
        def retries(self, secret):
            raise self.retry(exc=RuntimeError(ADDRESS))

        with start_worker(queue, pool="solo", perform_ping_check=False, loglevel="DEBUG"):
            task.apply_async(args=[CANARY], kwargs={}, argsrepr=CANARY)
            retries.apply_async(args=[CANARY])
            self.wait_for(printed, "tests.fails", "tests.retries", "RuntimeError")
        assert CANARY not in printed.text

    @staticmethod
    def wait_for(printed, *words):
        until = time.monotonic() + 10
        while not all(word in printed.text for word in words) and time.monotonic() < until:
            time.sleep(0.05)
        assert all(word in printed.text for word in words)
