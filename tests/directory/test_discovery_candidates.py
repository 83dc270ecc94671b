"""Which endpoints our worker discovers by itself, and which only when somebody wants to go there."""

from datetime import timedelta

import pytest

from apps.directory import discovering, discovery_candidates
from apps.directory.models import AuthorizationServer, ClientRegistration, Enablement, Endpoint
from tests.directory.smart_deployment import AT, register

pytestmark = pytest.mark.django_db


@pytest.fixture
def listed():
    """An endpoint as an import leaves it: nothing was asked yet."""

    def make(url: str, server: AuthorizationServer | None = None, **columns) -> Endpoint:
        named = {"fhir_version": "r4", "interface": "smart", "dialect": "smart", "imported_at": AT}
        return Endpoint.objects.create(fhir_base_url=url, authorization_server=server, **(named | columns))

    return make


def server(host: str = "login.example") -> AuthorizationServer:
    urls = {"authorize_url": f"https://{host}/authorize", "token_url": f"https://{host}/token"}
    return AuthorizationServer.objects.create(source="discovered", found_at=AT, **urls)


def due(most: int = 100) -> set[str]:
    rows = discovery_candidates.due(tried_before=AT, found_before=AT - timedelta(days=1), most=most)
    return {row.fhir_base_url for row in rows}


class TestAListedHost:
    def test_is_not_asked_where_we_are_not_registered(self, make_root):
        never, found = make_root(), make_root()
        found.discover()
        assert discovering.discover_stale(at=AT + timedelta(days=2), most=20) == 0
        assert Endpoint.objects.get(pk=never.endpoint.pk).discovery_tried_at is None

    def test_is_asked_when_somebody_wants_to_go_there(self, root):
        discovering.keep_fresh(root.endpoint, at=AT)
        assert root.endpoint.authorization_server is not None

    def test_is_asked_where_a_registration_stands(self, listed):
        there = server()
        register(there)
        listed("https://fhir.example/r4", there)
        listed("https://other.example/r4", server("login.other.example"))
        assert due() == {"https://fhir.example/r4"}

    def test_is_asked_no_longer_where_the_registration_is_over(self, listed):
        there = server()
        register(there)
        listed("https://fhir.example/r4", there)
        ClientRegistration.objects.update(status="retired")
        assert due() == set()

    def test_is_asked_where_a_registration_made_elsewhere_serves_it(self, listed):
        beside = listed("https://beside.example/r4")
        Enablement.objects.create(registration=register(server()), endpoint=beside, since_at=AT)
        assert due() == {beside.fhir_base_url}

    def test_is_asked_where_its_sign_in_is_that_of_one_so_served(self, listed):
        there = server("login.beside.example")
        beside = listed("https://beside.example/r4", there)
        Enablement.objects.create(registration=register(server()), endpoint=beside, since_at=AT)
        listed("https://second.example/r4", there)
        assert due() == {"https://beside.example/r4", "https://second.example/r4"}


class TestANeighbour:
    def test_on_the_same_host_is_asked(self, listed):
        there = server()
        register(there)
        listed("https://fhir.example/r4/one", there)
        listed("https://fhir.example/r4/two")
        listed("https://login.example/fhir")
        assert due() == {"https://fhir.example/r4/one", "https://fhir.example/r4/two", "https://login.example/fhir"}

    @pytest.mark.parametrize(
        "url",
        [
            "https://fhir.example.org/r4",
            "https://fhir.example:8443/r4",
            "https://a.fhir.example/r4",
            "https://fhir.exampl/r4",
            "http://fhir.example/r4",
        ],
    )
    def test_is_none_on_a_host_of_a_similar_name(self, listed, url):
        there = server()
        register(there)
        listed("https://fhir.example/r4", there)
        listed(url)
        assert due() == {"https://fhir.example/r4"}

    def test_is_none_of_a_stranger_that_was_switched_off(self, listed):
        there = server()
        register(there)
        listed("https://rogue.example/r4", there, is_switched_on=False)
        listed("https://rogue.example/r4/two")
        assert due() == set()


class TestThoseThatAreDue:
    def test_come_in_their_order_and_at_most_so_many(self, listed):
        there = server()
        register(there)
        for hours in (3, 1, 2):
            tried_at = AT - timedelta(hours=hours)
            listed(f"https://fhir.example/{hours}", there, discovery_tried_at=tried_at, discovery_fault="x")
        listed("https://fhir.example/never")
        rows = discovery_candidates.due(tried_before=AT, found_before=AT, most=3)
        assert [row.fhir_base_url.rpartition("/")[2] for row in rows] == ["never", "3", "2"]
