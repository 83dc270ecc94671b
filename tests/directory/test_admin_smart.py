"""SMART deployments in the admin: what was discovered, keys, organizations, and who may see these pages."""

import html
import json

import pytest
from django.test import Client
from django.utils import formats
from django.utils.timezone import localtime

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor
from apps.directory import enabling, reaching, registering, signing
from apps.directory.models import AuthorizationServer, ClientRegistration, Enablement, Endpoint, SigningKey
from tests.directory.conftest import AT
from tests.directory.smart_deployment import LOGIN, register, statement

pytestmark = pytest.mark.django_db

BACKEND = "allauth.account.auth_backends.AuthenticationBackend"
ACTOR = Actor.system("test")


def page(staff: Client, address: str) -> str:
    answer = staff.get(address)
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def act(staff: Client, model: str, action: str, *rows: object) -> str:
    chosen = [str(row.pk) for row in rows]  # type: ignore[attr-defined]
    fields = {"action": action, "_selected_action": chosen}
    return html.unescape(staff.post(f"/admin/directory/{model}/", fields, follow=True).content.decode())


class TestAnEndpointOfASmartDeployment:
    def test_shows_when_it_was_discovered_and_what_disagrees(self, staff, root):
        root.metadata = statement(authorize=f"{LOGIN}/authorize", token=f"{LOGIN}/old")
        root.discover()
        shown = page(staff, f"/admin/directory/endpoint/{root.endpoint.pk}/change/")
        assert "token_url differs" in shown
        assert formats.localize(localtime(AT)) in shown
        assert root.url in page(staff, "/admin/directory/endpoint/?disagrees=yes")
        Endpoint.objects.update(disagreements=[])
        assert root.url not in page(staff, "/admin/directory/endpoint/?disagrees=yes")

    def test_says_that_it_was_not_discovered(self, staff, root):
        assert "not discovered" in page(staff, "/admin/directory/endpoint/")

    def test_is_discovered_again_by_action(self, staff, root, stella):
        shown = act(staff, "endpoint", "discover_again", root.endpoint)
        assert f"Discovered: people of {root.url} sign in at {LOGIN}/authorize" in shown
        assert Endpoint.objects.get().authorization_server is not None
        event = AuditEvent.objects.get(event="directory.changed")
        assert (event.actor_id, event.facts["action"]) == (stella.pk, "discovered")

    def test_says_what_failed(self, staff, root):
        root.configuration = 404
        shown = act(staff, "endpoint", "discover_again", root.endpoint)
        assert f"Not discovered: {root.url}: An address of the endpoint" in shown
        assert "(no_smart_configuration)" in shown

    def test_is_not_discovered_with_more_than_a_few_others(self, staff, make_root):
        roots = [make_root() for _ in range(11)]
        shown = act(staff, "endpoint", "discover_again", *(root.endpoint for root in roots))
        assert "At most 10 at once" in shown
        assert not AuthorizationServer.objects.exists()

    def test_makes_as_many_queries_in_a_list_of_many_as_of_one(self, staff, make_root, django_assert_max_num_queries):
        for number in range(8):
            root = make_root()
            root.says(token_endpoint=f"{LOGIN}/{number}/token")
            register(root.discover())
        with django_assert_max_num_queries(16):
            page(staff, "/admin/directory/endpoint/")


class TestADiscoveredServer:
    @pytest.fixture
    def address(self, root) -> str:
        return f"/admin/directory/authorizationserver/{root.discover().pk}/change/"

    def fields(self, **changes: str) -> dict[str, str]:
        given = {"source": "discovered", "revocation_url": f"{LOGIN}/token/revoke", "issuer": LOGIN}
        return {**given, "id_token_issuers": LOGIN, **changes}

    def test_shows_what_it_says_of_itself(self, staff, root, address):
        shown = page(staff, address)
        for text in (f"{LOGIN}/my-authorizations", "https://login.example/jwk", "launch-standalone", "S256"):
            assert text in shown
        Endpoint.objects.update(disagreements=["token_url differs"])
        AuthorizationServer.objects.update(pkce_methods=None)
        shown = page(staff, address)
        assert "token_url differs" in shown
        assert "it does not say" in shown

    def test_takes_the_issuers_that_staff_know(self, staff, address):
        added = "https://login.example/oidc/idsps/9/"
        answer = staff.post(address, self.fields(id_token_issuers=f"{LOGIN}\r\n{added}\r\n"))
        assert answer.status_code == 302
        assert AuthorizationServer.objects.get().id_token_issuers == [LOGIN, added]
        event = AuditEvent.objects.latest("pk")
        assert event.facts == {"action": "changed", "changed": "id_token_issuers"}

    def test_refuses_an_issuer_we_would_not_connect_to(self, staff, address):
        answer = staff.post(address, self.fields(id_token_issuers="https://10.0.0.1/"))
        assert "it is not on the public network" in answer.content.decode()
        assert AuthorizationServer.objects.get().id_token_issuers == [LOGIN]


class TestARegistrationOfASmartApplication:
    def test_shows_what_to_register_and_takes_what_was_chosen(self, staff, root):
        registration = register(root.discover())
        key = signing.make(actor=ACTOR, at=AT)
        retired = signing.make(actor=ACTOR, at=AT)
        signing.give_up(retired, actor=ACTOR, at=AT)
        address = f"/admin/directory/clientregistration/{registration.pk}/change/"
        shown = page(staff, address)
        assert f"http://testserver/connect/launch/{registration.launch_id}/" in shown
        assert key.kid in shown
        assert retired.kid not in shown
        fields = {
            "label": "ours", "client_id": "holdfast", "authentication": "private_key_jwt", "versions_added": "r4",
            "signing_key": str(key.pk), "smart_version": "v1", "refresh_scope": "offline_access", "scope": "",
            "asks_identity": "on", "uses_pkce": "on", "sends_state": "false", "refresh_window_hours": "",
            "minimum_refresh_seconds": "60", "new_secret": "",
        }  # fmt: skip
        assert staff.post(address, fields).status_code == 302
        row = ClientRegistration.objects.get()
        assert (row.signing_key, row.authentication, row.smart_version) == (key, "private_key_jwt", "v1")
        assert (row.refresh_scope, row.asks_identity, row.sends_state) == ("offline_access", True, False)


class TestARegistrationAddedByHand:
    @pytest.mark.parametrize(
        ("source", "written", "hours"),
        [("discovered", "", None), ("discovered", "72", 72), ("configured", "", 48), ("configured", "72", 72)],
    )
    def test_has_the_refresh_window_its_interface_states(self, staff, root, source, written, hours):
        """The 48 hours of the other interface would end the links of a SMART deployment for no reason."""
        server = root.discover()
        AuthorizationServer.objects.update(source=source)
        Endpoint.objects.update(dialect="smart" if source == "discovered" else "patient-access")
        address = "/admin/directory/clientregistration/add/"
        shown = page(staff, address)
        offered = shown[shown.index('name="refresh_window_hours"') :].partition(">")[0]
        assert "value=" not in offered
        fields = {
            "authorization_server": str(server.pk), "label": "ours", "client_id": "holdfast", "authentication": "none",
            "versions_added": "r4", "signing_key": "", "smart_version": "v2", "scope": "", "refresh_scope": "",
            "sends_state": "unknown", "refresh_window_hours": written, "minimum_refresh_seconds": "60",
            "new_secret": "",
        }  # fmt: skip
        assert staff.post(address, fields).status_code == 302
        made = ClientRegistration.objects.get()
        assert reaching.dialect(Endpoint.objects.get(), made).refresh_window_hours == hours


class TestASigningKeyInTheAdmin:
    @pytest.mark.conformance("C70")
    def test_is_made_there_and_shows_its_public_half_alone(self, staff, stella):
        answer = staff.post("/admin/directory/signingkey/add/", {"algorithm": "RS384"})
        assert answer.status_code == 302
        key = SigningKey.objects.get()
        opened = signing.open_key(key)
        assert opened is not None
        private = json.loads(opened.private_jwk.reveal())
        assert key.algorithm == "RS384"
        shown = page(staff, f"/admin/directory/signingkey/{key.pk}/change/")
        assert key.public_jwk["n"] in shown
        pages = [shown, page(staff, "/admin/directory/signingkey/")]
        pages.append(page(staff, f"/admin/directory/signingkey/{key.pk}/history/"))
        secrets = [private[member] for member in ("d", "p", "q", "dp", "dq", "qi")]
        assert not [secret for secret in secrets for each in pages if secret in each]
        assert AuditEvent.objects.get(facts__action="made").actor_id == stella.pk

    def test_does_not_change_once_it_is_there(self, staff):
        key = signing.make(actor=ACTOR, at=AT)
        staff.post(f"/admin/directory/signingkey/{key.pk}/change/", {"algorithm": "RS384"})
        assert SigningKey.objects.get().algorithm == "ES384"
        assert staff.post(f"/admin/directory/signingkey/{key.pk}/delete/", {"post": "yes"}).status_code == 403

    def test_is_taken_out_of_use_by_action_unless_it_is_needed(self, staff, root):
        key = signing.make(actor=ACTOR, at=AT)
        registration = register(root.discover())
        ClientRegistration.objects.update(signing_key=key)
        assert "is still the key of a client registration" in act(staff, "signingkey", "supersede", key)
        assert SigningKey.objects.get().superseded_at is None
        registering.move(registration, "retired", actor=ACTOR, at=AT)
        act(staff, "signingkey", "supersede", key)
        assert SigningKey.objects.get().superseded_at is not None


class TestAnEnablementInTheAdmin:
    def test_shows_who_has_not_turned_us_on(self, staff, root):
        registration = register(root.discover())
        enabling.refused(registration, root.endpoint, is_certain=True, at=AT)
        assert root.url in page(staff, "/admin/directory/enablement/?is_enabled__exact=0")

    def test_lets_a_registration_serve_an_organization_beside_it(self, staff, make_root, stella):
        registration = register(make_root().discover())
        beside = make_root()
        beside.says(token_endpoint=f"{LOGIN}/two/token")
        beside.discover()
        fields = {"registration": str(registration.pk), "endpoint": str(beside.endpoint.pk)}
        assert staff.post("/admin/directory/enablement/add/", fields).status_code == 302
        row = Enablement.objects.get()
        assert registering.standing_at(beside.endpoint) == registration
        assert AuditEvent.objects.get(facts__action="serves").actor_id == stella.pk
        assert staff.get(f"/admin/directory/enablement/{row.pk}/change/").status_code == 200

    def test_refuses_one_that_signs_people_in_elsewhere(self, staff, make_root):
        registration = register(make_root().discover())
        elsewhere = make_root()
        elsewhere.says(token_endpoint="https://elsewhere.example/token")
        elsewhere.discover()
        fields = {"registration": str(registration.pk), "endpoint": str(elsewhere.endpoint.pk)}
        assert (
            "do not sign in where the registration was made"
            in staff.post("/admin/directory/enablement/add/", fields).content.decode()
        )
        assert not Enablement.objects.exists()


class TestThePages:
    MODELS = (
        "provider", "endpoint", "authorizationserver", "clientregistration", "approvedorigin", "signingkey",
        "enablement",
    )  # fmt: skip

    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("end", ["", "add/"])
    def test_are_for_staff(self, staff, model, end):
        assert staff.get(f"/admin/directory/{model}/{end}").status_code == 200

    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("end", ["", "add/"])
    @pytest.mark.parametrize("who", ["nobody", "a patient"])
    def test_are_not_there_for_strangers(self, alice, model, end, who):
        stranger = Client()
        if who == "a patient":
            stranger.force_login(alice, backend=BACKEND)
        for answer in (
            stranger.get(f"/admin/directory/{model}/{end}"),
            stranger.post(f"/admin/directory/{model}/{end}"),
        ):
            assert answer.status_code == 302
            assert "/admin/login/" in answer["Location"]

    def test_make_nothing_for_strangers(self, alice, root):
        stranger = Client()
        stranger.force_login(alice, backend=BACKEND)
        stranger.post("/admin/directory/signingkey/add/", {"algorithm": "RS384"})
        act(stranger, "endpoint", "discover_again", root.endpoint)
        assert not SigningKey.objects.exists()
        assert not AuthorizationServer.objects.exists()
