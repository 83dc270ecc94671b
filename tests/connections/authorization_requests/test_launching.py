"""A launch from a provider's own portal: who may continue it, and how it ends."""

from datetime import timedelta
from urllib.parse import parse_qsl, unquote, urlsplit
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import Consent
from apps.connections import tasks
from apps.connections.authorization_requests import binding, creating, launching
from apps.connections.ending import purging
from apps.connections.models import AuthorizationRequest, Connection, PendingLaunch
from apps.connections.views import waiting_room
from apps.directory import served_endpoints
from apps.directory.models import ClientRegistration, Enablement, Endpoint, Provider
from apps.vault.errors import VaultError
from apps.wire.secret import Secret
from tests.connections.launches import LAUNCH, arrive, departure, make_smart
from tests.fixtures.cast import PASSWORD

pytestmark = pytest.mark.django_db


class TestALaunch:
    @pytest.mark.conformance("C28", "C25")
    def test_is_echoed_with_its_scope_to_the_root_it_came_from(self, traveller, smart_place, stand_in):
        url = departure(traveller.client, arrive(traveller.client, smart_place))
        sent = parse_qsl(urlsplit(url).query, strict_parsing=True)
        query = dict(sent)
        assert len(query) == len(sent)
        assert query["launch"] == LAUNCH
        assert query["aud"] == smart_place.endpoint.fhir_base_url
        assert "launch" in query["scope"].split()
        assert "launch/patient" not in query["scope"].split()
        assert query["code_challenge_method"] == "S256"
        assert stand_in.server.requests == []

    @pytest.mark.conformance("C28")
    def test_sends_the_root_exactly_as_the_link_wrote_it(self, traveller, smart_place):
        """The server may compare it with its own writing, letter by letter."""
        written = smart_place.endpoint.fhir_base_url.replace("http://127", "HTTP://127") + "/"
        url = departure(traveller.client, arrive(traveller.client, smart_place, iss=written))
        assert dict(parse_qsl(urlsplit(url).query))["aud"] == written

    @pytest.mark.conformance("C28")
    def test_sends_no_root_that_is_not_ours_any_more(self, traveller, smart_place):
        """The directory gave the endpoint another address since the link was opened."""
        page = arrive(traveller.client, smart_place, iss=smart_place.endpoint.fhir_base_url + "/")
        moved = smart_place.endpoint.fhir_base_url + "/moved"
        Endpoint.objects.update(fhir_base_url=moved)
        assert dict(parse_qsl(urlsplit(departure(traveller.client, page)).query))["aud"] == moved

    def test_says_who_sent_the_person_and_which_account_it_is_for(self, traveller, smart_place):
        page = traveller.client.get(arrive(traveller.client, smart_place)).content.decode()
        assert "Willow Creek sent you here." in page
        assert "The record goes to your account alice@example.org" in page
        assert "Log out, this is not my account" in page
        assert "What we ask for" in page

    def test_begins_nothing_before_somebody_presses_the_button(self, traveller, smart_place):
        traveller.client.get(arrive(traveller.client, smart_place))
        assert not AuthorizationRequest.objects.exists()
        assert not Connection.objects.exists()

    def test_serves_an_organization_where_an_enablement_names_the_registration(
        self, traveller, smart_place, make_place
    ):
        beside = make_place("Riverside", path="/b/beside", version="dstu2")
        beside.registration.delete()
        make_smart(beside.endpoint)
        ClientRegistration.objects.update(versions_added=["dstu2", "r4"])
        Enablement.objects.create(
            registration=smart_place.registration, endpoint=beside.endpoint, since_at=timezone.now()
        )
        page = arrive(traveller.client, smart_place, iss=beside.endpoint.fhir_base_url)
        assert "Riverside sent you here." in traveller.client.get(page).content.decode()

    def test_is_not_taken_for_a_provider_that_left_the_directory(self, traveller, smart_place):
        page = arrive(traveller.client, smart_place)
        Provider.objects.update(vanished_at=timezone.now())
        assert traveller.client.get(page).status_code == 404
        assert traveller.client.post(page).status_code == 404

    def test_asks_which_provider_where_several_share_the_address(self, traveller, smart_place):
        other = Provider.objects.create(
            directory="tests", directory_id="b", name="Aspen Clinic", is_sandbox=True, imported_at=timezone.now()
        )
        smart_place.endpoint.providers.add(other)
        page = arrive(traveller.client, smart_place)
        shown = traveller.client.get(page).content.decode()
        assert "Which provider sent you?" in shown
        assert "Which provider sent you?" in traveller.client.get(f"{page}?provider={uuid4()}").content.decode()
        chosen = f"{page}?provider={smart_place.provider.pk}"
        assert f'href="?provider={smart_place.provider.pk}"' in shown
        assert "Willow Creek sent you here." in traveller.client.get(chosen).content.decode()
        departure(traveller.client, chosen)
        assert AuthorizationRequest.objects.get().provider == smart_place.provider


class TestAVisitorNobodyKnows:
    @pytest.mark.conformance("C28")
    def test_signs_in_first_and_the_launch_waits(self, client, alice, make_traveller, smart_place):
        make_traveller(alice)  # who has agreed to the notice
        page = arrive(client, smart_place)
        shown = client.get(page).content.decode()
        assert "Sign in to continue" in shown
        assert "Willow Creek sent you here." in shown
        assert f'href="/accounts/signup/?next={page}"' in shown
        for address in (page, f"/accounts/signup/?next={page}", f"/accounts/login/?next={page}"):
            header = unquote(client.get(address).content.decode().partition("</header>")[0])
            assert f'href="/accounts/login/?next={page}"' in header
        answer = client.post("/accounts/login/", {"login": alice.email, "password": PASSWORD, "next": page})
        assert answer["Location"] == page
        assert dict(parse_qsl(urlsplit(departure(client, page)).query))["launch"] == LAUNCH
        assert AuthorizationRequest.objects.get().user == alice

    @pytest.mark.conformance("C28")
    def test_is_signed_in_by_no_launch(self, client, smart_place):
        page = arrive(client, smart_place)
        assert client.post(page).status_code == 200
        assert "_auth_user_id" not in client.session
        assert not AuthorizationRequest.objects.exists()

    def test_agrees_to_the_notice_before_leaving(self, make_traveller, alice, smart_place):
        traveller = make_traveller(alice, agrees=False)
        page = arrive(traveller.client, smart_place)
        assert traveller.client.get(page)["Location"] == f"/notice/agree/?next={page}"
        assert traveller.client.post(page)["Location"] == f"/notice/agree/?next={page}"
        assert not Consent.objects.exists()
        assert not AuthorizationRequest.objects.exists()

    def test_goes_on_where_the_session_lapsed_before_the_button(self, traveller, smart_place):
        page = arrive(traveller.client, smart_place)
        traveller.client.get(page)
        del traveller.client.cookies["sessionid"]
        assert "Sign in to continue" in traveller.client.post(page).content.decode()
        answer = traveller.client.post(
            "/accounts/login/", {"login": "alice@example.org", "password": PASSWORD, "next": page}
        )
        assert answer["Location"] == page
        departure(traveller.client, page)


class TestAForeignLaunch:
    """Somebody sends a link of their own to a person who is signed in here (login CSRF)."""

    @pytest.mark.conformance("C28")
    def test_links_nothing_by_being_opened(self, traveller, smart_place, stand_in):
        page = arrive(traveller.client, smart_place)
        traveller.client.get(page)
        traveller.client.head(page)
        assert stand_in.server.requests == []
        assert not AuthorizationRequest.objects.exists()

    @pytest.mark.conformance("C28")
    def test_is_begun_by_no_form_of_another_site(self, alice, traveller, smart_place):
        careful = Client(enforce_csrf_checks=True)
        careful.force_login(alice, backend="allauth.account.auth_backends.AuthenticationBackend")
        page = arrive(careful, smart_place)
        assert careful.post(page, headers={"Origin": "https://evil.example"}).status_code == 403
        assert not AuthorizationRequest.objects.exists()

    @pytest.mark.conformance("C28")
    def test_means_nothing_in_another_browser(self, traveller, make_traveller, sam, smart_place):
        page = arrive(traveller.client, smart_place)
        stranger = make_traveller(sam)
        for client in (stranger.client, Client()):
            for answer in (client.get(page), client.post(page), client.get(f"/connect/launches/{uuid4()}/")):
                assert answer.status_code == 404
                assert "Please finish where you started" in answer.content.decode()
                assert "Willow Creek" not in answer.content.decode()
        assert not AuthorizationRequest.objects.exists()

    def test_is_nobodys_until_the_one_who_is_signed_in_takes_it(self, traveller, sam, make_traveller, smart_place):
        page = arrive(traveller.client, smart_place)
        make_traveller(sam)
        traveller.client.force_login(sam, backend="allauth.account.auth_backends.AuthenticationBackend")
        shown = traveller.client.get(page).content.decode()
        assert "sam@example.org" in shown
        assert "alice@example.org" not in shown

    def test_leaves_the_link_to_the_browser_that_used_it(self, traveller, make_traveller, sam, smart_place):
        departure(traveller.client, arrive(traveller.client, smart_place))
        stranger = make_traveller(sam)
        assert arrive(stranger.client, smart_place) == "/connect/launches/elsewhere/"
        assert PendingLaunch.objects.count() == 1


class TestALaunchThatExpired:
    @pytest.fixture
    def expired(self, traveller, smart_place):
        page = arrive(traveller.client, smart_place)
        PendingLaunch.objects.update(expires_at=timezone.now())
        return page

    @pytest.mark.conformance("C28")
    def test_is_offered_as_one_from_here(self, traveller, smart_place, expired):
        shown = traveller.client.get(expired).content.decode()
        assert "This took too long, so we stopped" in shown
        assert f'href="{smart_place.before_you_go}"' in shown
        departed = traveller.leave(smart_place)
        assert "launch" not in dict(departed.query)
        assert "launch/patient" not in departed.page

    def test_begins_nothing(self, traveller, expired):
        assert "This took too long" in traveller.client.post(expired).content.decode()
        assert not AuthorizationRequest.objects.exists()

    def test_is_not_made_young_by_its_link(self, traveller, smart_place, expired):
        assert arrive(traveller.client, smart_place) == expired

    def test_is_good_for_ten_minutes(self, traveller, smart_place):
        arrive(traveller.client, smart_place)
        row = PendingLaunch.objects.get()
        assert row.expires_at - row.created_at == timedelta(minutes=10)

    def test_is_deleted_an_hour_later(self, traveller, smart_place):
        arrive(traveller.client, smart_place)
        row = PendingLaunch.objects.get()
        assert purging.drop_old_launches(at=row.expires_at + timedelta(minutes=59)) == 0
        assert purging.drop_old_launches(at=row.expires_at + timedelta(hours=1)) == 1

    def test_is_deleted_by_the_schedule(self, traveller, smart_place):
        arrive(traveller.client, smart_place)
        PendingLaunch.objects.update(expires_at=timezone.now() - timedelta(hours=2))
        tasks.drop_old_launches()
        assert not PendingLaunch.objects.exists()


class TestALaunchUsedTwice:
    def test_leads_back_to_the_sign_in_it_became(self, traveller, smart_place):
        page = arrive(traveller.client, smart_place)
        departure(traveller.client, page)
        request = AuthorizationRequest.objects.get()
        assert arrive(traveller.client, smart_place) == page
        for answer in (traveller.client.get(page), traveller.client.post(page)):
            assert answer["Location"] == f"/connect/attempts/{request.pk}/"
        assert AuthorizationRequest.objects.count() == 1

    def test_is_over_for_the_next_person_at_the_same_computer(self, traveller, make_traveller, sam, smart_place):
        page = arrive(traveller.client, smart_place)
        departure(traveller.client, page)
        make_traveller(sam)
        traveller.client.force_login(sam, backend="allauth.account.auth_backends.AuthenticationBackend")
        shown = traveller.client.get(page).content.decode()
        assert "This link was already used" in shown
        assert f'href="{smart_place.before_you_go}"' in shown

    def test_begins_once_for_two_presses_at_once(self, traveller, smart_place, monkeypatch):
        page = arrive(traveller.client, smart_place)
        begin = creating.create

        def press_again(**arguments):
            assert traveller.client.post(page).status_code in {200, 302}
            return begin(**arguments)

        monkeypatch.setattr(creating, "create", press_again)
        assert traveller.client.post(page).status_code == 303
        assert AuthorizationRequest.objects.count() == 1

    def test_leads_back_where_another_press_was_faster(self, traveller, smart_place, monkeypatch):
        page = arrive(traveller.client, smart_place)

        def meanwhile(*_place):
            PendingLaunch.objects.update(claimed_at=timezone.now())
            return True

        monkeypatch.setattr(served_endpoints, "serves", meanwhile)
        assert traveller.client.post(page)["Location"] == page
        assert not AuthorizationRequest.objects.exists()


class TestALaunchThatCannotBeginNow:
    def test_is_kept_while_too_many_sign_ins_are_open(self, traveller, smart_place):
        page = arrive(traveller.client, smart_place)
        for _ in range(creating.MOST_OPEN):
            traveller.leave(smart_place)
        answer = traveller.client.post(page)
        assert answer.status_code == 409
        assert "Finish one sign-in first" in answer.content.decode()
        assert traveller.client.post(page, {"close_others": "yes"}).status_code == 303

    def test_waits_for_a_seat_where_the_provider_is_asked_first(self, traveller, smart_place, monkeypatch):
        """As a start from here does."""
        page = arrive(traveller.client, smart_place)
        monkeypatch.setattr(waiting_room, "ROOM", waiting_room.WaitingRoom(seats=0, seats_for_one=0))
        Endpoint.objects.update(discovered_at=None, discovery_tried_at=None)
        assert traveller.client.post(page).status_code == 503
        assert Endpoint.objects.get().discovery_tried_at is None
        assert PendingLaunch.objects.get().claimed_at is None
        make_smart(smart_place.endpoint)
        assert departure(traveller.client, page)

    def test_says_why_and_is_kept(self, traveller, smart_place):
        page = arrive(traveller.client, smart_place)
        ClientRegistration.objects.update(is_switched_on=False)
        assert traveller.client.get(page).status_code == 409
        assert traveller.client.post(page).status_code == 409
        ClientRegistration.objects.update(is_switched_on=True)
        departure(traveller.client, page)

    def test_names_the_cause_where_no_provider_is_left(self, traveller, smart_place):
        page = arrive(traveller.client, smart_place)
        Provider.objects.update(vanished_at=timezone.now())
        for answer in (traveller.client.get(page), traveller.client.post(page)):
            assert answer.status_code == 404
            assert "This provider is no longer on our list" in answer.content.decode()
        assert not AuthorizationRequest.objects.exists()

    def test_is_refused_where_the_registration_was_replaced_meanwhile(self, traveller, smart_place):
        page = arrive(traveller.client, smart_place)
        ClientRegistration.objects.update(status="retired")
        assert traveller.client.post(page).status_code == 409
        assert not AuthorizationRequest.objects.exists()


class TestBeginning:
    """Beside the page, which looks before it begins: two presses can look at the same moment."""

    @pytest.fixture
    def waiting(self, traveller, smart_place):
        arrive(traveller.client, smart_place)
        return PendingLaunch.objects.select_related("endpoint", "registration").get()

    @pytest.fixture
    def begin(self, traveller, smart_place, waiting):
        browser = Secret(traveller.client.cookies["browser"].value)

        def begin(**other):
            arguments = {"user": traveller.user, "provider": smart_place.provider, "browser": browser}
            return launching.begin(waiting, **{**arguments, "at": timezone.now(), **other})

        return begin

    def test_happens_once(self, begin):
        begin()
        with pytest.raises(launching.NotOpen):
            begin()
        assert AuthorizationRequest.objects.count() == 1

    def test_happens_in_its_browser_alone(self, begin):
        with pytest.raises(launching.NotOpen):
            begin(browser=binding.new_browser())
        begin()

    def test_may_happen_later_where_the_launch_does_not_open_now(self, begin, waiting):
        sealed = bytes(waiting.sealed_launch)
        waiting.sealed_launch = sealed[:-1] + bytes([sealed[-1] ^ 1])
        with pytest.raises(VaultError):
            begin()
        assert not AuthorizationRequest.objects.exists()
        waiting.sealed_launch = sealed
        begin()

    def test_happens_in_time(self, begin, waiting):
        with pytest.raises(launching.NotOpen):
            begin(at=waiting.expires_at)
        assert not AuthorizationRequest.objects.exists()

    def test_happens_under_the_registration_whose_portal_it_was(self, begin, smart_place):
        ours = smart_place.registration
        ClientRegistration.objects.update(status="retired")
        ours.pk, ours.redirect_id, ours.launch_id = uuid4(), uuid4(), uuid4()
        ours.save(force_insert=True)
        with pytest.raises(creating.CannotLink):
            begin()
        assert not AuthorizationRequest.objects.exists()
