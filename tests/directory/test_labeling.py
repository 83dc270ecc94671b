"""The label of a registration: its provider, its host, and whatever distinguishes it from others."""

import pytest

from apps.audit.recording import Actor
from apps.directory import registering
from apps.directory.models import AuthorizationServer, Endpoint, Provider
from apps.wire.dialects import DIALECTS
from tests.directory.conftest import AT

pytestmark = pytest.mark.django_db

ACTOR = Actor.system("test")
A = DIALECTS["patient-access"]


def make_server(authorize_url, token_url="https://a.example/token"):
    return AuthorizationServer.objects.create(
        source="configured", authorize_url=authorize_url, token_url=token_url, found_at=AT
    )


def called(server):
    return registering.request(server, dialect=A, actor=ACTOR, at=AT).label


@pytest.fixture
def serve(make_endpoint):
    """A server at this address that serves providers of these names."""

    def make(authorize_url, *names):
        providers = [
            Provider.objects.create(
                directory="tests", directory_id=f"{authorize_url[-100:]} {number}", name=name, imported_at=AT
            )
            for number, name in enumerate(names)
        ]
        endpoint = make_endpoint(providers[0], host=f"fhir{Endpoint.objects.count()}.example", registration=None)
        endpoint.providers.set(providers)
        endpoint.authorization_server = make_server(authorize_url, f"{authorize_url}/token")
        endpoint.save(update_fields=["authorization_server"])
        return endpoint.authorization_server

    return make


class TestALabel:
    @pytest.mark.parametrize(
        ("names", "label"),
        [
            (["Harbor Practice"], "Harbor Practice (R4)"),
            (["Cedar Practice", "Bay Clinic"], "many.example (R4)"),
            (["N" * 150], f"{'N' * 100} (R4)"),
        ],
    )
    def test_is_the_provider_and_of_several_their_host(self, serve, names, label):
        assert called(serve("https://many.example/authorize", *names)) == label

    def test_is_the_host_where_no_endpoint_is_known(self):
        assert called(make_server("https://a.example/authorize")) == "a.example"

    def test_has_the_part_of_the_address_in_which_servers_of_one_host_differ(self, serve):
        servers = [
            serve(f"https://many.example/tenants/{tenant}/authorize", f"Cedar {tenant}", f"Bay {tenant}")
            for tenant in ("north", "south")
        ]
        assert [called(server) for server in servers] == ["many.example/north (R4)", "many.example/south (R4)"]

    def test_has_the_host_where_another_provider_has_the_name(self, serve):
        hosts = ("one.example", "two.example", "two.example")
        servers = [serve(f"https://{host}/{place}", "Family Practice") for place, host in enumerate(hosts)]
        assert [called(server) for server in servers] == [
            "Family Practice (R4)",
            "Family Practice, two.example (R4)",
            "Family Practice, two.example/2 (R4)",
        ]

    def test_is_numbered_where_nothing_else_tells_it_apart(self):
        servers = [make_server("https://a.example/authorize", f"https://a.example/{number}") for number in range(3)]
        assert [called(server) for server in servers] == ["a.example", "a.example 2", "a.example 3"]

    def test_is_no_longer_than_it_may_be(self, serve):
        long = "p" * 60
        labels = {called(serve(f"https://{'h' * 50}.example/{long}{number}/a", "N" * 150)) for number in range(5)}
        assert len(labels) == 5
        assert all(label.startswith("NNNN") and len(label) <= 120 for label in labels)

    def test_stays_that_of_the_same_server_when_it_is_asked_again(self):
        server = make_server("https://a.example/authorize")
        first = registering.request(server, dialect=A, actor=ACTOR, at=AT)
        registering.move(first, registering.Status.REJECTED, actor=ACTOR, at=AT)
        assert called(server) == first.label
