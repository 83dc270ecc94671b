"""Importing a list in our own format: it can be repeated, gives a reason for each refused row, and a hostile list does
no harm."""

from datetime import timedelta

import pytest

from apps.audit.models import AuditEvent
from apps.directory.models import ApprovedOrigin, AuthorizationServer, ClientRegistration, Endpoint, Provider
from tests.directory.conftest import AT
from tests.directory.importing.lists import ROW, endpoint, import_rows, row

pytestmark = pytest.mark.django_db

BEFORE = AT - timedelta(days=1)


class TestAnImport:
    def test_stores_what_the_file_says(self):
        report = import_rows(ROW)
        assert (report.providers, report.endpoints, report.refusals) == (1, 1, [])
        provider = Provider.objects.get()
        assert (provider.name, provider.city, provider.kind) == ("Harbor Family Practice", "Portland", "practice")
        stored = provider.endpoints.get()
        assert stored.fhir_base_url == "https://fhir.harbor.example/r4"
        assert stored.authorization_server is not None
        assert stored.authorization_server.revocation_url == "https://auth.harbor.example/r4/revoke"
        assert AuditEvent.objects.get().event == "directory.imported"

    def test_twice_is_as_once(self):
        import_rows(ROW)
        before = [Provider.objects.values().get(), Endpoint.objects.values().get()]
        import_rows(ROW)
        assert [Provider.objects.values().get(), Endpoint.objects.values().get()] == before
        assert AuthorizationServer.objects.count() == 1

    def test_changes_what_changed(self):
        import_rows(ROW)
        import_rows(row(name="Harbor Health"))
        assert Provider.objects.get().name == "Harbor Health"

    def test_lets_several_providers_share_an_endpoint(self):
        import_rows(ROW, row(id="second", name="Second Practice"))
        assert Endpoint.objects.get().providers.count() == 2

    def test_never_touches_a_registration(self):
        import_rows(ROW)
        registration = ClientRegistration.objects.create(
            authorization_server=AuthorizationServer.objects.get(), label="ours", authentication="query"
        )
        before = ClientRegistration.objects.values().get(pk=registration.pk)
        import_rows(ROW)
        assert ClientRegistration.objects.values().get() == before

    def test_keeps_no_character_that_cannot_be_seen(self):
        import_rows(row(name="Harbor\x00 \u202eFamily\n\ud83dPrac\u200btice", city="Por\x1btland"))
        provider = Provider.objects.get()
        assert (provider.name, provider.city) == ("Harbor Family Practice", "Por tland")

    def test_marks_what_vanished_and_welcomes_it_back(self):
        import_rows(ROW, row(id="stays", endpoints=[]))
        later = AT + timedelta(days=1)
        assert import_rows(row(id="stays", endpoints=[]), at=later).vanished == 2
        assert Provider.objects.get(directory_id="harbor").vanished_at == later
        assert Endpoint.objects.get().vanished_at == later
        import_rows(ROW, row(id="stays", endpoints=[]))
        assert Endpoint.objects.get().vanished_at is None

    def test_keeps_an_endpoint_that_another_directory_still_lists(self):
        import_rows(ROW)
        import_rows(row(id="elsewhere"), name="theirs")
        import_rows(name="ours")
        assert Endpoint.objects.get().vanished_at is None
        assert Provider.objects.get(directory="theirs").vanished_at is None

    def test_marks_an_endpoint_a_provider_no_longer_has(self):
        import_rows(row(endpoints=[endpoint(), endpoint(fhir_base_url="https://old.harbor.example/r4")]))
        import_rows(ROW)
        assert Endpoint.objects.get(fhir_base_url="https://old.harbor.example/r4").vanished_at == AT
        assert Endpoint.objects.get(fhir_base_url="https://fhir.harbor.example/r4").vanished_at is None

    def test_leaves_a_provider_its_endpoints_while_one_of_them_is_refused(self):
        import_rows(row(endpoints=[endpoint(), endpoint(fhir_base_url="https://old.harbor.example/r4")]))
        report = import_rows(row(endpoints=[endpoint(), endpoint(fhir_base_url="http://old.harbor.example/r4")]))
        assert (report.refused, report.vanished) == (1, 0)
        assert Provider.objects.get().endpoints.filter(vanished_at__isnull=True).count() == 2

    def test_changes_where_permissions_are_given_back_unless_another_directory_says_otherwise(self):
        moved = "https://auth.harbor.example/r4/moved"
        server = {**ROW["endpoints"][0]["authorization_server"], "revocation_url": moved}
        import_rows(ROW)
        import_rows(row(endpoints=[endpoint(authorization_server=server)]))
        assert AuthorizationServer.objects.get().revocation_url == moved
        import_rows(ROW, name="theirs")
        assert AuthorizationServer.objects.get().revocation_url == moved

    def test_takes_nothing_for_vanished_while_a_row_cannot_be_read(self):
        import_rows(ROW)
        report = import_rows(row(name=""))
        assert len(report.refusals) == 1
        assert Provider.objects.get().vanished_at is None


REFUSED_ROWS = [
    (7, "it is not an object"),
    (row(id=""), "id is missing"),
    (row(id="x" * 201), "id is longer than 200 characters"),
    (row(name=None), "name is missing"),
    (row(name=["a"]), "name is not text"),
    (row(name="\u202e\ud800"), "name is missing"),
    (row(kind="spa"), "kind is not one of"),
    (row(is_sandbox="no"), "is_sandbox is neither true nor false"),
    (row(endpoints={}), "endpoints is not a list"),
    (row(website="javascript:alert(1)"), "website is not a link"),
]
REFUSED_ENDPOINTS = [
    ("text", "it is not an object"),
    (endpoint(fhir_version="r5"), "fhir_version is not one of"),
    (endpoint(interface="soap"), "interface is not one of"),
    (endpoint(dialect="klingon"), "dialect is not one we know"),
    (endpoint(dialect="smart"), "dialect belongs to another interface"),
    (endpoint(authorization_server=[]), "it is not an object"),
    (endpoint(authorization_server={"authorize_url": "https://a.example/a"}), "token_url is missing"),
    (endpoint(fhir_base_url="http://fhir.harbor.example/r4"), "fhir_base_url does not begin with https://"),
    (endpoint(fhir_base_url="https://10.0.0.7/r4"), "fhir_base_url is not on the public network"),
    (endpoint(fhir_base_url="https://169.254.169.254/r4"), "fhir_base_url is not on the public network"),
    (
        endpoint(fhir_base_url="https://fhir.harbor.example:8443/r4"),
        "fhir_base_url has a port that staff have not approved",
    ),
    (endpoint(fhir_base_url="https://user:pass@harbor.example/r4"), "fhir_base_url carries a user name"),
    (endpoint(fhir_base_url="https://harbor.example/?q=1"), "fhir_base_url has a part behind ?"),
    (endpoint(fhir_base_url="https://harbor.example/r4?"), "fhir_base_url has a part behind ?"),
    (endpoint(fhir_base_url="https://harbor.example/r4#q"), "fhir_base_url has a part after #"),
    (endpoint(fhir_base_url="ftp://harbor.example/r4"), "fhir_base_url does not begin with https://"),
    (endpoint(fhir_base_url="https://har\u00adbor.example/r4"), "fhir_base_url has characters that no address has"),
]


@pytest.fixture
def registered():
    """We are registered at the authorization server of ROW."""
    import_rows(ROW)
    server = AuthorizationServer.objects.get()
    return ClientRegistration.objects.create(authorization_server=server, label="ours", authentication="query")


class TestAFileThatMayBeHostile:
    """Anybody can publish a directory. Tokens go nowhere just because a row says so."""

    def test_cannot_send_the_tokens_of_a_server_to_a_host_of_its_own(self, registered):
        theft = row(id="theft", endpoints=[endpoint(fhir_base_url="https://fhir.thief.example/r4")])
        report = import_rows(theft, name="theirs")
        assert report.waiting == ["https://fhir.thief.example/r4"]
        thief = Endpoint.objects.get(fhir_base_url="https://fhir.thief.example/r4")
        assert (thief.is_switched_on, thief.is_stranger) == (False, True)
        assert not Endpoint.objects.get(fhir_base_url=endpoint()["fhir_base_url"]).is_stranger

    def test_cannot_do_so_later_with_an_endpoint_that_was_harmless(self, registered):
        own = {"authorize_url": "https://auth.thief.example/a", "token_url": "https://auth.thief.example/t"}
        harmless = endpoint(fhir_base_url="https://fhir.thief.example/r4", authorization_server=own)
        assert import_rows(row(id="theft", endpoints=[harmless]), name="theirs").waiting == []
        turned = endpoint(fhir_base_url="https://fhir.thief.example/r4")
        import_rows(row(id="theft", endpoints=[turned]), name="theirs")
        assert not Endpoint.objects.get(fhir_base_url="https://fhir.thief.example/r4").is_switched_on

    def test_is_told_from_what_staff_had_switched_off_before(self, registered):
        own = {"authorize_url": "https://auth.thief.example/a", "token_url": "https://auth.thief.example/t"}
        harmless = endpoint(fhir_base_url="https://fhir.thief.example/r4", authorization_server=own)
        import_rows(row(id="theft", endpoints=[harmless]), name="theirs")
        off = Endpoint.objects.filter(fhir_base_url="https://fhir.thief.example/r4")
        off.update(is_switched_on=False, switched_off_at=BEFORE)
        import_rows(row(id="theft", endpoints=[endpoint(fhir_base_url="https://fhir.thief.example/r4")]), name="theirs")
        assert (off.get().is_stranger, off.get().switched_off_at) == (True, BEFORE)

    def test_adds_endpoints_where_there_is_one_that_staff_left_on(self, registered):
        report = import_rows(
            ROW, row(id="next", endpoints=[endpoint(fhir_base_url="https://fhir.harbor.example/b/r4")])
        )
        assert report.waiting == []
        assert Endpoint.objects.filter(is_switched_on=True).count() == 2

    def test_is_read_to_its_end_where_an_origin_staff_had_approved_no_longer_is(self, registered):
        approved = ApprovedOrigin.objects.create(
            origin="https://fhir.harbor.example:8443", reason="a test", approved_at=AT
        )
        import_rows(ROW, row(id="port", endpoints=[endpoint(fhir_base_url=f"{approved.origin}/r4")]))
        Endpoint.objects.update(is_switched_on=True)
        approved.delete()
        third = endpoint(fhir_base_url="https://third.harbor.example/r4")
        assert import_rows(ROW, row(id="third", endpoints=[third])).waiting == [third["fhir_base_url"]]

    def test_says_again_what_staff_have_not_switched_on_and_leaves_on_what_they_have(self, registered):
        rows = (ROW, row(id="next", endpoints=[endpoint(fhir_base_url="https://second.harbor.example/r4")]))
        import_rows(*rows)
        assert import_rows(*rows).waiting == ["https://second.harbor.example/r4"]
        Endpoint.objects.update(is_switched_on=True)
        assert import_rows(*rows).waiting == []

    @pytest.mark.parametrize(
        "changes",
        [
            {"authorization_server": {"authorize_url": "https://a.thief.example/a", "token_url": "https://a.thief.example/t"}},
            {"authorization_server": None},
            {"tenant": "theirs"},
            {"fhir_version": "dstu2"},
        ],
        ids=["another server", "no server", "another tenant", "another version"],
    )  # fmt: skip
    def test_cannot_turn_an_endpoint_that_another_directory_lists(self, registered, changes):
        before = Endpoint.objects.values().get()
        report = import_rows(row(id="turned", endpoints=[endpoint(**changes)]), name="theirs")
        assert "another directory describes the same endpoint differently" in report.refusals[0].reason
        assert Endpoint.objects.values().get() == before


class TestASmartDeployment:
    ROW = endpoint(interface="smart", dialect="smart", authorization_server=None)

    def discovered(self) -> Endpoint:
        """The endpoint of the row, paired as discovery pairs."""
        import_rows(row(endpoints=[self.ROW]))
        server = AuthorizationServer.objects.create(
            source="discovered", authorize_url="https://a.example/a", token_url="https://a.example/t", found_at=AT
        )
        Endpoint.objects.update(authorization_server=server)
        return Endpoint.objects.get()

    def test_keeps_what_was_discovered_whatever_a_file_says(self):
        found = self.discovered()
        named = endpoint(interface="smart", dialect="smart")
        for endpoints in ([self.ROW], [named]):
            assert import_rows(row(endpoints=endpoints)).refusals == []
            assert Endpoint.objects.get().authorization_server == found.authorization_server

    def test_may_be_listed_by_a_second_directory_that_names_no_addresses(self):
        found = self.discovered()
        assert import_rows(row(id="other", endpoints=[self.ROW]), name="theirs").refusals == []
        assert Endpoint.objects.get().authorization_server == found.authorization_server

    def test_that_was_not_discovered_yet_takes_what_a_file_says(self):
        import_rows(row(endpoints=[self.ROW]))
        import_rows(row(endpoints=[endpoint(interface="smart", dialect="smart")]))
        server = Endpoint.objects.get().authorization_server
        assert server is not None
        assert server.token_url == "https://auth.harbor.example/r4/token"


class TestARowThatIsRefused:
    @pytest.mark.parametrize(("refused", "reason"), REFUSED_ROWS, ids=[reason for _row, reason in REFUSED_ROWS])
    def test_is_named_with_its_reason_and_stops_no_other(self, refused, reason):
        report = import_rows(refused, row(id="fine"))
        (refusal,) = report.refusals
        assert refusal.where == "provider 1"
        assert reason in refusal.reason
        assert Provider.objects.get().directory_id == "fine"

    @pytest.mark.parametrize(
        ("refused", "reason"), REFUSED_ENDPOINTS, ids=[str(n) for n in range(len(REFUSED_ENDPOINTS))]
    )
    def test_may_be_an_endpoint_of_a_provider_that_is_fine(self, refused, reason):
        report = import_rows(row(endpoints=[refused, endpoint(fhir_base_url="https://fine.example/r4")]))
        (refusal,) = report.refusals
        assert refusal.where == "provider 1, endpoint 1"
        assert reason in refusal.reason
        assert Endpoint.objects.get().fhir_base_url == "https://fine.example/r4"

    @pytest.mark.parametrize("field", ["authorize_url", "token_url", "revocation_url"])
    def test_may_have_an_unsafe_address_of_its_authorization_server(self, field):
        server = {**ROW["endpoints"][0]["authorization_server"], field: "https://127.0.0.1/x"}
        report = import_rows(row(endpoints=[endpoint(authorization_server=server)]))
        assert f"{field} is not on the public network" in report.refusals[0].reason
        assert not AuthorizationServer.objects.exists()

    @pytest.mark.conformance("C1")
    def test_crosses_the_versions_of_an_authorization_server(self):
        crossing = endpoint(fhir_base_url="https://fhir.harbor.example/dstu2", fhir_version="dstu2")
        report = import_rows(row(endpoints=[endpoint(), crossing]))
        assert "belongs to the other FHIR version" in report.refusals[0].reason
        assert Endpoint.objects.get().fhir_version == "r4"

    @pytest.mark.conformance("C73")
    def test_mixes_the_sandbox_with_production(self):
        of_the_sandbox = row(id="practice", is_sandbox=True)
        assert "same endpoint" in import_rows(ROW, of_the_sandbox).refusals[0].reason
        elsewhere = row(id="p2", is_sandbox=True, endpoints=[endpoint(fhir_base_url="https://other.example/r4")])
        assert "cannot be mixed" in import_rows(ROW, elsewhere).refusals[0].reason
        assert not Endpoint.objects.filter(is_sandbox=True).exists()
