"""A provider begins to issue tokens at another origin: links wait, staff approve, and links continue with their
tokens."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.connections import moving, revoking
from apps.connections.link_health import overview
from apps.connections.link_health.findings import Level, What, Who
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import running
from apps.connections.refreshing.results import Outcome
from apps.directory import linkability, reaching, registering
from apps.directory.models import ApprovedOrigin, AuthorizationServer, ClientRegistration, Endpoint, KnownOrigins
from apps.directory.moving import Addresses
from tests.connections.link_rows import make_link, make_registration, provider, registration
from tests.connections.moves import STAFF, approve, asked_at, leads_to, link, look_again, moved, place, refresh
from tests.faults.at_once import together

__all__ = ["link", "make_link", "make_registration", "moved", "place", "provider", "registration"]  # fixtures

pytestmark = pytest.mark.django_db

NEW = "https://new.example"
WORDS = "now renews permissions at a different address"
THEN = "After that, updates continue by themselves. You do not need to do anything."
LATER = "After that, we will ask you to sign in there for updates."


class TestBeforeStaffLook:
    def test_links_go_on_at_the_address_before_while_that_answers(self, place, link):
        place.sandbox.post("/control/scenarios", name="tokens-moved")
        look_again(place.endpoint)
        assert refresh(link) is Outcome.REFRESHED
        assert asked_at(place) == [("127.0.0.1", 200)]

    def test_nothing_is_sent_to_the_new_one_and_no_link_ends(self, moved, link):
        assert refresh(link) is Outcome.OPERATOR
        assert asked_at(moved) == [("127.0.0.1", 404)]
        link.refresh_from_db()
        assert link.status == Connection.Status.ACTIVE
        assert StoredTokenSet.objects.get().sealed_refresh_token is not None

    def test_the_patient_reads_whose_turn_it_is_once_it_stops_the_link(self, moved, link, patient):
        assert WORDS not in patient.get("/connections/").html
        refresh(link)
        for address in ("/connections/", f"/connections/{link.pk}/"):
            page = patient.get(address).html
            assert WORDS in page
            assert THEN in page
            assert "Sign in again" not in page

    def test_the_patient_is_not_sent_where_nobody_can_sign_in(self, moved, link, patient):
        Connection.objects.update(status="needs_reauthorization", reason="window_over", reason_at=timezone.now())
        page = patient.get("/connections/").html
        assert LATER in page
        assert f"/connections/{link.pk}/sign-in/" not in page

    def test_operators_hear_of_it_in_time(self, moved, link):
        def found():
            findings = overview.examine(at=timezone.now()).findings
            return [(one.level, one.what, one.who, one.about_id, one.links) for one in findings]

        waiting = (What.ENDPOINT_MOVED, Who.OPERATOR, moved.endpoint.pk, 1)
        assert found() == [(Level.ATTENTION, *waiting)]
        StoredTokenSet.objects.update(refresh_deadline_at=timezone.now() + timedelta(hours=20))
        assert found() == [(Level.ACT, *waiting)]
        Connection.objects.update(status="disconnected")
        assert found() == []


class TestAnApproval:
    def test_believes_nobody_who_named_the_addresses_before(self, moved, link):
        seen = leads_to(moved)
        there = AuthorizationServer.objects.create(
            authorize_url=seen.authorize_url, token_url=seen.token_url, source="discovered", found_at=timezone.now(),
            is_sandbox=moved.endpoint.is_sandbox,
        )  # fmt: skip
        hostile = Endpoint.objects.create(
            fhir_base_url="https://fhir.evil.example/r4", fhir_version="r4", interface="smart", dialect="smart",
            authorization_server=there, imported_at=timezone.now(), is_sandbox=there.is_sandbox,
        )  # fmt: skip
        approve(moved)
        hostile.refresh_from_db()
        moved.endpoint.refresh_from_db()
        assert (hostile.is_switched_on, hostile.is_stranger) == (False, True)
        assert (moved.endpoint.is_switched_on, moved.endpoint.authorization_server) == (True, there)
        assert refresh(link) is Outcome.REFRESHED

    @pytest.mark.django_db(transaction=True)
    def test_lets_links_go_on_at_once_with_the_tokens_they_have(self, moved, link, patient):
        refresh(link)
        approve(moved)
        assert [(move.endpoint, move.named) for move in moving.waiting()] == []
        running.pull(clock=timezone.now, call_for_help=lambda: None, seconds=5)
        assert asked_at(moved) == [("127.0.0.1", 404), ("localhost", 200)]
        link.refresh_from_db()
        assert link.status == Connection.Status.ACTIVE
        assert WORDS not in patient.get("/connections/").html
        assert overview.examine(at=timezone.now()).findings == []

    @pytest.mark.django_db(transaction=True)
    def test_brings_links_back_that_the_old_address_refused_at_its_end(self, place, link):
        place.sandbox.post("/control/scenarios", name="tokens-moved")
        look_again(place.endpoint)
        StoredTokenSet.objects.update(refused_at=timezone.now(), refresh_due_at=timezone.now() + timedelta(minutes=5))
        Connection.objects.update(status="needs_reauthorization", reason="grant_ended", reason_at=timezone.now())
        approve(place)
        running.pull(clock=timezone.now, call_for_help=lambda: None, seconds=5)
        link.refresh_from_db()
        assert link.status == Connection.Status.ACTIVE
        assert asked_at(place) == [("localhost", 200)]

    def test_lets_people_sign_in_and_permissions_be_given_back_there(self, moved, link, patient):
        approve(moved)
        moved.endpoint.refresh_from_db()
        assert linkability.obstacle(moved.endpoint, at=timezone.now()) is None
        patient.go_again(f"/connections/{link.pk}/sign-in/")
        patient.post(f"/connections/{link.pk}/disconnect/", copy="keep")
        revoking.tell_providers(at=timezone.now())
        revoked = [one["headers"]["Host"].partition(":")[0] for one in moved.sent(to="/token/revoke")]
        assert revoked == ["localhost"]
        assert {host for host, _status in asked_at(moved)} == {"localhost"}

    def test_works_with_a_proof_that_names_the_address(self, deploy, patient):
        place = deploy(authentication="private_key_jwt")
        link = patient.found(place)
        patient.confirm(link)
        place.sandbox.post("/control/scenarios", name="tokens-moved-away")
        look_again(place.endpoint)
        approve(place)
        assert refresh(link) is Outcome.REFRESHED

    def test_is_written_down_once_however_often_it_is_given(self, moved, link):
        seen = leads_to(moved)
        for _ in range(2):
            approve(moved, seen=seen)
        events = AuditEvent.objects.filter(event="registration.changed", facts__action="origins approved")
        assert [(event.subject_id, event.actor_name) for event in events] == [(str(moved.registration.pk), "tests")]
        (known,) = KnownOrigins.objects.all()
        assert (known.registration, known.endpoint, known.withdrawn_at) == (moved.registration, moved.endpoint, None)

    def test_shows_no_secret_and_no_token_to_anybody(self, moved, link, caplog):
        refresh(link)
        approve(moved)
        refresh(link)
        requests = moved.sandbox.get("/control/requests?method=POST")["requests"]
        sent = {part.partition("=")[2] for request in requests for part in request["body"].split("&")}
        canaries = {moved.secret, *(value for value in sent if len(value) > 20)}
        assert len(canaries) > 1
        said = " ".join([caplog.text, *(str(event.facts) for event in AuditEvent.objects.all())])
        said += repr(moving.look(Endpoint.objects.get(pk=moved.endpoint.pk)))
        assert [value for value in canaries if value in said] == []


class TestAnApprovalOfWhatAListNames:
    """Over the patient access API: the endpoint is at the new server already, and its links are not."""

    @pytest.fixture
    def listed(self, make_registration, make_link):
        registration = make_registration()
        link = make_link(registration, refresh_due_at=timezone.now())
        before = registration.authorization_server
        after = AuthorizationServer.objects.create(
            source="configured", authorize_url=f"{NEW}/authorize", token_url=f"{NEW}/token", found_at=timezone.now()
        )
        before.endpoints.update(
            authorization_server=after, moved_from=before, named_authorize_url=after.authorize_url,
            named_token_url=after.token_url,
        )  # fmt: skip
        return link

    def approved(self, link) -> Endpoint:
        endpoint = Endpoint.objects.get(pk=link.endpoint_id)
        moving.approve(endpoint, seen=Addresses(f"{NEW}/authorize", f"{NEW}/token"), actor=STAFF, at=timezone.now())
        return endpoint

    def test_leads_tokens_there_and_lets_people_sign_in(self, listed):
        assert reaching.authorization_server(listed.endpoint, listed.registration).token_url != f"{NEW}/token"
        endpoint = self.approved(listed)
        assert reaching.authorization_server(endpoint, listed.registration).token_url == f"{NEW}/token"
        assert registering.standing_at(endpoint) == listed.registration
        assert list(moving.waiting()) == []

    def test_lets_people_sign_in_under_the_registration_of_today_where_links_are_of_an_older_one(self, listed):
        ClientRegistration.objects.update(status="retired")
        before = listed.registration.authorization_server
        today = ClientRegistration.objects.create(
            authorization_server=before, label="of today", status="approved", authentication="query"
        )
        endpoint = self.approved(listed)
        assert registering.standing_at(endpoint) == today
        assert reaching.authorization_server(endpoint, listed.registration).token_url == f"{NEW}/token"

    def test_is_waited_for_in_as_many_queries_for_many_as_for_one(
        self, listed, make_registration, make_link, django_assert_max_num_queries
    ):
        listed.endpoint.providers.add(listed.provider)
        with django_assert_max_num_queries(20) as few:
            assert [(move.name, move.links) for move in moving.waiting()] == [(listed.provider.name, 1)]
        for name in "abc":
            endpoint = make_link(make_registration(name)).endpoint
            rows = Endpoint.objects.filter(pk=endpoint.pk)
            rows.update(
                moved_from=F("authorization_server"),
                named_authorize_url="https://x.example/a",
                named_token_url="https://x.example/t",
            )
        with django_assert_max_num_queries(len(few)):
            assert len(moving.waiting()) == 4

    def test_hurries_no_link_of_the_registration_that_is_elsewhere(self, listed, make_link):
        """Their server may have asked us to wait, and a refusal there is asked about again in its time."""
        before = listed.registration.authorization_server
        later = timezone.now() + timedelta(hours=3)
        waits = {"tries": 1, "refresh_due_at": later, "not_before_at": later}
        StoredTokenSet.objects.update(**waits)
        Endpoint.objects.create(
            fhir_base_url="https://elsewhere.example/fhir", authorization_server=before, fhir_version="r4",
            interface="patient-access", dialect="patient-access", imported_at=timezone.now(),
        )  # fmt: skip
        elsewhere = make_link(listed.registration, **waits)
        assert elsewhere.endpoint_id != listed.endpoint_id
        self.approved(listed)
        assert StoredTokenSet.objects.get(connection=elsewhere).not_before_at == later
        freed = StoredTokenSet.objects.filter(connection=listed, not_before_at=None, refresh_due_at__lt=later)
        assert freed.exists()

    def test_ends_with_its_withdrawal(self, listed):
        endpoint = self.approved(listed)
        moving.withdraw(endpoint, actor=STAFF, at=timezone.now())
        there = reaching.authorization_server(Endpoint.objects.get(pk=endpoint.pk), listed.registration)
        assert there == listed.registration.authorization_server
        assert [move.endpoint for move in moving.waiting()] == [endpoint]


class TestNothingIsApproved:
    def test_where_it_leads_elsewhere_than_what_was_looked_at(self, moved, link, attacker):
        seen = leads_to(moved)
        moved.sandbox.post("/control/scenarios", name="usual")
        moved.sandbox.post("/control/rogue-root", token_origin=attacker.origin)
        with pytest.raises(moving.LeadsElsewhere):
            approve(moved, seen=seen)
        moved.sandbox.delete("/control/rogue-root")
        self.is_left_alone(moved)

    def test_where_it_leads_back_meanwhile(self, moved, link):
        seen = leads_to(moved)
        moved.sandbox.post("/control/scenarios", name="usual")
        with pytest.raises(moving.NothingMoved):
            approve(moved, seen=seen)
        self.is_left_alone(moved)

    def test_while_it_cannot_be_asked(self, moved, link):
        moved.sandbox.post("/control/faults", route="metadata", kind="unavailable", count=None)
        with pytest.raises(moving.NotAsked):
            approve(moved)
        self.is_left_alone(moved)

    def test_where_nobody_is_linked(self, moved, link):
        """Whoever can write a document, or a row of the directory, has no links: nobody signs in for their root."""
        Connection.objects.all().delete()
        with pytest.raises(moving.NobodyLinked):
            approve(moved)
        self.is_left_alone(moved)

    @pytest.mark.parametrize(
        "url",
        [
            "http://token.example/token",
            "https://token.example:8443/token",
            "https://10.1.2.3/token",
            "https://169.254.169.254/token",
            "https://token.internal/token",
            "https://us@token.example/token",
        ],
    )
    def test_of_what_we_connect_to_nowhere(self, moved, link, url, settings):
        ApprovedOrigin.objects.create(origin="https://other.example:8443", reason="a test", approved_at=timezone.now())
        listed = Addresses("https://login.example/authorize", url)
        rows = Endpoint.objects.filter(pk=moved.endpoint.pk)
        rows.update(
            interface="patient-access", named_authorize_url=listed.authorize_url, named_token_url=url,
            moved_from=F("authorization_server"),
        )  # fmt: skip
        with pytest.raises(moving.Unsafe):
            approve(moved)
        self.is_left_alone(moved)

    def is_left_alone(self, place) -> None:
        assert not KnownOrigins.objects.exists()
        assert not AuditEvent.objects.filter(facts__action="origins approved").exists()
        assert "localhost" not in dict(asked_at(place))


class TestAtOnce:
    @pytest.mark.django_db(transaction=True)
    def test_of_two_approvals_one_is_written_down_and_both_end_well(self, moved, link):
        endpoints = [Endpoint.objects.get(pk=moved.endpoint.pk) for _ in range(2)]
        seen = leads_to(moved)
        calls = together(
            *(lambda one=one: moving.approve(one, seen=seen, actor=STAFF, at=timezone.now()) for one in endpoints)
        )
        assert [call.exception() for call in calls] == [None, None]
        assert KnownOrigins.objects.count() == 1
        assert AuditEvent.objects.filter(facts__action="origins approved").count() == 1

    @pytest.mark.django_db(transaction=True)
    def test_an_approval_and_a_withdrawal_leave_one_of_the_two(self, moved, link):
        approve(moved)
        endpoints = [Endpoint.objects.get(pk=moved.endpoint.pk) for _ in range(2)]
        seen = leads_to(moved)
        together(
            lambda: moving.withdraw(endpoints[0], actor=STAFF, at=timezone.now()),
            lambda: moving.approve(endpoints[1], seen=seen, actor=STAFF, at=timezone.now()),
        )
        endpoint = Endpoint.objects.get(pk=moved.endpoint.pk)
        is_known = KnownOrigins.objects.filter(withdrawn_at=None).exists()
        assert is_known == (endpoint.moved_from is not None) == (not endpoint.named_token_url)
