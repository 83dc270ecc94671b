"""An account is closed while something of it is under way: a calm page, nothing is stored, tokens are revoked."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.urls import reverse
from django.utils import timezone

from apps.connections import refreshing, revoking
from apps.connections.authorization_requests import binding, creating
from apps.connections.callback import completing, confirming
from apps.connections.models import AuthorizationRequest, Connection, StoredTokenSet
from apps.directory.models import Endpoint
from apps.portal import closing, disconnection
from apps.vault import shredding
from apps.vault.sealing import Holder
from apps.wire.errors import Unavailable
from tests.connections.provider_stand_in import CODE, PERSON, REFRESH, tokens
from tests.wire.servers import http

pytestmark = pytest.mark.django_db(transaction=True)


def meanwhile(work: Callable[[], Any], answer: bytes) -> Callable[[Any], Iterator[bytes]]:
    """The provider's answer, before which something happens elsewhere."""

    def answering(_request: Any) -> Iterator[bytes]:
        try:
            work()
        finally:
            connections.close_all()
        yield answer

    return answering


@pytest.fixture
def close(alice):
    return lambda: closing.close(alice, at=timezone.now())


def given_back(stand_in):
    return [dict(request.form)["token"] for request in stand_in.revocations]


class TestASignInThatComesBack:
    @pytest.fixture
    def departed(self, traveller, place):
        return traveller.leave(place)

    def assert_it_ends_calmly(self, traveller, place, departed):
        answer = traveller.come_back(place, code=CODE, state=departed.state)
        assert answer["Location"] == "/connect/answer/account_closed/"
        page = traveller.client.get(answer["Location"])
        assert "This account is closed" in page.content.decode()
        assert "Nothing was copied" in page.content.decode()
        assert not Connection.objects.exists()
        assert not AuthorizationRequest.objects.exists()

    @pytest.mark.conformance("C47")
    def test_keeps_nothing_and_gives_the_tokens_back(self, traveller, place, departed, stand_in, close):
        stand_in.patient = meanwhile(close, http(body=PERSON))
        self.assert_it_ends_calmly(traveller, place, departed)
        assert given_back(stand_in) == [REFRESH]

    @pytest.mark.conformance("C65")
    def test_gives_the_tokens_back_later_where_nobody_answers(self, traveller, place, departed, stand_in, close):
        stand_in.patient = meanwhile(close, http(body=PERSON))
        stand_in.revoke = http(503)
        self.assert_it_ends_calmly(traveller, place, departed)
        stand_in.revoke = http()
        assert revoking.tell_providers(at=timezone.now() + timedelta(minutes=1)) == 1
        assert given_back(stand_in) == [REFRESH, REFRESH]

    def test_keeps_nothing_where_it_failed_as_well(self, traveller, place, departed, stand_in, close):
        stand_in.token = meanwhile(close, http(400, {"error": "invalid_grant"}))
        self.assert_it_ends_calmly(traveller, place, departed)

    def test_is_no_more_when_it_comes_late(self, traveller, place, departed, stand_in, close):
        close()
        self.assert_it_ends_calmly(traveller, place, departed)
        assert stand_in.server.requests == []

    def test_is_known_to_no_other_browser_and_by_no_other_state(self, traveller, client, place, departed, close):
        close()
        forged = "/connect/answer/forged/"
        assert traveller.come_back(place, code=CODE, state="another")["Location"] == forged
        assert client.get(place.callback, {"code": CODE, "state": departed.state})["Location"] == forged
        client.cookies["browser"] = "a" * 43
        assert client.get(place.callback, {"code": CODE, "state": departed.state})["Location"] == forged

    def test_cannot_be_claimed_when_its_request_went_a_moment_ago(self, traveller, place, departed, close, monkeypatch):
        found = AuthorizationRequest.objects.select_related("registration__authorization_server").get()
        close()
        monkeypatch.setattr(completing, "_find", lambda *_given: found)
        self.assert_it_ends_calmly(traveller, place, departed)

    def test_says_whose_matter_it_is_where_the_vault_cannot_be_used(self, traveller, place, departed, stand_in, alice):
        shred = lambda: shredding.shred(Holder.user(alice.pk))  # noqa: E731
        stand_in.patient = meanwhile(shred, http(body=PERSON))
        traveller.come_back(place, code=CODE, state=departed.state)
        assert "this is our problem" in traveller.client.get(departed.page).content.decode()
        assert not Connection.objects.exists()
        assert given_back(stand_in) == [REFRESH]

    @pytest.mark.parametrize("answer", ["code", "error"])
    def test_that_was_to_renew_keeps_nothing_either(self, traveller, place, connection, stand_in, close, answer):
        stand_in.token = tokens(access_token="second-access", refresh_token="second-refresh")
        departed = traveller.leave(place, url=f"/connections/{connection.pk}/sign-in/")
        stand_in.patient = meanwhile(close, http(body=PERSON) if answer == "code" else http(500))
        self.assert_it_ends_calmly(traveller, place, departed)
        assert "second-refresh" in given_back(stand_in)

    @pytest.mark.parametrize("is_back", [True, False], ids=["while we ask", "before it comes back"])
    def test_that_was_to_renew_what_was_deleted_says_that_it_was_closed(
        self, traveller, place, connection, stand_in, is_back
    ):
        stand_in.token = tokens(access_token="second-access", refresh_token="second-refresh")
        departed = traveller.leave(place, url=f"/connections/{connection.pk}/sign-in/")
        delete = lambda: disconnection.disconnect(connection, keeps_copy=False, at=timezone.now())  # noqa: E731
        if is_back:
            stand_in.patient = meanwhile(delete, http(body=PERSON))
        else:
            delete()
        traveller.come_back(place, code=CODE, state=departed.state)
        assert "This sign-in was closed" in traveller.client.get(departed.page).content.decode()
        assert "second-refresh" in given_back(stand_in)
        assert not Connection.objects.exists()


class TestALinkThatWaits:
    @pytest.fixture
    def waiting(self, traveller, place):
        return traveller.link(place)

    def test_comes_too_late_for_a_yes(self, waiting, close):
        close()
        with pytest.raises(confirming.TooLate):
            confirming.confirm(waiting, candidate=0, at=waiting.created_at)

    def test_comes_too_late_for_a_no(self, waiting, close):
        close()
        assert not confirming.decline(waiting, at=waiting.created_at)

    def test_has_nobody_to_choose_when_the_key_is_gone(self, traveller, waiting, alice):
        shredding.shred(Holder.user(alice.pk))
        address = reverse("confirm", args=[waiting.pk])
        for page in (traveller.client.get(address), traveller.client.post(address, {"answer": "yes", "candidate": 0})):
            assert page.status_code == 200
            assert "Nothing was copied" in page.content.decode()
        with pytest.raises(confirming.TooLate):
            confirming.confirm(waiting, candidate=0, at=waiting.created_at)

    def test_hands_nothing_over_when_the_key_is_gone(self, traveller, place, connection, alice):
        again = traveller.link(place)
        people = confirming.candidates(again)
        assert people
        shredding.shred(Holder.user(alice.pk))
        with pytest.raises(confirming.TooLate):
            confirming.confirm(again, candidate=0, at=again.created_at)
        assert StoredTokenSet.objects.count() == 2


class TestALinkThatBegins:
    def test_is_not_begun_for_an_account_that_is_gone(self, alice, place, close):
        close()
        with pytest.raises(creating.ConsentMissing):
            creating.create(
                user=alice, provider=place.provider, endpoint=place.endpoint, browser=binding.new_browser(),
                at=timezone.now(),
            )  # fmt: skip

    @pytest.mark.parametrize("keeps_copy", [True, False])
    def test_to_renew_what_ends_while_its_provider_is_asked_leads_to_those_there_are(
        self, traveller, connection, stand_in, keeps_copy
    ):
        Endpoint.objects.update(interface="smart", dialect="smart", discovered_at=None)
        end = lambda: disconnection.disconnect(connection, keeps_copy=keeps_copy, at=timezone.now())  # noqa: E731
        stand_in.server.answer = meanwhile(end, http(404))
        answer = traveller.client.post(reverse("reauthorize", args=[connection.pk]))
        assert (answer.status_code, answer["Location"]) == (302, reverse("connections"))
        assert not AuthorizationRequest.objects.filter(claimed_at__isnull=True).exists()

    def test_leads_nowhere_when_the_key_is_gone(self, alice, place, traveller, make_place):
        place.registration.uses_pkce = True
        place.registration.save()
        departed = traveller.leave(place)
        shredding.shred(Holder.user(alice.pk))
        assert "Still waiting" in traveller.client.get(departed.page).content.decode()


class TestARefresh:
    def later(self, connection):
        return StoredTokenSet.objects.get(pk=connection.pk).access_expires_at

    def test_of_an_account_that_is_gone_asks_for_a_new_sign_in(self, connection, stand_in, close):
        close()
        before = len(stand_in.server.requests)
        with pytest.raises(refreshing.NeedsReauthorization):
            refreshing.usable_token(connection, at=timezone.now())
        assert len(stand_in.server.requests) == before

    def test_whose_key_is_gone_asks_for_a_new_sign_in(self, connection, alice):
        shredding.shred(Holder.user(alice.pk))
        with pytest.raises(refreshing.NeedsReauthorization):
            refreshing.usable_token(connection, at=timezone.now())

    @pytest.mark.parametrize(
        "answer", [tokens(refresh_token="fresh"), http(400, {"error": "invalid_grant"}), http(503)]
    )
    def test_under_way_gives_back_what_it_receives(self, connection, stand_in, close, answer):
        stand_in.token = meanwhile(close, answer)
        with pytest.raises((refreshing.NeedsReauthorization, Unavailable)):
            refreshing.usable_token(connection, at=self.later(connection))
        assert not StoredTokenSet.objects.exists()
        assert ("fresh" in given_back(stand_in)) == (b"fresh" in answer)

    def test_whose_key_alone_goes_while_it_is_under_way_keeps_nothing_that_opens(self, connection, stand_in, alice):
        """The key and the rows go in one transaction, as above; this is less than ever happens."""
        shred = lambda: shredding.shred(Holder.user(alice.pk))  # noqa: E731
        stand_in.token = meanwhile(shred, tokens(refresh_token="fresh"))
        at = self.later(connection)
        refreshing.usable_token(connection, at=at)
        with pytest.raises(refreshing.NeedsReauthorization):
            refreshing.usable_token(connection, at=at)
