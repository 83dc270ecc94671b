"""Whether an endpoint can be linked and, if not, why."""

import pytest

from apps.audit.recording import Actor
from apps.directory import linkability, signing
from apps.directory.linkability import Obstacle
from apps.directory.models import ClientRegistration, Endpoint, Provider
from tests.directory.conftest import AT

pytestmark = pytest.mark.django_db

ACTOR = Actor.system("test")
SMART = {"interface": "smart", "dialect": "smart"}
NEW = "https://new.example/token"


@pytest.fixture
def provider(make_provider):
    return make_provider("Harbor")


class TestAnEndpoint:
    def test_can_be_linked_when_approved_with_its_version_and_switched_on(self, provider, make_endpoint):
        assert linkability.obstacle(make_endpoint(provider), provider=provider, at=AT) is None

    @pytest.mark.parametrize(
        ("registration", "obstacle"),
        [
            (None, Obstacle.NO_REGISTRATION),
            ({"status": "requested"}, Obstacle.NOT_APPROVED),
            ({"status": "provisional"}, Obstacle.NOT_APPROVED),
            ({"status": "rejected"}, Obstacle.REGISTRATION_OVER),
            ({"status": "retired"}, Obstacle.REGISTRATION_OVER),
            ({"versions_added": []}, Obstacle.VERSION_NOT_ADDED),
            ({"versions_added": ["dstu2"]}, Obstacle.VERSION_NOT_ADDED),
            ({"is_switched_on": False}, Obstacle.SWITCHED_OFF),
            ({"client_id": ""}, Obstacle.NO_CREDENTIALS),
            ({"trouble": "invalid_client"}, Obstacle.TROUBLE),
        ],
    )
    @pytest.mark.conformance("C19")
    def test_cannot_be_linked_while_our_standing_does_not_allow(self, provider, make_endpoint, registration, obstacle):
        endpoint = make_endpoint(provider, registration=registration)
        assert linkability.obstacle(endpoint, provider=provider, at=AT) is obstacle

    def test_cannot_be_linked_without_a_secret_unless_the_client_is_public(self, provider, make_endpoint):
        endpoint = make_endpoint(provider)
        ClientRegistration.objects.update(sealed_secret=None)
        assert linkability.obstacle(Endpoint.objects.get(), at=AT) is Obstacle.NO_CREDENTIALS
        ClientRegistration.objects.update(authentication="none")
        assert linkability.obstacle(Endpoint.objects.get(pk=endpoint.pk), at=AT) is None

    @pytest.mark.parametrize(
        ("columns", "obstacle"),
        [
            ({"is_switched_on": False}, Obstacle.SWITCHED_OFF),
            ({"is_switched_on": False, "is_stranger": True}, Obstacle.STRANGER),
            ({"is_stranger": True}, Obstacle.STRANGER),
            ({"vanished_at": AT}, Obstacle.VANISHED),
            ({"dialect": "unheard-of"}, Obstacle.INTERFACE_NOT_SPOKEN),
            ({"authorization_server": None}, Obstacle.NO_ADDRESSES),
            ({"authorization_server": None, **SMART}, Obstacle.NOT_DISCOVERED),
            ({"authorization_server": None, **SMART, "discovery_fault": "timed_out"}, Obstacle.NOT_DISCOVERED),
            (
                {"authorization_server": None, **SMART, "discovery_fault": "no_smart_configuration"},
                Obstacle.NO_ADDRESSES,
            ),
            ({**SMART, "named_token_url": NEW, "discovery_fault": "foreign_address"}, Obstacle.ADDRESSES_MOVED),
            ({**SMART, "named_token_url": NEW, "discovery_fault": "timed_out"}, Obstacle.ADDRESSES_MOVED),
        ],
    )
    def test_cannot_be_linked_for_reasons_of_its_own(self, provider, make_endpoint, columns, obstacle):
        assert linkability.obstacle(make_endpoint(provider, **columns), provider=provider, at=AT) is obstacle

    def test_of_a_provider_that_vanished_cannot_be_linked(self, provider, make_endpoint):
        endpoint = make_endpoint(provider)
        Provider.objects.update(vanished_at=AT)
        assert linkability.obstacle(endpoint, provider=Provider.objects.get(), at=AT) is Obstacle.VANISHED

    def test_of_a_smart_deployment_can_be_linked_though_it_was_not_found_the_last_time(self, provider, make_endpoint):
        endpoint = make_endpoint(provider, **SMART, discovery_fault="timed_out")
        assert linkability.obstacle(endpoint, provider=provider, at=AT) is None

    def test_can_be_linked_with_a_key_instead_of_a_secret(self, provider, make_endpoint):
        endpoint = make_endpoint(provider, **SMART, registration={"authentication": "private_key_jwt"})
        assert linkability.obstacle(endpoint, at=AT) is Obstacle.NO_CREDENTIALS
        ClientRegistration.objects.update(sealed_secret=None, signing_key=signing.make(actor=ACTOR, at=AT))
        assert linkability.obstacle(Endpoint.objects.get(), at=AT) is None

    @pytest.mark.conformance("C73")
    def test_of_the_sandbox_cannot_be_linked_where_no_sandbox_is_allowed(self, make_provider, make_endpoint, settings):
        practice = make_provider("Practice", is_sandbox=True)
        endpoint = make_endpoint(practice, is_sandbox=True)
        assert linkability.obstacle(endpoint, provider=practice, at=AT) is None
        settings.ALLOW_LOOPBACK_HTTP = False
        assert linkability.obstacle(endpoint, provider=practice, at=AT) is Obstacle.SANDBOX_HERE

    @pytest.mark.conformance("C73")
    def test_of_the_sandbox_cannot_be_linked_for_a_real_provider(self, provider, make_endpoint):
        endpoint = make_endpoint(provider, is_sandbox=True)
        assert linkability.obstacle(endpoint, provider=provider, at=AT) is Obstacle.SANDBOX_MIXED

    def test_asks_the_database_nothing_where_rows_were_prefetched(
        self, provider, make_endpoint, django_assert_num_queries
    ):
        make_endpoint(provider)
        (endpoint,) = Endpoint.objects.select_related("authorization_server").prefetch_related(
            "authorization_server__registrations", "enablements"
        )
        with django_assert_num_queries(0):
            assert linkability.obstacle(endpoint, provider=provider, at=AT) is None


class TestEveryObstacle:
    @pytest.mark.parametrize("obstacle", list(Obstacle))
    def test_has_a_reason_for_staff_and_a_sentence_for_patients(self, obstacle):
        words = linkability.WORDS[obstacle]
        assert str(obstacle.label).endswith((".", "its trouble."))
        assert 0 < len(str(words.title).format(provider="")) <= 50
        assert str(words.sentence).endswith(".")
