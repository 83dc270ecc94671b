"""If a server refuses us as a system, operators see it until a token is granted again, and patients never do."""

from contextlib import suppress

import pytest

from apps.audit.models import AuditEvent
from apps.connections.link_health import overview
from apps.connections.link_health.findings import What
from apps.directory import system_refusals
from apps.directory.models import ClientRegistration, Endpoint
from apps.wire.errors import ClientRejected, Unavailable
from tests.directory.conftest import AT
from tests.directory.system_deployment import ANSWER, ask, endpoint, server
from tests.wire.servers import Server, http

__all__ = ["endpoint", "server"]  # fixtures

pytestmark = pytest.mark.django_db


class TestARefusal:
    """Nobody else would notice: an export is run now and then, by hand."""

    def refuse(self, endpoint: Endpoint, server: Server, error: str = "invalid_client") -> None:
        server.answer = lambda _request: [http(401, {"error": error, "error_description": "canary"})]
        with suppress(ClientRejected):
            ask(endpoint)

    def known(self) -> list[tuple[str, str]]:
        return [(one.registration.label, one.code) for one in system_refusals.standing()]

    def test_is_known_to_operators_until_the_next_token(self, endpoint, server, caplog):
        ask(endpoint)
        assert self.known() == []
        self.refuse(endpoint, server)
        assert self.known() == [("ours", "invalid_client")]
        (finding,) = overview.examine(at=AT).findings
        assert (finding.what, finding.code, finding.since_at) == (What.SYSTEM_REFUSED, "invalid_client", AT)
        assert "Staff must look into system access" in caplog.text
        server.answer = lambda _request: [http(200, ANSWER)]
        ask(endpoint)
        assert self.known() == []
        assert not overview.examine(at=AT).findings

    def test_is_told_once_and_again_where_it_is_another(self, endpoint, server, caplog):
        for error in ("invalid_client", "invalid_client", "unauthorized_client"):
            self.refuse(endpoint, server, error)
        assert self.known() == [("ours", "unauthorized_client")]
        assert caplog.text.count("Staff must look into system access") == 2
        noted = AuditEvent.objects.filter(event="registration.changed")
        assert [event.facts["action"] for event in noted] == ["system access refused"] * 2
        assert "canary" not in caplog.text

    @pytest.mark.parametrize("columns", [{"system_account": None}, {"status": "retired"}])
    def test_is_over_with_the_account_and_with_the_registration(self, endpoint, server, columns):
        self.refuse(endpoint, server)
        assert len(self.known()) == 1
        ClientRegistration.objects.update(**columns)
        assert self.known() == []

    def test_is_none_where_nobody_answered(self, endpoint, server):
        server.answer = lambda _request: [http(503)]
        with suppress(Unavailable):
            ask(endpoint)
        assert self.known() == []

    def test_is_looked_up_in_one_question_for_all(self, endpoint, server, django_assert_num_queries):
        self.refuse(endpoint, server)
        with django_assert_num_queries(2):  # the registrations, and what was noted last of each
            assert len(system_refusals.standing()) == 1
