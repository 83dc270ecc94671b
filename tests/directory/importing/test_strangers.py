"""The audit log says which endpoints an import switched off, and who ran it."""

import pytest

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor
from apps.directory import enabling, linkability, reaching
from apps.directory.linkability import Obstacle
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint
from tests.directory.conftest import AT
from tests.directory.importing.lists import ROW, endpoint, import_rows, row

pytestmark = pytest.mark.django_db


@pytest.fixture
def registered() -> ClientRegistration:
    """We are registered at the authorization server of ROW."""
    import_rows(ROW)
    server = AuthorizationServer.objects.get()
    return ClientRegistration.objects.create(authorization_server=server, label="ours", authentication="query")


def switched_off() -> list[str]:
    events = AuditEvent.objects.filter(event="directory.changed", facts__action="switched off", subject="endpoint")
    return sorted(events.values_list("subject_id", flat=True))


class TestAStranger:
    def test_is_written_down_once_when_it_is_switched_off(self, registered):
        hosts = ("one", "two")
        theft = [row(id=host, endpoints=[endpoint(fhir_base_url=f"https://{host}.thief.example/r4")]) for host in hosts]
        import_rows(*theft, name="theirs")
        strangers = Endpoint.objects.filter(is_switched_on=False).values_list("pk", flat=True)
        assert switched_off() == sorted(map(str, strangers))
        assert len(switched_off()) == len(hosts)
        by = AuditEvent.objects.filter(event__in=["directory.changed", "directory.imported"])
        assert len(set(by.values_list("actor_kind", "actor_name"))) == 1
        import_rows(*theft, name="theirs")
        assert len(switched_off()) == len(hosts)

    def test_is_not_written_down_where_nothing_is_switched_off(self, registered):
        import_rows(ROW, row(id="next", endpoints=[endpoint(fhir_base_url="https://fhir.harbor.example/b/r4")]))
        assert switched_off() == []


class TestATokenAddressMovedToAnotherHost:
    def test_is_sent_nothing_of_links_there_are_and_takes_no_new_ones(self, registered):
        before = registered.authorization_server
        moved = {**ROW["endpoints"][0]["authorization_server"], "token_url": "https://token.harbor.example/r4/token"}
        del moved["revocation_url"]
        report = import_rows(row(endpoints=[endpoint(authorization_server=moved)]))
        assert (report.waiting, report.parted) == ([], [ROW["endpoints"][0]["fhir_base_url"]])
        here = Endpoint.objects.get()
        assert here.authorization_server is not None
        assert here.authorization_server.token_url == moved["token_url"]
        assert reaching.authorization_server(here, registered) == before
        assert linkability.obstacle(here, at=AT) == Obstacle.NO_REGISTRATION

    def test_at_the_same_host_is_asked_for_links_there_are_and_told_of_unless_we_serve_it_there(self, registered):
        here = Endpoint.objects.get()
        for number in (2, 3):
            moved = {
                **ROW["endpoints"][0]["authorization_server"],
                "token_url": f"https://auth.harbor.example/t{number}",
            }
            report = import_rows(row(endpoints=[endpoint(authorization_server=moved)]))
            here.refresh_from_db()
            assert reaching.authorization_server(here, registered).token_url == moved["token_url"]
            assert report.parted == ([here.fhir_base_url] if number == 2 else [])
            enabling.serve(registered, here, actor=Actor.system("test"), at=AT)
