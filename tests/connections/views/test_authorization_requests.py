"""The page before leaving for a provider, and the page that sends the browser there."""

import html
import re
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import Consent
from apps.connections.models import AuthorizationRequest
from apps.directory.models import ClientRegistration, Provider

pytestmark = pytest.mark.django_db


class TestTheAddressOfTheProvider:
    @pytest.mark.conformance("C3", "C18")
    def test_holds_each_parameter_of_the_specification_once_and_no_scope(self, traveller, place):
        departed = traveller.leave(place)
        assert departed.url.startswith(place.registration.authorization_server.authorize_url + "?")
        assert sorted(departed.query) == sorted(
            [
                ("response_type", "code"),
                ("client_id", "holdfast-client"),
                ("redirect_uri", f"http://testserver/connect/return/{place.registration.redirect_id}/"),
                ("state", departed.state),
            ]
        )

    @pytest.mark.conformance("C3")
    def test_asks_for_no_page_of_consent(self, traveller, place):
        ClientRegistration.objects.update(prompts_for_consent=True)
        assert "prompt" not in dict(traveller.leave(place).query)

    @pytest.mark.conformance("C3")
    def test_encodes_what_it_holds(self, traveller, place):
        ClientRegistration.objects.update(client_id="a b&c=d/é")
        departed = traveller.leave(place)
        assert dict(departed.query)["client_id"] == "a b&c=d/é"
        assert "client_id=a+b%26c%3Dd%2F%C3%A9" in departed.url

    def test_holds_a_scope_where_the_registration_names_one(self, traveller, place):
        ClientRegistration.objects.update(scope="patient/Patient.read offline_access")
        assert dict(traveller.leave(place).query)["scope"] == "patient/Patient.read offline_access"

    def test_holds_an_s256_challenge_where_the_registration_allows_pkce(self, traveller, place):
        ClientRegistration.objects.update(uses_pkce=True)
        query = dict(traveller.leave(place).query)
        assert query["code_challenge_method"] == "S256"
        assert re.fullmatch(r"[A-Za-z0-9_-]{43}", query["code_challenge"])

    @pytest.mark.conformance("C5")
    def test_has_a_state_nobody_can_guess_and_never_the_same_twice(self, traveller, place):
        states = {traveller.leave(place).state for _ in range(3)}
        assert len(states) == 3
        assert all(re.fullmatch(r"[A-Za-z0-9_-]{43}", state) for state in states)

    @pytest.mark.conformance("C2")
    def test_is_the_one_of_the_row_and_changes_with_it(self, traveller, place):
        server = place.registration.authorization_server
        server.authorize_url = "http://127.0.0.1:9/moved/authorize?tenant=7"
        server.save()
        departed = traveller.leave(place)
        assert departed.url.startswith("http://127.0.0.1:9/moved/authorize?tenant=7&")


class TestThePageThatLeadsToTheProvider:
    @pytest.mark.conformance("C4")
    def test_leads_there_at_top_level_by_link_and_refresh_and_by_nothing_else(self, traveller, place):
        answer = traveller.client.post(place.before_you_go)
        page = traveller.client.get(answer["Location"]).content.decode()
        link = re.search(r'<a class="button" href="([^"]+)" rel="noreferrer">', page)
        refresh = re.search(r'<meta http-equiv="refresh" content="0;url=([^"]+)">', page)
        assert link is not None
        assert refresh is not None
        assert link[1] == refresh[1]
        assert "<iframe" not in page
        assert "target=" not in page
        assert "window.open" not in page

    def test_is_never_stored(self, traveller, place):
        answer = traveller.client.post(place.before_you_go)
        assert "no-store" in traveller.client.get(answer["Location"])["Cache-Control"]

    def test_answers_the_post_with_303_to_an_address_without_the_state(self, traveller, place):
        departed = traveller.leave(place)
        assert departed.page.startswith("/connect/attempts/")
        assert departed.state not in departed.page

    @pytest.mark.conformance("C47")
    def test_does_not_send_somebody_off_again_who_came_back(self, traveller, place):
        departed = traveller.leave(place)
        page = traveller.client.get(departed.page).content.decode()
        assert "Still waiting for Harbor Family Practice" in page
        assert "http-equiv" not in page
        assert html.escape(departed.url) in page

    def test_shows_another_browser_of_the_same_person_no_way_out(self, make_traveller, traveller, place):
        departed = traveller.leave(place)
        elsewhere = make_traveller(traveller.user)
        page = elsewhere.client.get(departed.page).content.decode()
        assert "Still waiting for Harbor Family Practice" in page
        assert departed.state not in page

    def test_is_not_there_for_a_stranger(self, make_traveller, traveller, place, sam):
        departed = traveller.leave(place)
        assert make_traveller(sam).client.get(departed.page).status_code == 404

    def test_gives_the_browser_a_cookie_that_scripts_cannot_read(self, traveller, place, settings):
        answer = traveller.client.post(place.before_you_go)
        cookie = answer.cookies["browser"]
        assert cookie["httponly"]
        assert cookie["samesite"] == "Lax"
        assert cookie["path"] == "/"

    def test_names_the_cookie_so_that_no_neighbor_can_set_it_where_https_is_used(self, traveller, place, settings):
        settings.SESSION_COOKIE_SECURE = True
        cookie = traveller.client.post(place.before_you_go).cookies["__Host-browser"]
        assert cookie["secure"]
        assert not cookie["domain"]


class TestBeforeYouGo:
    def test_says_where_what_for_and_how_long(self, traveller, place):
        page = traveller.client.get(place.before_you_go).content.decode()
        assert "You are about to sign in at Harbor Family Practice" in page
        assert "We never see them." in page
        assert "Nothing is copied until you say yes." in page
        assert "<p>48 hours unless we can renew it." in page
        assert "127.0.0.1:" in page

    @pytest.mark.conformance("C73")
    def test_marks_a_practice_provider(self, traveller, place):
        for address in (place.before_you_go, traveller.leave(place).page):
            assert "Practice provider, not real" in traveller.client.get(address).content.decode()

    @pytest.mark.conformance("C67")
    def test_asks_for_consent_before_anything_is_begun(self, make_traveller, place, alice):
        without_consent = make_traveller(alice, agrees=False)
        for method in (without_consent.client.get, without_consent.client.post):
            answer = method(place.before_you_go)
            assert answer.status_code == 302
            assert answer["Location"] == f"/notice/agree/?next={place.before_you_go}"
        assert not AuthorizationRequest.objects.exists()

    @pytest.mark.conformance("C67")
    def test_asks_again_when_the_notice_changed(self, traveller, place):
        Consent.objects.update(notice_version="1999-01")
        answer = traveller.client.post(place.before_you_go)
        assert answer["Location"].startswith("/notice/agree/")
        assert not AuthorizationRequest.objects.exists()

    def test_sends_somebody_who_is_not_signed_in_to_sign_in(self, client, place):
        answer = client.get(place.before_you_go)
        assert answer["Location"].startswith("/accounts/login/?next=/connect/")

    def test_is_not_there_for_an_endpoint_of_another_provider(self, traveller, place, make_place):
        other = make_place("Other Practice", path="/other")
        address = f"/connect/{place.provider.pk}/{other.endpoint.pk}/"
        assert traveller.client.get(address).status_code == 404

    @pytest.mark.parametrize(
        ("column", "value", "sentence"),
        [
            ("status", "provisional", "cannot be connected yet"),
            ("status", "retired", "cannot be connected yet"),
            ("versions_added", ["dstu2"], "cannot be connected yet"),
            ("is_switched_on", False, "We cannot connect to"),
            ("trouble", "invalid_client", "We cannot connect to"),
        ],
    )
    def test_says_why_a_provider_cannot_be_connected(self, traveller, place, column, value, sentence):
        ClientRegistration.objects.update(**{column: value})
        for method in (traveller.client.get, traveller.client.post):
            answer = method(place.before_you_go)
            assert answer.status_code == 409
            assert sentence in answer.content.decode()
            assert "Tell me when it works" in answer.content.decode()
        assert not AuthorizationRequest.objects.exists()

    def test_offers_no_word_of_a_provider_that_is_gone_for_good(self, traveller, place):
        Provider.objects.update(vanished_at=timezone.now())
        page = traveller.client.get(place.before_you_go).content.decode()
        assert "no longer offers records here" in page
        assert "Tell me when it works" not in page


class TestOpenRequests:
    def test_are_five_at_most(self, traveller, place):
        for _ in range(5):
            traveller.leave(place)
        answer = traveller.client.post(place.before_you_go)
        assert answer.status_code == 409
        assert "Finish one sign-in first" in answer.content.decode()
        assert AuthorizationRequest.objects.count() == 5

    def test_of_others_do_not_count(self, traveller, make_traveller, place, sam):
        for _ in range(5):
            traveller.leave(place)
        make_traveller(sam).leave(place)

    def test_that_expired_do_not_count(self, traveller, place):
        for _ in range(5):
            traveller.leave(place)
        AuthorizationRequest.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        traveller.leave(place)

    def test_can_be_closed_for_a_new_one(self, traveller, place):
        earlier = [traveller.leave(place) for _ in range(5)]
        traveller.leave(place, close_others="yes")
        assert "This sign-in was closed" in traveller.client.get(earlier[0].page).content.decode()
