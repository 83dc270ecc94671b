"""The launch URL of a provider's own portal: which launches are refused at once, and who hears of it."""

import re
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.test import Client

from apps.audit.models import AuditEvent
from apps.connections.authorization_requests import launching
from apps.connections.models import PendingLaunch
from apps.connections.views import launch_limit
from apps.directory.models import ClientRegistration
from tests.connections.launches import LAUNCH, arrive, departure, link, make_smart

pytestmark = pytest.mark.django_db


class TestALinkFromAnUnknownServer:
    @pytest.mark.conformance("C28")
    @pytest.mark.parametrize(
        "rewritten",
        [
            "https://evil.example/fhir/r4",
            "{root}/x",
            "{root}//",
            "{root}?a=b",
            "{root}#a",
            "{root}/../r4",
            "{origin}/b/FHIR/r4",
            "http://{host}@evil.example/b/fhir/r4",
            "http://{host}.evil.example/b/fhir/r4",
            "http://{host}\\@evil.example/b/fhir/r4",
            "/b/fhir/r4",
            "javascript:alert(1)",
            "[",
        ],
    )
    def test_is_refused_before_anybody_is_asked(self, traveller, smart_place, stand_in, rewritten):
        root = smart_place.endpoint.fhir_base_url
        parts = urlsplit(root)
        iss = rewritten.format(root=root, origin=f"{parts.scheme}://{parts.netloc}", host=parts.netloc)
        page = arrive(traveller.client, smart_place, iss=iss)
        assert page == "/connect/launches/unknown-provider/"
        answer = traveller.client.get(page)
        assert answer.status_code == 200
        assert "We do not know this provider" in answer.content.decode()
        assert "evil.example" not in answer.content.decode()
        assert stand_in.server.requests == []
        assert not PendingLaunch.objects.exists()

    @pytest.mark.conformance("C28")
    def test_is_refused_where_another_registration_serves_it(self, traveller, smart_place, make_place):
        other = make_place("Riverside", path="/b/beside", version="dstu2")
        make_smart(other.endpoint)
        page = arrive(traveller.client, smart_place, iss=other.endpoint.fhir_base_url)
        assert page == "/connect/launches/unknown-provider/"

    def test_is_refused_at_an_address_nobody_registered(self, traveller, smart_place):
        sent = link(smart_place)[1]
        answer = traveller.client.get(f"/connect/launch/{uuid4()}/", sent)
        assert answer["Location"] == "/connect/launches/unknown-provider/"

    def test_is_refused_for_a_server_that_knows_no_launches(self, traveller, make_place):
        place = make_place()
        assert arrive(traveller.client, place) == "/connect/launches/unknown-provider/"

    def test_is_refused_once_the_registration_is_retired(self, traveller, smart_place):
        ClientRegistration.objects.update(status="retired")
        assert arrive(traveller.client, smart_place) == "/connect/launches/unknown-provider/"


class TestALinkThatCannotBeRead:
    @pytest.mark.parametrize(
        "query",
        [
            {"launch": []},
            {"iss": []},
            {"launch": ""},
            {"launch": ["a", "b"]},
            {"iss": ["http://127.0.0.1/", "http://127.0.0.1/"]},
            {"launch": "a\x00b"},
            {"launch": "a b"},
            {"launch": "é"},
            {"launch": "x" * 5000},
            {"iss": "http://" + "x" * 5000},
        ],
    )
    def test_has_a_page_that_says_so(self, traveller, smart_place, query):
        page = arrive(traveller.client, smart_place, **query)
        assert page == "/connect/launches/unreadable/"
        assert "We could not read this link" in traveller.client.get(page).content.decode()
        assert not PendingLaunch.objects.exists()

    def test_is_the_only_kind_of_refusal_with_a_page_of_its_own_name(self, client):
        assert client.get("/connect/launches/anything-else/").status_code == 404
        assert "We could not read" not in client.get("/connect/launches/anything-else/").content.decode()


class TestTheLink:
    def test_is_gone_from_the_address_bar_at_once_and_told_to_nobody(self, traveller, smart_place, caplog):
        address, sent = link(smart_place)
        answer = traveller.client.get(address, sent)
        assert re.fullmatch(r"/connect/launches/[0-9a-f-]{36}/", answer["Location"])
        assert answer["Referrer-Policy"] == "no-referrer"
        assert "no-store" in answer["Cache-Control"]
        page = traveller.client.get(answer["Location"])
        assert "no-store" in page["Cache-Control"]
        assert LAUNCH not in page.content.decode() + answer.content.decode() + caplog.text

    def test_is_stored_by_no_browser_of_a_stranger(self, client, smart_place):
        address, sent = link(smart_place)
        answer = client.get(address, sent)
        assert "no-store" in answer["Cache-Control"]
        assert "no-store" in client.get(answer["Location"])["Cache-Control"]

    def test_is_told_to_nobody_when_it_is_refused(self, traveller, smart_place):
        address, sent = link(smart_place, iss="https://evil.example/")
        answer = traveller.client.get(address, sent)
        assert answer["Referrer-Policy"] == "no-referrer"
        assert "no-store" in answer["Cache-Control"]
        assert "?" not in answer["Location"]

    def test_is_in_no_log_and_no_event_of_the_whole_way(self, traveller, smart_place, caplog):
        departure(traveller.client, arrive(traveller.client, smart_place))
        assert "/connect/launch/" in caplog.text
        assert LAUNCH not in caplog.text
        assert AuditEvent.objects.exists()
        assert not [event for event in AuditEvent.objects.values() if LAUNCH in repr(event)]

    def test_is_kept_sealed_and_no_longer_than_the_button_is_pressed(self, traveller, smart_place):
        page = arrive(traveller.client, smart_place)
        waiting = PendingLaunch.objects.get()
        assert waiting.sealed_launch is not None
        assert LAUNCH.encode() not in bytes(waiting.sealed_launch)
        departure(traveller.client, page)
        assert PendingLaunch.objects.get().sealed_launch is None

    def test_is_only_followed_never_posted(self, traveller, smart_place):
        address, sent = link(smart_place)
        assert traveller.client.post(address, sent).status_code == 405
        assert traveller.client.head(address, sent).status_code == 405


class TestManyLinks:
    def test_of_one_browser_push_out_the_oldest(self, traveller, smart_place):
        pages = [arrive(traveller.client, smart_place, launch=f"launch-{n}") for n in range(launching.MOST_OPEN + 2)]
        assert PendingLaunch.objects.count() == launching.MOST_OPEN
        assert [traveller.client.get(page).status_code for page in pages] == [404, 404] + [200] * launching.MOST_OPEN

    def test_push_out_no_sign_in_that_began(self, traveller, smart_place):
        begun = arrive(traveller.client, smart_place)
        departure(traveller.client, begun)
        for n in range(launching.MOST_OPEN + 1):
            arrive(traveller.client, smart_place, launch=f"launch-{n}")
        assert traveller.client.get(begun).status_code == 302
        assert PendingLaunch.objects.count() == launching.MOST_OPEN + 1

    def test_push_out_nothing_of_another_browser(self, traveller, smart_place):
        page = arrive(traveller.client, smart_place)
        stranger = Client()
        for n in range(launching.MOST_OPEN + 1):
            arrive(stranger, smart_place, launch=f"launch-{n}")
        assert traveller.client.get(page).status_code == 200

    def test_of_one_address_are_refused_for_a_while(self, traveller, smart_place, monkeypatch):
        """However many browsers it has: each link without our cookie is a new one."""
        monkeypatch.setattr(launch_limit, "MOST", 3)
        for n in range(3):
            arrive(Client(REMOTE_ADDR="192.0.2.7"), smart_place, launch=f"launch-{n}")
        refused = Client(REMOTE_ADDR="192.0.2.7")
        page = arrive(refused, smart_place, launch="one more")
        assert page == "/connect/launches/too-many/"
        answer = refused.get(page)
        assert answer.status_code == 429
        assert "Too many links were opened" in answer.content.decode()
        assert PendingLaunch.objects.count() == 3
        assert arrive(traveller.client, smart_place) != page

    def test_of_one_network_are_counted_together(self, smart_place, monkeypatch):
        """One household of IPv6 has more addresses than anybody counts."""
        monkeypatch.setattr(launch_limit, "MOST", 1)
        arrive(Client(REMOTE_ADDR="2001:db8:1:2::1"), smart_place, launch="one")
        again = arrive(Client(REMOTE_ADDR="2001:db8:1:2:ffff::2"), smart_place, launch="two")
        assert again == "/connect/launches/too-many/"
        assert arrive(Client(REMOTE_ADDR="2001:db8:1:3::1"), smart_place, launch="three") != again
