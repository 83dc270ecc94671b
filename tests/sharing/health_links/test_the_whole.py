"""A link is made, asked and opened, through all that stands before a view of ours."""

from datetime import UTC, datetime

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import path

from apps.sharing.health_links import manifest_requests, manifests
from apps.sharing.health_links.cross_origin import from_any_origin
from apps.sharing.health_links.encrypting import encrypt
from apps.sharing.health_links.links import HealthLink
from apps.sharing.health_links.manifest_requests import Refusal
from tests.sharing import receiving
from tests.sharing.receiving import Refused

KEY = bytes(range(32))
DOCUMENT = b'{"resourceType":"Bundle","type":"document"}'
TOKEN = "I91rhba3VsuGXGchcnr6VHlQFKxfE28kuZ0ssbEuxno"
URL = f"http://testserver/shared/{TOKEN}"
LOCATION = "http://testserver/file?ticket=a%2Fb"
LINK = HealthLink(url=URL, key=KEY).uri("http://testserver/read#")
ABOUT = manifests.About(datetime(2026, 11, 28, tzinfo=UTC))


@from_any_origin("POST")
def manifest(request, token):
    asked = manifest_requests.read(request.body)
    if isinstance(asked, Refusal):
        return HttpResponse(manifests.refused(asked), manifests.MANIFEST_TYPE, asked.status)
    if token != TOKEN:
        return HttpResponse(status=404)
    if asked.passcode != "493201":
        return HttpResponse(manifests.wrong_passcode(4), manifests.MANIFEST_TYPE, 401)
    file = encrypt(DOCUMENT, KEY)
    fits = manifests.may_embed(file, asked)
    told = manifests.embedded(file, ABOUT) if fits else manifests.located(LOCATION, ABOUT)
    return HttpResponse(told, manifests.MANIFEST_TYPE)


@from_any_origin("GET")
def file(request):
    status = 200 if request.GET.get("ticket") == "a/b" else 404
    return HttpResponse(encrypt(DOCUMENT, KEY), manifests.FILE_TYPE, status)


@pytest.fixture
def send(settings):
    settings.ROOT_URLCONF = (path("shared/<str:token>", manifest), path("file", file))
    return receiving.by(Client(enforce_csrf_checks=True))


class TestALink:
    def test_leads_to_a_document_in_the_answer(self, send):
        (received,) = receiving.receive(LINK, send, passcode="493201")
        assert (received.way, received.resource["type"]) == ("embedded", "document")

    def test_leads_to_a_document_elsewhere(self, send):
        (received,) = receiving.receive(LINK, send, passcode="493201", embedded_length_max=0)
        assert (received.way, received.content) == ("location", DOCUMENT)

    def test_leads_nowhere_without_the_passcode(self, send):
        with pytest.raises(Refused) as refused:
            receiving.receive(LINK, send, passcode="000000")
        assert (refused.value.status, refused.value.remaining) == (401, 4)

    def test_leads_nowhere_once_it_is_gone(self, send):
        gone = HealthLink(url=URL.replace("I91", "J91"), key=KEY).uri()
        with pytest.raises(Refused) as refused:
            receiving.receive(gone, send, passcode="493201")
        assert (refused.value.status, refused.value.remaining) == (404, None)

    def test_says_what_is_wrong_with_a_request(self, send):
        answer = send("POST", URL, {"Content-Type": "application/json"}, b"canary")
        assert (answer.status, answer.body) == (400, b'{"error":"not-json"}')

    def test_is_asked_by_a_browser_in_advance(self, send):
        answer = send("OPTIONS", URL, {"Origin": "https://viewer.example"}, b"")
        assert (answer.status, answer.headers["access-control-allow-origin"]) == (204, "*")

    def test_leaves_nobody_s_mark_in_a_browser(self, send):
        answer = send("POST", URL, {"Content-Type": "application/json"}, b'{"recipient":"Harbor"}')
        assert "set-cookie" not in answer.headers
        assert answer.headers["cache-control"] == "no-store"
