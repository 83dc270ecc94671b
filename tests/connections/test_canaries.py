"""Planted secrets, codes, tokens, states and verifiers are found nowhere that somebody could read them.

They are searched for in every column of every table, in the logs at debug level, on pages and admin pages, in cookies
and headers, in the session, in the cache and in the queue; also after the token endpoint timed out, dribbled, refused,
redirected or answered with HTML.
"""

import io
import itertools
import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.conf import settings as project_settings
from django.db import connection as database
from django.test import Client

from apps.connections import refreshing, tasks
from apps.connections.callback import confirming
from apps.connections.models import AuthorizationRequest, Connection, PendingRevocation
from apps.directory.models import ClientRegistration
from apps.wire import transport
from config import logging as project_logging
from tests.connections.conftest import BACKEND
from tests.connections.provider_stand_in import ACCESS, CODE, REFRESH, SECRET, dribble, tokens
from tests.fixtures import queues
from tests.wire.servers import Recorded, http

pytestmark = pytest.mark.django_db

PERSON_CANARIES = ("Quillfeather", "Wrenna", "1984-03-09")
ECHO = f"code={CODE}&client_secret={SECRET}"  # what a careless server answers


def everything_stored() -> Iterator[str]:
    """Every column of every table as text, byte columns both as they are and in hexadecimal."""
    with database.cursor() as cursor:
        for table in database.introspection.table_names(cursor):
            cursor.execute(f'SELECT t::text FROM "{table}" AS t')
            yield from (row[0] for row in cursor.fetchall())


def everything_queued_and_cached() -> Iterator[str]:
    """Whatever Redis holds of this process': the cache, and the queue's messages."""
    client = redis.Redis.from_url(project_settings.CELERY_BROKER_URL)
    for key in itertools.filterfalse(queues.is_another_s, client.scan_iter()):
        kind = client.type(key)
        value = client.get(key) if kind == b"string" else client.lrange(key, 0, -1) if kind == b"list" else key
        yield f"{key!r} {value!r}"
    client.close()


def hexadecimal(text: str) -> str:
    return text.encode().hex()


def assert_nowhere(canaries: list[str], texts: Iterator[str] | list[str]) -> None:
    joined = "\n".join(texts)
    for canary in canaries:
        assert canary not in joined
        assert hexadecimal(canary) not in joined


@pytest.fixture
def debug_log() -> Iterator[io.StringIO]:
    """What the product's own logging prints at debug level, and before any scrubbing what our modules say."""
    printed = io.StringIO()
    project_logging.configure(project_logging.configuration(level="DEBUG"))
    (handler,) = logging.getLogger().handlers
    assert isinstance(handler, project_logging.Handler)
    handler.setStream(printed)
    raw = logging.StreamHandler(printed)
    logging.getLogger("apps").addHandler(raw)
    yield printed
    logging.getLogger("apps").removeHandler(raw)
    project_logging.configure(project_settings.LOGGING)


@pytest.fixture
def impatient(monkeypatch: Any) -> None:
    """The total time of a call, shortened: a server that dribbles would hold each of these tests for ten seconds."""
    monkeypatch.setitem(transport.guard.__kwdefaults__, "total_seconds", 0.5)


def break_off(_request: Recorded) -> Iterator[bytes]:
    """Half an answer, and the connection closed."""
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{" + ECHO.encode()
    raise OSError


ANSWERS = {
    "tokens": tokens(),
    "refuses": http(400, {"error": "invalid_grant", "error_description": ECHO}),
    "rejects the client": http(401, {"error": "invalid_client", "error_description": ECHO}),
    "redirects": http(302, ECHO, Location=f"http://127.0.0.1:9/?{ECHO}"),
    "answers html": http(500, f"<html>{ECHO}</html>", content_type="text/html"),
    "answers html with 200": http(200, f"<html>{ECHO}</html>", content_type="text/html"),
    "breaks off": break_off,
    "answers nonsense": b"\x00\x01\x02" + ECHO.encode(),
    "dribbles": dribble,
}


class TestCanaries:
    @pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS.keys())
    @pytest.mark.conformance("C9")
    def test_of_an_exchange_are_nowhere(self, traveller, place, stand_in, answer, debug_log, impatient):
        ClientRegistration.objects.update(uses_pkce=True)
        stand_in.token = answer
        departed = traveller.leave(place)
        returned = traveller.come_back(place, code=CODE, state=departed.state)
        page = traveller.client.get(returned["Location"])
        assert len(stand_in.token_requests) == 1
        verifier = dict(stand_in.token_requests[0].query)["code_verifier"]
        browser = traveller.client.cookies["browser"].value
        canaries = [SECRET, CODE, ACCESS, REFRESH, departed.state, verifier, browser, "code-canary", "secret-canary"]
        assert_nowhere(canaries, everything_stored())
        assert_nowhere(list(PERSON_CANARIES), everything_stored())
        assert place.callback in debug_log.getvalue()  # something was said
        assert_nowhere([*canaries, *PERSON_CANARIES], [debug_log.getvalue()])
        on_pages = [returned.content.decode(), repr(returned.headers), page.content.decode(), repr(page.headers)]
        assert_nowhere(canaries, on_pages)
        assert_nowhere([*canaries, *PERSON_CANARIES], [repr(dict(traveller.client.session))])
        assert_nowhere([*canaries, *PERSON_CANARIES], everything_queued_and_cached())
        cookies = [morsel.value for name, morsel in traveller.client.cookies.items() if name != "browser"]
        assert_nowhere(canaries, cookies)

    @pytest.mark.conformance("C9")
    def test_of_a_verifier_are_sealed_while_the_person_is_away(self, traveller, place, stand_in, debug_log):
        ClientRegistration.objects.update(uses_pkce=True)
        departed = traveller.leave(place)
        row = AuthorizationRequest.objects.get()
        assert row.sealed_pkce_verifier is not None
        assert_nowhere([departed.state, traveller.client.cookies["browser"].value], everything_stored())
        traveller.come_back(place, code=CODE, state=departed.state)
        verifier = dict(stand_in.token_requests[0].query)["code_verifier"]
        assert verifier.encode() not in bytes(row.sealed_pkce_verifier)
        assert_nowhere([verifier, departed.state], [debug_log.getvalue()])

    @pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS.keys())
    @pytest.mark.conformance("C9")
    def test_of_a_refresh_are_nowhere(self, traveller, place, stand_in, answer, debug_log, impatient):
        found = traveller.link(place)
        connection = confirming.confirm(found, candidate=0, at=found.created_at).connection
        stand_in.token = answer
        try:
            refreshing.usable_token(connection, at=found.created_at + timedelta(hours=1))
        except Exception as error:  # noqa: BLE001 - whatever it raises is searched
            texts = [str(error), repr(error), repr(error.__cause__), repr(error.__context__), repr(error.__dict__)]
            assert_nowhere([SECRET, REFRESH, ACCESS], texts)
        assert_nowhere([SECRET, REFRESH, ACCESS, "refresh-canary"], everything_stored())
        assert_nowhere([SECRET, REFRESH, ACCESS, "refresh-canary"], [debug_log.getvalue()])
        assert_nowhere([SECRET, REFRESH, ACCESS], everything_queued_and_cached())

    def test_of_a_disconnection_are_nowhere(self, traveller, place, stand_in, debug_log):
        stand_in.revoke = http(500, ECHO)
        found = traveller.link(place)
        confirming.confirm(found, candidate=0, at=found.created_at)
        traveller.client.post(f"/connections/{found.pk}/disconnect/", {"copy": "keep"})
        tasks.tell_providers()
        assert stand_in.revocations
        assert PendingRevocation.objects.exists()
        assert_nowhere([SECRET, REFRESH, ACCESS], everything_stored())
        assert_nowhere([SECRET, REFRESH, ACCESS], [debug_log.getvalue()])
        assert_nowhere([SECRET, REFRESH, ACCESS], everything_queued_and_cached())

    def test_of_the_person_found_are_on_pages_alone(self, traveller, place, debug_log):
        found = traveller.link(place)
        question = f"/connections/{found.pk}/confirm/"
        assert "Quillfeather" in traveller.client.get(question).content.decode()
        traveller.client.post(question, {"answer": "yes", "candidate": "0"})
        for address in ("/", "/connections/", f"/connections/{found.pk}/", f"/connections/{found.pk}/record/"):
            assert traveller.client.get(address).status_code == 200, address
        canaries = [*PERSON_CANARIES, "March 9, 1984"]
        assert_nowhere(canaries, [debug_log.getvalue(), repr(dict(traveller.client.session))])
        assert_nowhere(canaries, everything_stored())
        assert_nowhere(canaries, everything_queued_and_cached())

    @pytest.mark.conformance("C9")
    def test_are_on_no_admin_page(self, traveller, place, stella):
        found = traveller.link(place)
        confirmed = confirming.confirm(found, candidate=0, at=found.created_at).connection
        waiting = traveller.link(place)
        departed = traveller.leave(place)
        staff = Client()
        staff.force_login(stella, backend=BACKEND)
        pages = [
            "/admin/connections/connection/",
            "/admin/connections/connection/health/",
            f"/admin/connections/connection/{confirmed.pk}/change/",
            f"/admin/connections/connection/{confirmed.pk}/history/",
            f"/admin/connections/connection/{waiting.pk}/change/",
            "/admin/connections/authorizationrequest/",
            f"/admin/connections/authorizationrequest/{departed.page.split('/')[-2]}/change/",
            "/admin/directory/clientregistration/",
            f"/admin/directory/clientregistration/{place.registration.pk}/change/",
            f"/admin/directory/clientregistration/{place.registration.pk}/history/",
            "/admin/audit/auditevent/",
        ]
        for address in pages:
            page = staff.get(address)
            assert page.status_code == 200, address
            text = page.content.decode()
            assert_nowhere([SECRET, CODE, ACCESS, REFRESH, departed.state, "p-7301", *PERSON_CANARIES], [text])

    def test_would_be_found(self, traveller, place):
        """The search itself works: a canary in a text column and one in a byte column are seen."""
        Connection.objects.filter(pk=traveller.link(place).pk).update(granted_scope="planted-canary")
        ClientRegistration.objects.update(sealed_secret=b"planted-bytes")
        for planted in ("planted-canary", "planted-bytes"):
            with pytest.raises(AssertionError):
                assert_nowhere([planted], everything_stored())
