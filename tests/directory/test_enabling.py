"""Organizations that have turned us on, and those that have not."""

from datetime import timedelta

import pytest

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor
from apps.directory import enabling, linkability, registering, switching
from apps.directory.linkability import Obstacle
from apps.directory.models import ClientRegistration, Enablement, Endpoint
from tests.directory.conftest import AT
from tests.directory.smart_deployment import register

pytestmark = pytest.mark.django_db

ACTOR = Actor.system("test")
LATER = AT + timedelta(minutes=15)


@pytest.fixture
def endpoint(root) -> Endpoint:
    root.discover()
    made: Endpoint = root.endpoint
    return made


@pytest.fixture
def registration(endpoint) -> ClientRegistration:
    made: ClientRegistration = register(endpoint.authorization_server)
    return made


def obstacle(endpoint: Endpoint, *, at=AT) -> Obstacle | None:
    return linkability.obstacle(Endpoint.objects.get(pk=endpoint.pk), at=at)


class TestAnOrganizationThatHasNotEnabledUs:
    @pytest.mark.conformance("C53")
    def test_keeps_patients_away_until_somebody_may_try_again(self, registration, endpoint):
        enabling.refused(registration, endpoint, is_certain=True, at=AT)
        assert obstacle(endpoint) is Obstacle.NOT_ENABLED
        assert obstacle(endpoint, at=LATER - timedelta(seconds=1)) is Obstacle.NOT_ENABLED
        assert obstacle(endpoint, at=LATER) is None
        enabling.refused(registration, endpoint, is_certain=True, at=LATER)
        assert obstacle(endpoint, at=LATER) is Obstacle.NOT_ENABLED

    def test_is_one_of_several_that_the_registration_serves(self, registration, endpoint, make_root):
        other = make_root()
        Endpoint.objects.filter(pk=other.endpoint.pk).update(authorization_server=endpoint.authorization_server)
        enabling.refused(registration, endpoint, is_certain=True, at=AT)
        assert obstacle(other.endpoint) is None

    @pytest.mark.conformance("C53")
    def test_is_told_to_staff_once_each_time(self, registration, endpoint):
        told = [enabling.refused(registration, endpoint, is_certain=True, at=AT) for _ in range(3)]
        assert told == [True, False, False]
        enabling.answered(registration, endpoint, at=LATER)
        assert enabling.refused(registration, endpoint, is_certain=True, at=LATER)

    def test_keeps_nobody_away_where_a_refusal_may_be_about_one_code(self, registration, endpoint):
        assert enabling.refused(registration, endpoint, is_certain=False, at=AT)
        assert obstacle(endpoint) is None

    @pytest.mark.conformance("C53")
    def test_heals_with_any_answer(self, registration, endpoint):
        enabling.refused(registration, endpoint, is_certain=True, at=AT)
        enabling.answered(registration, endpoint, at=AT)
        assert obstacle(endpoint) is None
        row = Enablement.objects.get()
        assert (row.is_enabled, row.since_at, row.refused_at, row.staff_told_at) == (True, AT, None, None)

    def test_keeps_nobody_away_from_the_registration_that_came_after(self, registration, endpoint):
        enabling.refused(registration, endpoint, is_certain=True, at=AT)
        ClientRegistration.objects.update(status="retired")
        register(endpoint.authorization_server)
        assert obstacle(endpoint) is None

    def test_leaves_what_happened_in_the_audit_log(self, registration, endpoint):
        for _ in range(2):
            enabling.refused(registration, endpoint, is_certain=True, at=AT)
        for _ in range(2):
            enabling.answered(registration, endpoint, at=AT)
        events = AuditEvent.objects.filter(subject="client registration").order_by("pk")
        assert [event.facts["action"] for event in events] == ["not enabled", "enabled"]
        assert {event.facts["endpoint_id"] for event in events} == {str(endpoint.pk)}

    def test_costs_one_question_where_nothing_was_refused(self, registration, endpoint, django_assert_num_queries):
        with django_assert_num_queries(1):
            enabling.answered(registration, endpoint, at=AT)
        assert not Enablement.objects.exists()


class TestARegistrationThatServesAnOrganizationBesideIt:
    @pytest.fixture
    def beside(self, make_root):
        root = make_root()
        root.says(token_endpoint="https://login.example/tenants/two/token")
        root.discover()
        return root

    def test_is_its_standing_registration(self, registration, beside):
        assert obstacle(beside.endpoint) is Obstacle.NO_REGISTRATION
        for _ in range(2):
            enabling.serve(registration, beside.endpoint, actor=ACTOR, at=AT)
        assert registering.standing_at(beside.endpoint) == registration
        assert obstacle(beside.endpoint) is Obstacle.STRANGER
        switching.switch_endpoint(beside.endpoint, is_on=True, actor=ACTOR, at=AT)
        enabling.serve(registration, beside.endpoint, actor=ACTOR, at=AT)
        assert obstacle(beside.endpoint) is None
        assert AuditEvent.objects.filter(facts__action="serves").count() == 1

    def test_gives_way_to_one_of_its_own(self, registration, beside):
        enabling.serve(registration, beside.endpoint, actor=ACTOR, at=AT)
        own = register(beside.endpoint.authorization_server)
        assert registering.standing_at(Endpoint.objects.get(pk=beside.endpoint.pk)) == own

    @pytest.mark.parametrize("status", ["rejected", "retired"])
    def test_is_none_when_it_is_over(self, registration, beside, status):
        enabling.serve(registration, beside.endpoint, actor=ACTOR, at=AT)
        ClientRegistration.objects.update(status=status)
        assert registering.standing_at(beside.endpoint) is None

    @pytest.mark.parametrize("member", ["authorization_endpoint", "token_endpoint"])
    def test_is_refused_where_another_origin_would_be_trusted(self, registration, make_root, member):
        elsewhere = make_root()
        with pytest.raises(enabling.NotBeside):
            enabling.serve(registration, elsewhere.endpoint, actor=ACTOR, at=AT)
        elsewhere.says(**{member: "https://elsewhere.example/x"})
        elsewhere.discover()
        with pytest.raises(enabling.NotBeside):
            enabling.serve(registration, elsewhere.endpoint, actor=ACTOR, at=AT)
