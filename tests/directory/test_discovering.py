"""What a discovery stores: addresses are followed within the origins that we know, and never beyond."""

from datetime import timedelta

import pytest

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor
from apps.directory import credentials, discovering, enabling, reaching, registering
from apps.directory.linkability import Obstacle
from apps.directory.models import ApprovedOrigin, AuthorizationServer, ClientRegistration, Enablement, Endpoint
from apps.wire import token_endpoint
from apps.wire.errors import Code, EndpointMisconfigured, Unavailable, UnsafeAddress, WireError
from apps.wire.secret import Secret
from tests.directory.conftest import AT
from tests.directory.smart_deployment import CONFIGURATION, LOGIN, register, statement
from tests.wire.servers import Recorded, http, serving

pytestmark = pytest.mark.django_db


class TestADiscovery:
    @pytest.mark.conformance("C22")
    def test_keeps_everything_the_server_says_of_itself_and_when(self, root):
        server = root.discover()
        assert server == AuthorizationServer.objects.get()
        assert (server.source, server.found_at, server.checked_at) == ("discovered", AT, AT)
        assert (server.authorize_url, server.token_url) == (f"{LOGIN}/authorize", f"{LOGIN}/token")
        assert server.revocation_url == f"{LOGIN}/token/revoke"
        assert server.management_url == f"{LOGIN}/my-authorizations"
        assert server.introspection_url == "https://login.example/tokeninfo"
        assert server.jwks_url == "https://login.example/jwk"
        assert (server.issuer, server.id_token_issuers, server.names_issuer) == (LOGIN, [LOGIN], True)
        assert (server.capabilities, server.pkce_methods) == (["launch-standalone", "permission-v2"], ["S256"])
        assert server.scopes_supported == ["openid", "patient/Goal.rs"]
        assert (root.endpoint.discovered_at, root.endpoint.discovery_fault) == (AT, "")
        assert root.endpoint.authorization_server == server

    def test_is_written_down_once_and_not_whenever_it_is_confirmed(self, root):
        for _ in range(2):
            root.discover()
        (event,) = AuditEvent.objects.all()
        assert (event.event, event.subject_id) == ("directory.changed", str(root.endpoint.pk))
        assert event.facts == {"action": "discovered"}

    @pytest.mark.conformance("C22")
    def test_follows_a_path_that_changed_and_takes_the_registration_along(self, root):
        registration = register(root.discover())
        root.says(token_endpoint="https://login.example/unheard/of/hosts/fhir/token")
        server = root.discover(AT + timedelta(days=2))
        assert server.token_url == "https://login.example/unheard/of/hosts/fhir/token"
        assert server.found_at == AT + timedelta(days=2)
        assert registering.standing_at(root.endpoint) == registration
        assert reaching.token_endpoint(root.endpoint, registration).url == server.token_url

    def test_leaves_the_addresses_of_another_version_alone_where_they_were_shared(self, make_root):
        first, second = make_root(), make_root("/dstu2/one", fhir_version="dstu2")
        assert first.discover() == second.discover()
        registration = register(first.endpoint.authorization_server)
        first.says(token_endpoint=f"{LOGIN}/new/token")
        first.discover()
        assert AuthorizationServer.objects.get(endpoints=second.endpoint.pk).token_url == f"{LOGIN}/token"
        second.discover()
        assert first.endpoint.authorization_server.token_url == f"{LOGIN}/new/token"
        assert second.endpoint.authorization_server.token_url == f"{LOGIN}/token"
        assert registering.standing_at(first.endpoint) == registering.standing_at(second.endpoint) == registration
        second.says(token_endpoint=f"{LOGIN}/new/token")
        assert second.discover() == first.endpoint.authorization_server
        assert registering.standing_at(second.endpoint) == registration
        assert second.endpoint.is_switched_on

    def test_of_one_version_leaves_what_only_the_other_has_where_they_share_a_server(self, make_root):
        newer, older = make_root(), make_root("/dstu2/one", fhir_version="dstu2")
        newer.says(scopes_supported=["openid", "patient/MedicationRequest.read", "patient/Goal.read", "patient/*.rs"])
        newer.discover()
        newer.says(scopes_supported=["openid", "patient/MedicationRequest.read", "patient/Goal.read"])
        older.says(scopes_supported=["openid", "patient/MedicationOrder.read", "patient/Device.read"])
        for root in (older, newer, older, newer):
            server = root.discover()
        assert server.scopes_supported == [
            *("openid", "patient/MedicationRequest.read", "patient/Goal.read", "patient/MedicationOrder.read")
        ]
        newer.says(scopes_supported=["openid", "patient/Goal.read"])
        assert newer.discover().scopes_supported == ["openid", "patient/Goal.read", "patient/MedicationOrder.read"]

    @pytest.mark.conformance("C23")
    def test_notes_where_the_documents_disagree_and_what_was_refused(self, root):
        root.metadata = statement(
            authorize=f"{LOGIN}/authorize", token=f"{LOGIN}/old/token", manage="http://x.example/"
        )
        server = root.discover()
        assert server.token_url == f"{LOGIN}/token"
        assert root.endpoint.disagreements == ["token_url differs", "management_url refused"]
        root.metadata = 404
        root.discover()
        assert root.endpoint.disagreements == []

    def test_erases_nothing_that_a_lesser_document_does_not_say(self, root):
        root.discover()
        root.configuration = 404
        root.metadata = statement(authorize=f"{LOGIN}/authorize", token=f"{LOGIN}/token")
        server = root.discover()
        assert (server.issuer, server.pkce_methods) == (LOGIN, ["S256"])
        assert server.revocation_url == f"{LOGIN}/token/revoke"

    def test_erases_what_the_server_no_longer_has(self, root):
        root.discover()
        root.configuration = {name: CONFIGURATION[name] for name in ("authorization_endpoint", "token_endpoint")}
        server = root.discover()
        assert (server.revocation_url, server.pkce_methods, server.names_issuer) == ("", None, False)

    @pytest.mark.parametrize(
        ("members", "note"),
        [
            ({"revocation_endpoint": "https://elsewhere.example/revoke"}, "revocation_url foreign"),
            ({"introspection_endpoint": "https://elsewhere.example/look"}, "introspection_url foreign"),
            ({"jwks_uri": "https://login.example/" + "x" * 1000}, "jwks_url too long"),
            ({"issuer": "https://login.example/" + "x" * 1000}, "issuer too long"),
        ],
    )
    def test_does_not_keep_an_address_that_tokens_must_not_go_to_or_no_column_holds(self, root, members, note):
        root.says(**members)
        server = root.discover()
        assert root.endpoint.disagreements == [note]
        assert not {*members.values()} & {server.revocation_url, server.introspection_url, server.issuer}

    def test_leaves_out_names_that_no_column_holds(self, root):
        root.says(capabilities=["x" * 101, "sso-openid-connect"], code_challenge_methods_supported=["y" * 21])
        server = root.discover()
        assert (server.capabilities, server.pkce_methods) == (["sso-openid-connect"], [])

    def test_keeps_the_issuers_that_staff_added_and_replaces_the_one_it_learned(self, root):
        server = root.discover()
        server.id_token_issuers = [LOGIN, "https://identity.example/idsps/9/"]
        server.save()
        root.says(issuer=f"{LOGIN}/new")
        assert root.discover().id_token_issuers == [f"{LOGIN}/new", "https://identity.example/idsps/9/"]

    def test_does_not_follow_an_issuer_to_another_origin(self, root):
        root.discover()
        root.says(issuer="https://elsewhere.example/one")
        server = root.discover()
        assert (server.issuer, server.id_token_issuers) == (LOGIN, [LOGIN])
        assert root.endpoint.disagreements == ["issuer moved"]


class TestAddressesThatMoved:
    MOVES = (
        {"token_endpoint": "https://rogue.example/token"},
        {"authorization_endpoint": "https://rogue.example/authorize"},
        {"token_endpoint": "https://login.example:8443/token"},
        {"token_endpoint": "http://127.0.0.1:9/token"},
    )

    @pytest.mark.parametrize("members", MOVES)
    def test_are_not_followed_and_stop_linking(self, root, members, settings):
        registration = register(root.discover())
        assert root.obstacle() is None
        ApprovedOrigin.objects.create(origin="https://login.example:8443", reason="a test", approved_at=AT)
        root.says(**members)
        with pytest.raises(discovering.AddressesMoved):
            root.discover()
        server = AuthorizationServer.objects.get()
        assert (server.authorize_url, server.token_url) == (f"{LOGIN}/authorize", f"{LOGIN}/token")
        assert root.obstacle() is Obstacle.ADDRESSES_MOVED
        assert reaching.token_endpoint(root.endpoint, registration).url == f"{LOGIN}/token"
        (note,) = root.endpoint.disagreements
        assert " moved to http" in note

    def test_are_written_down_once(self, root):
        root.discover()
        root.says(token_endpoint="https://rogue.example/token")
        for _ in range(2):
            with pytest.raises(discovering.AddressesMoved):
                root.discover()
        actions = [event.facts["action"] for event in AuditEvent.objects.order_by("pk")]
        assert actions == ["discovered", "addresses moved"]
        assert root.endpoint.disagreements == ["token_url moved to https://rogue.example:443"]

    def test_heal_when_they_are_as_before(self, root):
        register(root.discover())
        root.says(token_endpoint="https://rogue.example/token")
        with pytest.raises(discovering.AddressesMoved):
            root.discover()
        root.says(token_endpoint=f"{LOGIN}/token")
        root.discover()
        assert root.obstacle() is None
        assert root.endpoint.disagreements == []

    def test_are_taken_once_staff_let_go_of_the_old_ones(self, root):
        root.discover()
        root.says(token_endpoint="https://new.example/token")
        Endpoint.objects.update(authorization_server=None)
        assert root.discover().token_url == "https://new.example/token"


class TestADiscoveryThatFails:
    @pytest.mark.conformance("C21")
    def test_for_want_of_any_document_leaves_nothing_guessed(self, root):
        root.configuration = 404
        with pytest.raises(EndpointMisconfigured):
            root.discover()
        assert not AuthorizationServer.objects.exists()
        assert root.endpoint.discovery_fault == Code.NO_SMART_CONFIGURATION
        assert root.obstacle() is Obstacle.NO_ADDRESSES

    def test_for_a_while_leaves_it_undiscovered(self, root):
        root.configuration = root.metadata = 503
        with pytest.raises(Unavailable):
            root.discover()
        assert root.obstacle() is Obstacle.NOT_DISCOVERED

    @pytest.mark.parametrize("status", [404, 503])
    def test_afterwards_keeps_the_addresses_there_are(self, root, status):
        register(root.discover())
        root.configuration = root.metadata = status
        with pytest.raises(WireError):
            root.discover(AT + timedelta(days=2))
        assert root.endpoint.discovery_fault
        assert root.endpoint.discovered_at == AT
        assert root.obstacle() is None

    def test_because_an_address_does_not_fit_is_said(self, root):
        root.says(token_endpoint="https://login.example/" + "x" * 1000)
        with pytest.raises(WireError):
            root.discover()
        assert root.endpoint.discovery_fault == Code.UNSAFE_ADDRESS

    def test_is_that_of_an_endpoint_whose_addresses_are_configured(self, make_root):
        root = make_root(interface="patient-access", dialect="patient-access")
        with pytest.raises(EndpointMisconfigured):
            root.discover()
        assert not AuthorizationServer.objects.exists()

    @pytest.mark.conformance("C73")
    def test_never_pairs_the_sandbox_with_a_production_server(self, make_root):
        make_root().discover()
        practice = make_root(is_sandbox=True)
        with pytest.raises(UnsafeAddress):
            practice.discover()
        assert practice.endpoint.authorization_server is None
        assert practice.obstacle() is Obstacle.NOT_DISCOVERED  # no page could show a move, and nobody looks at one


class TestARogueFhirRoot:
    """It can name any addresses; it gets nothing that was given for others."""

    def test_that_names_a_genuine_server_is_switched_off_until_staff_look(self, make_root):
        register(make_root().discover())
        rogue = make_root()
        rogue.says(issuer="https://login.example/rogue", jwks_uri="https://rogue.example/jwk")
        server = rogue.discover()
        assert rogue.obstacle() is Obstacle.STRANGER
        assert Endpoint.objects.get(pk=rogue.endpoint.pk).switched_off_at == AT
        assert (server.issuer, server.jwks_url) == (LOGIN, "https://login.example/jwk")
        assert rogue.endpoint.disagreements == ["not believed: the endpoint is switched off"]

    def test_that_was_switched_off_cannot_turn_the_genuine_server(self, make_root):
        register(make_root().discover())
        rogue = make_root()
        rogue.discover()
        rogue.says(token_endpoint=f"{LOGIN}/other/token")
        rogue.discover()
        assert AuthorizationServer.objects.get().token_url == f"{LOGIN}/token"

    def test_that_names_a_server_which_a_registration_beside_it_serves_is_not_believed_either(self, make_root):
        genuine, neighbor = make_root(), make_root("/r4/two")
        neighbor.says(authorization_endpoint="https://login.example/tenants/two/authorize")
        registration = register(neighbor.discover())
        server = genuine.discover()
        enabling.serve(registration, genuine.endpoint, actor=Actor.system("test"), at=AT)
        rogue = make_root()
        rogue.says(management_endpoint="https://rogue.example/sign-in", issuer="https://login.example/rogue")
        assert rogue.discover() == server
        server.refresh_from_db()
        assert (server.management_url, server.issuer) == (f"{LOGIN}/my-authorizations", LOGIN)
        assert not Endpoint.objects.get(pk=rogue.endpoint.pk).is_switched_on

    @pytest.mark.conformance("C31")
    @pytest.mark.parametrize("foreign", ["authorization_endpoint", "token_endpoint"])
    def test_that_names_one_foreign_address_has_no_registration_even_if_one_is_said_to_serve_it(
        self, make_root, foreign
    ):
        genuine = make_root()
        registration = register(genuine.discover())
        rogue = make_root()
        rogue.says(**{foreign: "https://rogue.example/here"})
        rogue.discover()
        Enablement.objects.create(registration=registration, endpoint=rogue.endpoint, since_at=AT)
        assert registering.standing_at(rogue.endpoint) is None
        assert rogue.obstacle() is Obstacle.NO_REGISTRATION
        assert reaching.authorization_server(rogue.endpoint, registration) == genuine.endpoint.authorization_server

    @pytest.mark.conformance("C31")
    def test_never_gets_a_secret_a_code_or_a_token(self, make_root):
        received: list[Recorded] = []

        def token(request: Recorded) -> list[bytes]:
            received.append(request)
            return [http(200, {"access_token": "a", "token_type": "Bearer", "expires_in": 60})]

        with serving(token) as genuine, serving(token) as thief:
            root = make_root()
            root.says(authorization_endpoint=genuine.url("/authorize"), token_endpoint=genuine.url("/token"))
            root.says(revocation_endpoint=genuine.url("/revoke"))
            registration = register(root.discover())
            ClientRegistration.objects.update(authentication="client_secret_basic")
            registration.refresh_from_db()
            credentials.keep(registration, Secret("canary-secret"), at=AT)
            root.says(token_endpoint=thief.url("/token"), revocation_endpoint=thief.url("/revoke"))
            with pytest.raises(discovering.AddressesMoved):
                root.discover()
            # and though somebody had written the thief's addresses into our own rows:
            wrong = AuthorizationServer.objects.create(
                source="discovered",
                authorize_url=genuine.url("/authorize"),
                token_url=thief.url("/token"),
                revocation_url=thief.url("/revoke"),
                found_at=AT,
            )
            Endpoint.objects.filter(pk=root.endpoint.pk).update(authorization_server=wrong)
            endpoint = Endpoint.objects.get(pk=root.endpoint.pk)
            there = reaching.token_endpoint(endpoint, registration)
            token_endpoint.exchange(there, code=Secret("canary-code"), redirect_uri="https://us.example/back")
            token_endpoint.refresh(there, refresh_token=Secret("canary-refresh"))
            token_endpoint.revoke(there, token=Secret("canary-refresh"))
            assert len(received) == len(genuine.requests) == 3
            assert thief.requests == []
