"""Staff enter the addresses of a sign-in while somebody else writes to the same rows."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor
from apps.directory import consistency
from apps.directory.desk import beginning
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint

pytestmark = pytest.mark.django_db

NAMED = {
    "authorize_url": "https://sign-in.example.org/authorize",
    "token_url": "https://sign-in.example.org/token",
    "revocation_url": "",
}
STAFF = Actor.system("test")


def name(endpoint: Endpoint) -> None:
    beginning.name_addresses(endpoint, **NAMED, actor=STAFF, at=timezone.now())


@pytest.fixture
def endpoint(make_endpoint: Callable[..., Endpoint]) -> Endpoint:
    """It has another host than its sign-in, and nobody knows that yet."""
    return make_endpoint(host="records.example.org", has_server=False)


class TestAddressesThatAreSentTwice:
    def test_are_taken_once_and_switch_nothing_off(self, endpoint: Endpoint) -> None:
        """Asked again after the first press began a registration, the endpoint would be a stranger at its own
        sign-in."""
        as_read_before = Endpoint.objects.get(pk=endpoint.pk)
        for press in (endpoint, as_read_before):
            name(press)
            beginning.begin(press, actor=STAFF, at=timezone.now())
        assert (as_read_before.is_switched_on, as_read_before.is_stranger) == (True, False)
        assert ClientRegistration.objects.count() == 1
        written = AuditEvent.objects.filter(subject_id=str(endpoint.pk)).values_list("facts__action", flat=True)
        assert list(written) == ["addresses entered"]

    def test_leave_those_that_came_first(self, endpoint: Endpoint) -> None:
        as_read_before = Endpoint.objects.get(pk=endpoint.pk)
        name(endpoint)
        others = {**NAMED, "authorize_url": "https://else.example.org/a", "token_url": "https://else.example.org/t"}
        beginning.name_addresses(as_read_before, **others, actor=STAFF, at=timezone.now())
        assert as_read_before.authorization_server == endpoint.authorization_server
        assert AuthorizationServer.objects.count() == 1


class TestAnAuthorizationServerThatIsThere:
    def test_keeps_what_is_written_to_it_meanwhile(self, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
        there = AuthorizationServer.objects.create(source="configured", found_at=timezone.now(), **NAMED)
        as_ever = consistency.check_server

        def late(server: AuthorizationServer) -> None:
            AuthorizationServer.objects.filter(pk=server.pk).update(id_token_issuers=["https://issuer.example.org"])
            as_ever(server)

        monkeypatch.setattr(consistency, "check_server", late)
        name(endpoint)
        there.refresh_from_db()
        assert endpoint.authorization_server == there
        assert there.id_token_issuers == ["https://issuer.example.org"]
