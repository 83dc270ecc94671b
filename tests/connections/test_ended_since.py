"""Old pages of sign-ins, and URLs with the name of a page, show the present state."""

import re
from html import unescape

import pytest
from django.urls import reverse

from apps.connections.callback import confirming
from apps.connections.models import Connection
from tests.connections.provider_stand_in import CODE

pytestmark = pytest.mark.django_db


def text_of(traveller, address):
    page = traveller.client.get(address)
    assert page.status_code == 200
    return " ".join(unescape(page.content.decode()).split())


def heading(text):
    (found,) = re.findall(r"<h1>(.*?)</h1>", text)
    return found.strip()


@pytest.fixture
def departed(traveller, place):
    departed = traveller.leave(place)
    traveller.come_back(place, code=CODE, state=departed.state)
    found = Connection.objects.get()
    confirming.confirm(found, candidate=0, at=found.created_at)
    return departed


@pytest.fixture
def connection(departed):
    return Connection.objects.get()


@pytest.fixture(params=["disconnected", "deleted"])
def end(request, connection):
    if request.param == "deleted":
        return connection.delete
    return lambda: connection.disconnect(at=connection.created_at)


class TestThePageOfASignInThatWorked:
    @pytest.mark.parametrize("query", ["", "?again"])
    def test_says_when_its_connection_is_over(self, traveller, place, departed, end, query):
        assert "Harbor Family Practice is connected" in text_of(traveller, departed.page + query)
        end()
        page = text_of(traveller, departed.page + query)
        assert heading(page) == "This connection was ended"
        assert f'href="{place.before_you_go}"' in page

    @pytest.mark.conformance("C47")
    def test_says_it_to_a_second_arrival_too(self, traveller, place, departed, end):
        end()
        answer = traveller.come_back(place, code=CODE, state=departed.state)
        assert "This connection was ended" in text_of(traveller, answer["Location"])

    def test_is_not_there_for_a_stranger(self, make_traveller, sam, departed):
        assert make_traveller(sam).client.get(departed.page).status_code == 404


class TestThePageOfASignInThatWasToRenew:
    @pytest.mark.parametrize("query", ["", "?again"])
    def test_does_not_say_that_what_is_over_stays_as_it_was(self, traveller, place, connection, end, query):
        departed = traveller.leave(place, url=f"/connections/{connection.pk}/sign-in/")
        traveller.come_back(place, error="access_denied", state=departed.state)
        assert "stays as it was" in text_of(traveller, departed.page + query)
        end()
        page = text_of(traveller, departed.page + query)
        assert "stays as it was" not in page
        assert f'href="{place.before_you_go}"' in page
        assert "/sign-in/" not in page


class TestALinkToAPage:
    def test_to_connect_a_provider_leads_to_a_page_of_that_name(self, traveller):
        address = reverse("find-provider")
        links = set()
        for page in ("/", "/connections/"):
            text = text_of(traveller, page)
            links |= set(re.findall(rf'<a class="button[^"]*" href="{address}">([^<]+)</a>', text))
        assert links == {heading(text_of(traveller, address))} == {"Connect a provider"}

    def test_to_a_connection_leads_to_a_page_of_that_name(self, traveller, connection):
        record = text_of(traveller, reverse("record", args=[connection.pk]))
        address = reverse("connection", args=[connection.pk])
        (link,) = re.findall(rf'<a class="as-link" href="{address}">([^<]+)</a>', record)
        page = text_of(traveller, address)
        (title,) = re.findall(r"<title>(.*?)</title>", page)
        assert title.strip().startswith(link)
        assert heading(page) == "Connection to Harbor Family Practice"
