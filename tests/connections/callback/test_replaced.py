"""After a new sign-in, the old refresh token is revoked, if that cannot end the new permission as well."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.audit.recording import Actor
from apps.connections import revoking
from apps.connections.callback import confirming
from apps.connections.models import AuthorizationRequest, Connection, PendingRevocation, StoredTokenSet
from apps.connections.revoking import Told
from apps.directory import overriding
from apps.directory.models import AuthorizationServer
from tests.connections.provider_stand_in import CHILD, CODE, REFRESH, tokens
from tests.wire.servers import http

pytestmark = pytest.mark.django_db
ACTOR = Actor.system("test")


@pytest.fixture
def one_by_one(place):
    """Staff wrote that this server ends one permission at a time."""
    overriding.override(place.registration, {"revokes_replaced": "True"}, actor=ACTOR, at=timezone.now())


@pytest.fixture
def sign_in_again(traveller, place, connection, stand_in):
    def sign_in(**brought: object) -> None:
        stand_in.token = tokens(**{"access_token": "second-access", "refresh_token": "second-refresh", **brought})
        departed = traveller.leave(place, url=f"/connections/{connection.pk}/sign-in/")
        traveller.come_back(place, code=CODE, state=departed.state)

    return sign_in


def ended(stand_in) -> list[str]:
    """The tokens that a provider was asked to end."""
    revoking.tell_providers(at=timezone.now())
    return [dict(request.form)["token"] for request in stand_in.revocations]


class TestTheRefreshTokenBefore:
    def test_is_left_to_its_own_end_where_nobody_knows_what_else_would_end(self, sign_in_again, stand_in):
        sign_in_again()
        assert ended(stand_in) == []

    def test_is_ended_after_the_new_ones_were_stored(self, one_by_one, sign_in_again, stand_in):
        sign_in_again()
        assert stand_in.revocations == []  # the patient does not wait for it
        assert StoredTokenSet.objects.get().generation == 2
        assert ended(stand_in) == [REFRESH]
        assert not PendingRevocation.objects.exists()

    def test_is_tried_for_a_day(self, one_by_one, sign_in_again, stand_in):
        sign_in_again()
        stand_in.revoke = http(503)
        assert ended(stand_in) == [REFRESH]
        revoking.tell_providers(at=timezone.now() + timedelta(hours=23))
        assert PendingRevocation.objects.exists()
        stand_in.revoke = http()
        revoking.tell_providers(at=timezone.now() + timedelta(hours=25))
        assert not PendingRevocation.objects.exists()

    @pytest.mark.parametrize("brought", [{"refresh_token": REFRESH}])
    def test_is_kept_where_it_is_the_new_one_too(self, one_by_one, sign_in_again, stand_in, brought):
        sign_in_again(**brought)
        assert ended(stand_in) == []

    def test_is_ended_where_no_new_one_came(self, one_by_one, sign_in_again, stand_in):
        sign_in_again(refresh_token=None)
        assert ended(stand_in) == [REFRESH]

    def test_is_kept_where_somebody_else_signed_in(self, one_by_one, sign_in_again, stand_in):
        stand_in.patient = http(body=CHILD)
        sign_in_again()
        assert ended(stand_in) == ["second-refresh"]  # which nobody keeps

    def test_is_kept_where_nobody_can_be_told(self, one_by_one, sign_in_again):
        AuthorizationServer.objects.update(revocation_url="")
        sign_in_again()
        assert not PendingRevocation.objects.exists()
        assert StoredTokenSet.objects.get().generation == 2

    def test_that_does_not_open_keeps_nobody_from_signing_in(self, one_by_one, sign_in_again, stand_in):
        StoredTokenSet.objects.update(sealed_refresh_token=b"broken")
        sign_in_again()
        assert StoredTokenSet.objects.get().generation == 2
        assert ended(stand_in) == []

    def test_says_nothing_about_the_connection(self, one_by_one, sign_in_again, connection, stand_in):
        sign_in_again()
        assert revoking.told(connection) is Told.NEVER
        ended(stand_in)
        assert revoking.told(connection) is Told.NEVER

    def test_is_ended_by_the_registration_it_was_given_to(self, one_by_one, traveller, connection, newer, stand_in):
        departed = traveller.leave(newer, url=f"/connections/{connection.pk}/sign-in/")
        stand_in.token = tokens(access_token="second-access", refresh_token="second-refresh")
        traveller.come_back(newer, code=CODE, state=departed.state)
        assert Connection.objects.get().registration == newer.registration
        assert ended(stand_in) == [REFRESH]
        assert dict(stand_in.revocations[0].form)["client_id"] == "holdfast-client"

    def test_is_ended_where_a_link_made_anew_turns_out_to_be_this_one(
        self, one_by_one, traveller, place, connection, stand_in
    ):
        stand_in.token = tokens(access_token="second-access", refresh_token="second-refresh")
        unconfirmed = traveller.link(place)
        assert ended(stand_in) == []
        assert confirming.confirm(unconfirmed, candidate=0, at=unconfirmed.created_at).existed_before
        assert AuthorizationRequest.objects.filter(outcome="already_connected").exists()
        assert ended(stand_in) == [REFRESH]
