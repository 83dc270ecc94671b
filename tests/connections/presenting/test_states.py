"""The words and icons for a link that will end, from its first minute until after its end."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.presenting import standing
from apps.connections.presenting.standing import ShownConnection
from apps.connections.reasons import Reason
from apps.directory import registering
from apps.directory.models import ClientRegistration, Endpoint
from tests.records.linked import give_tokens, make_connection, make_endpoint

pytestmark = pytest.mark.django_db

TWO = "2\N{NO-BREAK SPACE}p.m.\N{NO-BREAK SPACE}UTC"  # no line ends within it
SIGNED_IN_AT = datetime(2026, 11, 23, 14, 0, tzinfo=UTC)  # a Monday
LAPSES_AT = SIGNED_IN_AT + timedelta(hours=48)
HOUR = timedelta(hours=1)


@pytest.fixture
def link(alice: User) -> Connection:
    """Its server does not rotate: it ends on Wednesday at 2 p.m."""
    connection = make_connection(alice, make_endpoint())
    give_tokens(connection, issued_at=SIGNED_IN_AT)
    end(connection)
    return connection


def end(connection: Connection, *, at: datetime = LAPSES_AT) -> None:
    StoredTokenSet.objects.filter(pk=connection.pk).update(refresh_deadline_at=at, refresh_due_at=None)
    Connection.objects.filter(pk=connection.pk).update(lapses_at=at)


def fall_silent(connection: Connection, *, at: datetime) -> None:
    StoredTokenSet.objects.filter(pk=connection.pk).update(silent_since=at, tries=3)


def stands(connection: Connection, *, at: datetime) -> ShownConnection:
    return standing.of_connection(connection, at=at)


class TestALinkWhoseProviderDoesNotAnswer:
    @pytest.fixture
    def silent(self, alice: User) -> Connection:
        connection = make_connection(alice, make_endpoint())
        give_tokens(connection, issued_at=SIGNED_IN_AT)
        fall_silent(connection, at=SIGNED_IN_AT)
        return connection

    def test_says_since_when_and_that_we_try_again(self, silent):
        found = stands(silent, at=SIGNED_IN_AT + timedelta(minutes=15))
        assert (found.kind, found.word) == ("info", "Connected, but not answering")
        assert f"has not answered since November 23, 2026, {TWO}. We try again by ourselves." in found.sentence
        assert (found.needs_you, found.action) == (False, "")

    def test_does_not_flicker(self, silent):
        assert stands(silent, at=SIGNED_IN_AT + timedelta(minutes=14)).word.startswith("Connected until")

    def test_is_as_any_other_when_it_answers_again(self, silent):
        StoredTokenSet.objects.update(tries=0)
        assert stands(silent, at=SIGNED_IN_AT + HOUR).word.startswith("Connected until")

    def test_asks_its_patient_where_its_end_is_near(self, silent):
        end(silent)
        assert stands(silent, at=LAPSES_AT - 25 * HOUR).word == "Connected, but not answering"
        assert stands(silent, at=LAPSES_AT - 24 * HOUR).word.startswith("Sign in again by")


class TestALinkOfADialectNobodyKnows:
    def test_is_a_problem_on_our_side(self, link):
        """As one that a newer release wrote."""
        Endpoint.objects.update(dialect="of tomorrow")
        for at in (SIGNED_IN_AT, LAPSES_AT + HOUR):
            found = stands(link, at=at)
            assert (found.kind, found.word) == ("fault", "Problem on our side")
            assert (found.is_stopped, found.needs_you) == (True, False)
        assert standing.is_stopped(Connection.objects.get())


class TestALinkWithAKnownEnd:
    def test_says_so_from_the_first_minute_and_calmly(self, link):
        found = stands(link, at=SIGNED_IN_AT + timedelta(minutes=1))
        assert found.word == f"Sign in again by Wednesday, {TWO}"
        assert (found.kind, found.needs_you) == ("info", False)
        assert "does not let us renew it" in found.sentence
        assert found.sentence.endswith("Your record stays here either way.")
        assert found.action_url == f"/connections/{link.pk}/sign-in/"

    def test_asks_for_its_patient_in_the_last_day(self, link):
        found = stands(link, at=LAPSES_AT - 24 * HOUR)
        assert (found.kind, found.needs_you) == ("needs-you", True)
        assert found.word == f"Sign in again by Wednesday, {TWO}"
        assert found.action == "Sign in again"

    @pytest.mark.parametrize(
        ("left", "said"),
        [(3 * HOUR, "3 hours are left."), (HOUR, "1 hour is left."), (timedelta(seconds=30), "1 minute is left.")],
    )
    def test_says_in_the_last_hours_how_many(self, link, left, said):
        found = stands(link, at=LAPSES_AT - left)
        assert found.word == f"Sign in again by {TWO} today"
        assert found.sentence.startswith(said)

    def test_says_afterwards_what_happened_and_what_is_kept(self, link):
        found = stands(link, at=LAPSES_AT)
        assert (found.word, found.needs_you) == ("Sign in to get updates", True)
        assert "limits how long a sign-in lasts, and this one ended on November 25, 2026" in found.sentence
        assert "still here" in found.sentence

    def test_is_over_at_its_end_though_the_access_token_lives_on(self, link):
        """It was used shortly before: what it still opens is no time that is left to sign in."""
        StoredTokenSet.objects.update(access_expires_at=LAPSES_AT + HOUR)
        for after in (timedelta(0), timedelta(minutes=10)):
            found = stands(link, at=LAPSES_AT + after)
            assert (found.word, found.needs_you) == ("Sign in to get updates", True)
            assert "this one ended on November 25, 2026" in found.sentence
            assert "left" not in found.sentence

    def test_tells_the_time_of_its_readers_zone(self, link):
        with timezone.override("America/Denver"):
            assert (
                stands(link, at=SIGNED_IN_AT).word
                == "Sign in again by Wednesday, 7\N{NO-BREAK SPACE}a.m.\N{NO-BREAK SPACE}MST"
            )

    def test_a_week_ahead_is_told_by_its_date(self, link):
        end(link, at=SIGNED_IN_AT + timedelta(days=7))
        assert stands(link, at=SIGNED_IN_AT).word == f"Sign in again by November 30, 2026, {TWO}"

    def test_is_none_that_we_try_to_renew(self, link):
        StoredTokenSet.objects.update(refresh_due_at=LAPSES_AT - 24 * HOUR)
        Connection.objects.update(lapses_at=None)
        assert stands(link, at=SIGNED_IN_AT).word == "Connected until November 25, 2026"

    def test_comes_before_others_the_sooner_it_is(self, alice, link):
        later = make_connection(alice, make_endpoint("https://later.example/r4"))
        give_tokens(later, issued_at=SIGNED_IN_AT)
        end(later, at=LAPSES_AT + HOUR)
        end(link, at=LAPSES_AT + 2 * HOUR)
        rows = standing.of_user(alice, at=LAPSES_AT - HOUR)
        assert [one.connection.pk for one in rows] == [later.pk, link.pk]


class TestALinkThatStaffHaveToMend:
    def test_says_that_it_goes_on_by_itself(self, link):
        ClientRegistration.objects.update(trouble="invalid_client")
        found = stands(link, at=SIGNED_IN_AT)
        assert (found.kind, found.needs_you, found.action) == ("fault", False, "")
        for said in ("Ours to fix", "your record is here", "continue by themselves", "You do not need to do anything"):
            assert said in found.sentence

    def test_says_that_a_sign_in_will_follow_where_it_ended_meanwhile(self, link):
        ClientRegistration.objects.update(trouble="invalid_client")
        found = stands(link, at=LAPSES_AT)
        assert "Once this is fixed, we will ask you to sign in there" in found.sentence
        assert "by themselves" not in found.sentence

    def test_sends_nobody_to_sign_in_where_our_registration_is_refused(self, link):
        """They would be turned away there."""
        ClientRegistration.objects.update(trouble="invalid_client", trouble_at=LAPSES_AT, trouble_seen_at=LAPSES_AT)
        Connection.objects.update(status="needs_reauthorization", reason="grant_ended", reason_at=LAPSES_AT)
        found = stands(link, at=LAPSES_AT)
        assert (found.word, found.needs_you, found.action) == ("Problem on our side", False, "")
        assert "Once this is fixed, we will ask you to sign in there" in found.sentence
        assert "your permission is fine" not in found.sentence
        assert found.is_stopped

    def test_sends_to_sign_in_again_when_that_may_find_it_mended(self, link):
        ClientRegistration.objects.update(trouble="invalid_client", trouble_at=LAPSES_AT, trouble_seen_at=LAPSES_AT)
        Connection.objects.update(status="needs_reauthorization", reason="grant_ended", reason_at=LAPSES_AT)
        assert stands(link, at=LAPSES_AT + registering.TRY_AGAIN_AFTER).action == "Sign in again"

    def test_sends_to_sign_in_where_a_newer_registration_is_in_order(self, link):
        """Whoever is still linked under the old one has it refused again and again; a sign-in goes by the newer."""
        server = link.registration.authorization_server
        ClientRegistration.objects.update(
            status="retired", trouble="invalid_client", trouble_at=LAPSES_AT, trouble_seen_at=LAPSES_AT
        )
        ClientRegistration.objects.create(authorization_server=server, label="newer", status="approved")
        Connection.objects.update(status="needs_reauthorization", reason="grant_ended", reason_at=LAPSES_AT)
        assert stands(link, at=LAPSES_AT).action == "Sign in again"


class TestALinkThatEnded:
    @pytest.mark.conformance("C43")
    def test_with_the_session_there_says_so(self, link):
        link.require_reauthorization(Reason.SESSION_OVER, at=LAPSES_AT)
        found = stands(link, at=LAPSES_AT)
        assert found.word == "The session at Harbor Family Practice ended"
        assert "lasts only while you are signed in there" in found.sentence
        assert "still here" in found.sentence
        assert found.action == "Sign in again"

    @pytest.mark.conformance("C44")
    def test_because_it_rested_says_so(self, link):
        link.require_reauthorization(Reason.IDLE_LIMIT_OVER, at=LAPSES_AT)
        found = stands(link, at=LAPSES_AT)
        assert found.word == "The connection went to sleep"
        assert "not used for a long time" in found.sentence
        assert "still here" in found.sentence

    def test_at_the_provider_says_who_may_have_ended_it(self, link):
        link.require_reauthorization(Reason.GRANT_ENDED, at=LAPSES_AT)
        assert (
            "ended the permission, or you ended it there. We noticed on November 25, 2026"
            in stands(link, at=LAPSES_AT).sentence
        )


class TestTheConnectionsPage:
    def page(self, client: Any, link: Connection) -> str:
        answer = client.get(f"/connections/{link.pk}/")
        assert answer.status_code == 200
        return " ".join(answer.content.decode().split())

    @pytest.mark.conformance("C43")
    def test_leads_to_the_providers_own_page_about_it(self, hers, link):
        link.require_reauthorization(Reason.SESSION_OVER, at=LAPSES_AT, more_url="https://fhir.example/errors/1")
        page = self.page(hers, link)
        assert 'href="https://fhir.example/errors/1" target="_blank" rel="noopener noreferrer"' in page
        link.restore()
        assert "fhir.example/errors" not in self.page(hers, link)

    @pytest.mark.conformance("C44")
    def test_shows_the_last_use_where_rest_would_end_it(self, hers, link):
        Endpoint.objects.update(dialect="smart")
        Connection.objects.update(lapses_at=None, granted_scope="patient/Patient.read offline_access")
        StoredTokenSet.objects.update(refresh_deadline_at=None, refresh_used_at=datetime.now(UTC))
        ClientRegistration.objects.update(idle_limit_days=90)
        used = datetime.now(UTC).strftime("%B %-d, %Y")
        assert f"Last used on {used}. Harbor Family Practice ends it after 90 days without use" in self.page(hers, link)

    def test_says_until_when_and_lets_its_patient_want_no_mail(self, hers, link):
        end(link, at=datetime.now(UTC) + 30 * HOUR)
        page = self.page(hers, link)
        assert "does not let us renew it. Each time you sign in there, the time starts over." in page
        assert "By e-mail, 12 hours before." in page
        hers.post(f"/connections/{link.pk}/mute/", {"is_muted": "yes"})
        assert "No e-mails about this connection." in self.page(hers, link)
        hers.post(f"/connections/{link.pk}/mute/", {"is_muted": "no"})
        assert "By e-mail, 12 hours before." in self.page(hers, link)

    def test_says_one_thing_while_it_is_tried_though_others_showed_that_nothing_renews_them(self, hers, link):
        now = datetime.now(UTC)
        ClientRegistration.objects.update(rotates_refresh_tokens=False)
        Connection.objects.update(lapses_at=None)
        StoredTokenSet.objects.update(refresh_deadline_at=now + 46 * HOUR, refresh_due_at=now + HOUR)
        page = self.page(hers, link)
        assert "We try to renew it by ourselves" in page
        assert "48 hours unless we can renew it." in page
        assert "does not let us renew it" not in page

    def test_is_muted_by_nobody_else(self, client, link, sam):
        client.force_login(sam, backend="allauth.account.auth_backends.AuthenticationBackend")
        assert client.post(f"/connections/{link.pk}/mute/", {"is_muted": "yes"}).status_code == 404
        assert client.get(f"/connections/{link.pk}/mute/").status_code == 405
        assert not Connection.objects.get().is_muted


class TestThePageBeforeASignIn:
    def test_says_beforehand_that_only_sign_ins_renew_it(self, traveller, place):
        assert "unless we can renew it" in traveller.client.get(place.before_you_go).content.decode()
        ClientRegistration.objects.update(rotates_refresh_tokens=False)
        page = " ".join(traveller.client.get(place.before_you_go).content.decode().split())
        assert "48 hours. Then you sign in again, because Harbor Family Practice does not let us renew it." in page
        assert "unless we can renew it" not in page
