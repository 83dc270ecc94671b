"""What a patient meets if staff switched a provider off: no sign-in, no refresh, and words that say who must act."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection as database
from django.utils import timezone

from apps.audit.recording import Actor
from apps.connections import refreshing
from apps.connections.callback import confirming
from apps.connections.models import AuthorizationRequest, Connection, StoredTokenSet
from apps.connections.presenting import standing
from apps.connections.reasons import Reason
from apps.directory import switching
from apps.directory.models import ClientRegistration, Endpoint
from tests.connections.conftest import page_after
from tests.connections.provider_stand_in import CODE, tokens
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

ACTOR = Actor.system("test")
SENTENCE = "We have turned off access to Harbor Family Practice for now. Your copy stays as it is."


@pytest.fixture(params=["registration", "endpoint"])
def switch(request):
    """Turns one of the two switches."""

    def turn(*, is_on: bool):
        at = timezone.now()
        if request.param == "endpoint":
            switching.switch_endpoint(Endpoint.objects.get(), is_on=is_on, actor=ACTOR, at=at)
        else:
            switching.switch_registration(ClientRegistration.objects.get(), is_on=is_on, actor=ACTOR, at=at)

    return turn


@pytest.fixture
def connection(traveller, place, stand_in) -> Connection:
    found = traveller.link(place)
    confirmed = confirming.confirm(found, candidate=0, at=found.created_at).connection
    stand_in.server.requests.clear()
    return confirmed


def stands(connection: Connection, *, after: timedelta = timedelta(0)) -> standing.ShownConnection:
    return standing.of_connection(Connection.objects.get(pk=connection.pk), at=datetime.now(UTC) + after)


class TestALinkUnderWay:
    def test_ends_with_a_page_that_says_so_and_sends_no_code(self, traveller, place, stand_in, switch):
        departed = traveller.leave(place)
        switch(is_on=False)
        page = page_after(traveller, traveller.come_back(place, code=CODE, state=departed.state))
        assert "for now, while you were signing in there" in page
        assert "nothing was copied" in page
        assert stand_in.server.requests == []
        assert AuthorizationRequest.objects.get().outcome == "switched_off"

    def test_does_not_leave_any_more(self, traveller, place, switch):
        departed = traveller.leave(place)
        switch(is_on=False)
        answer = traveller.client.get(departed.page)
        assert answer.status_code == 409
        shown = answer.content.decode()
        assert "We have turned off access to Harbor Family Practice for now." in shown
        assert departed.state not in shown
        switch(is_on=True)
        assert departed.state in traveller.client.get(departed.page).content.decode()

    def test_that_waits_for_its_yes_is_kept(self, traveller, place, switch):
        found = traveller.link(place)
        switch(is_on=False)
        confirming.confirm(found, candidate=0, at=found.created_at)
        assert stands(found).word == "Turned off for now"


class TestARefresh:
    def test_is_not_started(self, connection, stand_in, switch):
        at = connection.created_at + timedelta(hours=1)
        switch(is_on=False)
        with pytest.raises(refreshing.SwitchedOff):
            refreshing.usable_token(connection, at=at)
        assert stand_in.server.requests == []
        switch(is_on=True)
        stand_in.token = tokens(access_token="fresh")
        assert refreshing.usable_token(connection, at=at).reveal() == "fresh"

    def test_hands_out_no_token_that_still_lives(self, connection, switch):
        assert refreshing.usable_token(connection, at=connection.created_at).reveal()
        switch(is_on=False)
        with pytest.raises(refreshing.SwitchedOff):
            refreshing.usable_token(connection, at=connection.created_at)

    @pytest.mark.django_db(transaction=True)
    def test_is_not_started_where_it_was_switched_off_while_we_asked_for_addresses(self, connection, stand_in, switch):
        at = connection.created_at + timedelta(days=2, hours=-1)
        Endpoint.objects.update(interface="smart", dialect="smart", discovered_at=connection.created_at)
        ClientRegistration.objects.update(authentication="none")
        answer = stand_in.server.answer

        def switching_off(request):
            if "well-known" in request.path or "metadata" in request.path:
                try:
                    switch(is_on=False)
                finally:
                    database.close()
            yield from answer(request)

        stand_in.server.answer = switching_off
        with pytest.raises(refreshing.SwitchedOff):
            refreshing.usable_token(Connection.objects.get(), at=at)
        assert stand_in.server.requests != []
        assert stand_in.token_requests == []

    @pytest.mark.django_db(transaction=True)
    def test_that_was_under_way_is_kept(self, connection, stand_in, switch):
        def answering(_request):
            try:
                switch(is_on=False)
            finally:
                database.close()
            yield http(body={"access_token": "kept", "expires_in": 300})

        stand_in.token = answering
        at = connection.created_at + timedelta(hours=1)
        refreshing.usable_token(connection, at=at)
        switch(is_on=True)
        assert refreshing.usable_token(connection, at=at).reveal() == "kept"


class TestHowAConnectionStands:
    def test_says_that_nothing_is_for_the_patient_to_do(self, connection, switch):
        switch(is_on=False)
        found = stands(connection)
        assert (found.word, found.kind, found.needs_you, found.action) == ("Turned off for now", "off", False, "")
        assert found.sentence == f"{SENTENCE} You do not need to do anything."
        switch(is_on=True)
        assert stands(connection).word.startswith("Connected")

    def test_offers_no_sign_in_that_would_be_refused(self, connection, switch):
        connection.require_reauthorization(Reason.GRANT_ENDED, at=connection.created_at)
        switch(is_on=False)
        found = stands(connection)
        assert (found.needs_you, found.action) == (False, "")
        assert "Once access is on again, we will ask you to sign in there" in found.sentence
        switch(is_on=True)
        assert stands(connection).word == "Sign in to get updates"

    def test_stays_before_those_that_are_over(self, traveller, connection, make_place, switch):
        Connection.objects.update(created_at=timezone.now())
        gone = Connection.objects.get()
        gone.pk, gone._state.adding, gone.status, gone.ended_at = None, True, "disconnected", timezone.now()
        gone.fhir_patient_id = "another"
        gone.save(force_insert=True)
        switch(is_on=False)
        found = standing.of_user(traveller.user, at=timezone.now())
        assert [one.word for one in found] == ["Turned off for now", "Disconnected"]

    @pytest.mark.parametrize("address", ["/", "/connections/", "/connections/{pk}/"])
    def test_is_said_on_every_page_that_names_the_connection(self, traveller, connection, switch, address):
        switch(is_on=False)
        page = traveller.client.get(address.format(pk=connection.pk), follow=True).content.decode()
        assert "Turned off for now" in page
        assert "/sign-in/" not in page


class TestALinkThatLapsedMeanwhile:
    LONG = timedelta(hours=49)

    def test_is_told_while_it_is_off(self, connection, switch):
        switch(is_on=False)
        assert "You do not need to do anything." in stands(connection, after=timedelta(hours=47)).sentence
        assert "we will ask you to sign in there for updates" in stands(connection, after=self.LONG).sentence

    def test_needs_the_patient_as_soon_as_it_is_on_again(self, connection, stand_in, switch):
        switch(is_on=False)
        switch(is_on=True)
        found = stands(connection, after=self.LONG)
        assert (found.word, found.needs_you) == ("Sign in to get updates", True)
        assert "limits how long a sign-in lasts" in found.sentence
        with pytest.raises(refreshing.NeedsReauthorization):
            refreshing.usable_token(connection, at=datetime.now(UTC) + self.LONG)
        assert stand_in.token_requests == []

    def test_is_told_by_the_idle_limit_where_one_is_known(self, connection, switch):
        StoredTokenSet.objects.update(refresh_deadline_at=None, refresh_due_at=None)
        switch(is_on=False)
        month = timedelta(days=31)
        assert "You do not need to do anything." in stands(connection, after=month).sentence
        ClientRegistration.objects.update(idle_limit_days=30)
        assert "we will ask you to sign in there for updates" in stands(connection, after=month).sentence
