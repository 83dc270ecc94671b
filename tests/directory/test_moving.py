"""An endpoint leads to another origin: its addresses are stored for staff, and used only when they approve them."""

import pytest
from django.db import IntegrityError, transaction

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor
from apps.directory import enabling, moving, reaching, registering
from apps.directory.linkability import Obstacle
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, KnownOrigins
from apps.directory.moving import Addresses
from apps.wire.errors import WireError
from tests.directory.conftest import AT
from tests.directory.smart_deployment import CONFIGURATION, LOGIN, register

pytestmark = pytest.mark.django_db

ACTOR = Actor.system("tests")
NEW = "https://new.example/tenants/one"
MOVED = {
    name: value.replace("https://login.example", "https://new.example")
    for name, value in CONFIGURATION.items()
    if isinstance(value, str)
}


def ask(root):
    """Discover, wherever it leads."""
    try:
        return root.discover()
    except WireError:
        return None


def fresh(root) -> Endpoint:
    return Endpoint.objects.get(pk=root.endpoint.pk)


@pytest.fixture
def moved(root):
    """A root that we are registered at, and that says it moved."""
    register(root.discover())
    root.says(**MOVED)
    ask(root)
    return root


def approve(root, registration) -> None:
    there = moving.named(fresh(root))
    assert there is not None
    moving.know(registration, root.endpoint, there, actor=ACTOR, at=AT)


class TestAMoveThatWaits:
    def test_remembers_where_it_leads_and_stays_where_it_was(self, moved):
        endpoint = fresh(moved)
        assert moving.awaits(endpoint)
        assert moving.named(endpoint) == Addresses(f"{NEW}/authorize", f"{NEW}/token")
        assert moving.before(endpoint) == Addresses(f"{LOGIN}/authorize", f"{LOGIN}/token")
        assert moved.obstacle() is Obstacle.ADDRESSES_MOVED
        assert list(moving.awaiting()) == [endpoint]

    def test_is_forgotten_once_it_leads_where_it_led(self, moved):
        moved.says(**CONFIGURATION)
        ask(moved)
        endpoint = fresh(moved)
        assert not moving.awaits(endpoint)
        assert (endpoint.named_authorize_url, endpoint.named_token_url, endpoint.moved_from) == ("", "", None)

    def test_lets_nobody_sign_in_either_while_its_host_is_silent(self, moved):
        moved.configuration = moved.metadata = 503
        ask(moved)
        assert moving.awaits(fresh(moved))
        assert moved.obstacle() is Obstacle.ADDRESSES_MOVED

    def test_follows_the_document_from_one_origin_to_the_next(self, moved):
        moved.says(token_endpoint="https://newer.example/token")
        ask(moved)
        assert fresh(moved).named_token_url == "https://newer.example/token"


class TestAnApprovedMove:
    @pytest.fixture
    def registration(self, moved):
        (registration,) = moved.endpoint.authorization_server.registrations.all()
        approve(moved, registration)
        return registration

    def test_is_followed_by_the_next_discovery_with_the_registration(self, moved, registration):
        server = ask(moved)
        endpoint = fresh(moved)
        assert (server.authorize_url, server.token_url) == (f"{NEW}/authorize", f"{NEW}/token")
        assert server.revocation_url == f"{NEW}/token/revoke"
        assert endpoint.moved_from == registration.authorization_server
        assert not moving.awaits(endpoint)
        assert moved.obstacle() is None
        assert registering.standing_at(endpoint) == registration
        assert reaching.authorization_server(endpoint, registration) == server

    def test_leaves_the_row_of_the_server_before_as_it_was(self, moved, registration):
        ask(moved)
        registration.refresh_from_db()
        assert registration.authorization_server.token_url == f"{LOGIN}/token"

    def test_is_written_down_with_the_endpoint(self, moved, registration):
        ask(moved)
        events = [(event.subject, event.facts) for event in AuditEvent.objects.order_by("pk")][-2:]
        assert events == [
            (
                "client registration",
                {"action": "origins approved", "status": "approved", "endpoint_id": str(moved.endpoint.pk)},
            ),
            ("endpoint", {"action": "discovered at approved origins"}),
        ]

    @pytest.mark.parametrize(
        "members",
        [
            {"token_endpoint": "https://thief.example/token"},
            {"authorization_endpoint": "https://thief.example/authorize"},
            {"token_endpoint": f"{LOGIN}/token"},  # a pair that nobody looked at, of origins that somebody did
            {"token_endpoint": "https://new.example:8443/token"},
            {"token_endpoint": "https://new.example.thief.example/token"},
        ],
    )
    def test_is_of_that_pair_of_origins_alone(self, moved, registration, members):
        moved.says(**members)
        assert ask(moved) is None
        endpoint = fresh(moved)
        assert endpoint.authorization_server == registration.authorization_server
        assert reaching.authorization_server(endpoint, registration).token_url == f"{LOGIN}/token"

    def test_is_of_that_registration_alone(self, moved, registration, make_root):
        other = make_root("/other")
        other.says(authorization_endpoint="https://other.example/authorize", token_endpoint="https://other.example/t")
        for name in ("revocation_endpoint", "issuer"):
            del other.configuration[name]
        register(other.discover())
        other.says(**MOVED)
        assert ask(other) is None
        assert moving.awaits(fresh(other))

    def test_is_followed_by_neighbours_of_the_registration_as_their_own_documents_say_so(
        self, moved, registration, make_root
    ):
        neighbour = make_root("/r4/two")
        own = f"{LOGIN}/two"
        neighbour.says(authorization_endpoint=f"{own}/authorize", token_endpoint=f"{own}/token")
        neighbour.discover()
        enabling.serve(registration, neighbour.endpoint, actor=ACTOR, at=AT)
        Endpoint.objects.update(is_switched_on=True, is_stranger=False)
        ask(moved)
        there = reaching.authorization_server(fresh(neighbour), registration)
        assert there.token_url == f"{own}/token"
        neighbour.says(authorization_endpoint=f"{NEW}/two/authorize", token_endpoint=f"{NEW}/two/token")
        neighbour.says(revocation_endpoint=f"{NEW}/two/revoke")
        ask(neighbour)
        endpoint = fresh(neighbour)
        assert reaching.authorization_server(endpoint, registration).token_url == f"{NEW}/two/token"
        assert moving.before(endpoint) == Addresses(f"{own}/authorize", f"{own}/token")

    def test_lets_those_be_asked_again_at_once_that_said_so_already(self, moved, registration, make_root):
        neighbour, other = make_root("/r4/two"), make_root("/r4/three")
        for root, name in ((neighbour, "two"), (other, "three")):
            root.says(authorization_endpoint=f"{LOGIN}/{name}/authorize", token_endpoint=f"{LOGIN}/{name}/token")
            root.discover()
            enabling.serve(registration, root.endpoint, actor=ACTOR, at=AT)
        rows = Endpoint.objects.filter(pk__in=[neighbour.endpoint.pk, other.endpoint.pk])
        rows.update(is_switched_on=True, is_stranger=False, discovery_tried_at=AT)
        there = Addresses(f"{NEW}/two/authorize", f"{NEW}/two/token")
        ask(moved)
        rows.update(named_authorize_url=there.authorize_url, named_token_url=there.token_url)
        rows.filter(pk=other.endpoint.pk).update(named_token_url="https://thief.example/token")
        assert list(moving.let_follow([registration], there)) == [neighbour.endpoint.pk]
        assert (fresh(neighbour).discovery_tried_at, fresh(other).discovery_tried_at) == (None, AT)

    def test_leaves_links_of_a_registration_that_does_not_know_it_where_they_were(self, moved, registration):
        """Another organization's address would say of their tokens that they are over."""
        elsewhere = AuthorizationServer.objects.create(
            source="discovered", authorize_url=f"{LOGIN}/other/authorize", token_url=f"{LOGIN}/other/token", found_at=AT
        )
        older = ClientRegistration.objects.create(authorization_server=elsewhere, label="older", status="retired")
        ask(moved)
        assert reaching.authorization_server(fresh(moved), older) == registration.authorization_server
        stranger = AuthorizationServer.objects.create(
            source="discovered", authorize_url="https://far.example/a", token_url="https://far.example/t", found_at=AT
        )
        far = ClientRegistration.objects.create(authorization_server=stranger, label="far", status="approved")
        assert reaching.authorization_server(fresh(moved), far) == stranger

    def test_lets_it_go_back_unasked(self, moved, registration):
        ask(moved)
        moved.says(**CONFIGURATION)
        assert ask(moved) == registration.authorization_server
        assert moved.obstacle() is None

    def test_is_there_once(self, moved, registration):
        approve(moved, registration)
        row = KnownOrigins.objects.get()
        with pytest.raises(IntegrityError), transaction.atomic():
            KnownOrigins.objects.create(
                registration=registration,
                authorize_origin=row.authorize_origin,
                token_origin=row.token_origin,
                approved_at=AT,
            )


class TestTwoMoves:
    def test_are_taken_back_one_by_one(self, moved):
        (registration,) = moved.endpoint.authorization_server.registrations.all()
        approve(moved, registration)
        ask(moved)
        moved.says(authorization_endpoint="https://newer.example/authorize", token_endpoint="https://newer.example/t")
        ask(moved)
        approve(moved, registration)
        ask(moved)
        endpoint = fresh(moved)
        assert reaching.authorization_server(endpoint, registration).token_url == "https://newer.example/t"
        moving.forget(moving.approvals(endpoint), endpoint, actor=ACTOR, at=AT)
        endpoint = fresh(moved)
        assert reaching.authorization_server(endpoint, registration).token_url == f"{NEW}/token"
        moving.forget(moving.approvals(endpoint), endpoint, actor=ACTOR, at=AT)
        assert reaching.authorization_server(fresh(moved), registration).token_url == f"{LOGIN}/token"
        assert moving.approvals(fresh(moved)) == []


class TestTheIssuerAfterAMove:
    """ID tokens are believed by it, and a move says nothing of it unless it is at the origins that were looked at."""

    @pytest.fixture
    def server(self, moved):
        def discovered(**members):
            (registration,) = moved.endpoint.authorization_server.registrations.all()
            AuthorizationServer.objects.update(id_token_issuers=[LOGIN, "https://identity.example/by-staff"])
            moved.says(**members)
            approve(moved, registration)
            return ask(moved)

        return discovered

    def test_is_learned_at_the_new_origin_beside_those_that_staff_added(self, server):
        found = server()
        assert found.issuer == NEW
        assert found.id_token_issuers == [NEW, "https://identity.example/by-staff"]

    @pytest.mark.parametrize("issuer", ["https://thief.example/one", "https://new.example.thief.example/"])
    def test_is_not_learned_elsewhere(self, server, moved, issuer):
        found = server(issuer=issuer)
        assert found.issuer == LOGIN
        assert issuer not in found.id_token_issuers
        assert "issuer moved" in fresh(moved).disagreements


class TestAnApprovalThatWasTakenBack:
    @pytest.fixture
    def registration(self, moved):
        (registration,) = moved.endpoint.authorization_server.registrations.all()
        approve(moved, registration)
        ask(moved)
        endpoint = fresh(moved)
        moving.forget(moving.approvals(endpoint), endpoint, actor=ACTOR, at=AT)
        return registration

    def test_leads_back_without_asking_anybody(self, moved, registration):
        endpoint = fresh(moved)
        assert reaching.authorization_server(endpoint, registration).token_url == f"{LOGIN}/token"
        assert endpoint.authorization_server == registration.authorization_server
        assert moving.named(endpoint) == Addresses(f"{NEW}/authorize", f"{NEW}/token")
        assert moved.obstacle() is Obstacle.ADDRESSES_MOVED

    def test_is_not_followed_again(self, moved, registration):
        assert ask(moved) is None
        assert moving.awaits(fresh(moved))

    def test_stays_written_down_and_may_be_given_again(self, moved, registration):
        assert KnownOrigins.objects.get().withdrawn_at == AT
        assert AuditEvent.objects.filter(facts__action="origins withdrawn").count() == 1
        approve(moved, registration)
        assert ask(moved).token_url == f"{NEW}/token"
