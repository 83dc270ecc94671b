"""A link by private_key_jwt while our signing keys rotate: the sandbox fetches our key set, or holds a copy that staff
uploaded, and verifies each step."""

import base64
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from urllib.parse import parse_qs

import pytest
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from apps.connections import refreshing
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import token_columns
from apps.directory import published_keys, reaching, rotating, signing
from apps.directory.models import SigningKey
from apps.wire import token_endpoint
from tests.connections.deployments import NOBODY, Deployment
from tests.faults.travelling import Traveller

pytestmark = pytest.mark.django_db(transaction=True)

Linked = Callable[..., tuple[Deployment, Connection]]


@pytest.fixture
def linked(deploy: Callable[..., Deployment], patient: Traveller) -> Linked:
    """A confirmed connection of a registration that proves itself with a key."""

    def link(**columns) -> tuple[Deployment, Connection]:
        place = deploy(authentication="private_key_jwt", minimum_refresh_seconds=0, **columns)
        connection = patient.found(place)
        patient.confirm(connection)
        return place, Connection.objects.get(pk=connection.pk)

    return link


@pytest.fixture
def by_address(linked: Linked, live_server: LiveServer) -> tuple[Deployment, Connection]:
    """Where the provider reads our key set at its address, on the running site."""
    return linked(application={"jwks": None, "jwks_url": f"{live_server.url}/.well-known/jwks.json"})


@pytest.fixture
def by_copy(linked: Linked) -> tuple[Deployment, Connection]:
    """Where the provider holds an uploaded copy."""
    return linked(key_set_is_fetched=False)


def refreshed_with(place: Deployment) -> str:
    """Have the access token run out and refresh; the id of the key that the provider verified."""
    place.sandbox.delete("/control/requests")
    StoredTokenSet.objects.update(access_expires_at=timezone.now())
    refreshing.usable_token(Connection.objects.get(), at=timezone.now())
    (request,) = place.sent(to="/token")
    header = parse_qs(request["body"])["client_assertion"][0].partition(".")[0]
    kid: str = json.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4)))["kid"]
    return kid


def rotate() -> rotating.Rotation:
    return rotating.rotate(actor=NOBODY, at=timezone.now())


def wait(key: SigningKey, how_long: timedelta) -> None:
    """As if this key were so much older."""

    def earlier(moment: datetime | None) -> datetime | None:
        return moment and moment - how_long

    row = SigningKey.objects.get(pk=key.pk)
    row.created_at, row.signs_from_at = row.created_at - how_long, row.signs_from_at - how_long
    row.superseded_at = earlier(row.superseded_at)
    row.save()


class TestALinkWhoseProviderReadsOurKeySet:
    def test_holds_through_every_step_of_a_rotation(self, by_address):
        place, _connection = by_address
        old = SigningKey.objects.get()
        assert refreshed_with(place) == old.kid
        wait(old, rotating.lasts())
        (new,) = rotate().published
        assert refreshed_with(place) == old.kid
        wait(new, published_keys.SPREADS_WITHIN)
        assert rotate().moved == (place.registration,)
        assert refreshed_with(place) == new.kid
        wait(old, signing.LEAVES_WITHIN)
        assert rotate().retired == (old,)
        assert refreshed_with(place) == new.kid
        assert Connection.objects.get().status == Connection.Status.ACTIVE

    def test_does_not_notice_a_rotation_while_a_request_is_on_its_way(self, by_address):
        """A worker has opened the old key, and sends what it signs when the key signs no more."""
        place, _connection = by_address
        old = SigningKey.objects.get()
        wait(old, rotating.lasts())
        (new,) = rotate().published
        wait(new, published_keys.SPREADS_WITHIN)
        in_hand = reaching.token_endpoint(place.endpoint, place.registration)
        assert rotate().superseded == (old,)
        token = token_columns.refresh_token(Connection.objects.get(), StoredTokenSet.objects.get())
        assert token is not None
        assert token_endpoint.refresh(in_hand, refresh_token=token).access_token.reveal()

    def test_is_made_with_the_new_key(self, by_address, patient):
        place, _connection = by_address
        old = SigningKey.objects.get()
        wait(old, rotating.lasts())
        (new,) = rotate().published
        wait(new, published_keys.SPREADS_WITHIN)
        rotate()
        patient.confirm(patient.found(place))
        assert refreshed_with(place) == new.kid

    def test_holds_when_a_key_is_given_up(self, by_address):
        """The sandbox asks once more for an id it does not know."""
        place, _connection = by_address
        done = rotating.give_up(SigningKey.objects.get(), actor=NOBODY, at=timezone.now())
        assert done.successor is not None
        assert refreshed_with(place) == done.successor.kid


class TestALinkWhoseProviderHoldsACopy:
    def test_holds_until_staff_gave_it_the_new_key_and_after(self, by_copy):
        place, _connection = by_copy
        old = SigningKey.objects.get()
        wait(old, rotating.lasts())
        (new,) = rotate().published
        wait(new, published_keys.SPREADS_WITHIN)
        assert rotate() == rotating.Rotation((), (), (), ())
        assert refreshed_with(place) == old.kid
        give_keys(place)
        assert refreshed_with(place) == old.kid
        rotating.hand_over(place.registration, new, actor=NOBODY, at=timezone.now())
        assert refreshed_with(place) == new.kid
        assert rotate().superseded == (old,)
        wait(old, signing.LEAVES_WITHIN)
        assert rotate().retired == (old,)
        assert refreshed_with(place) == new.kid


def give_keys(place: Deployment) -> None:
    """Staff upload our key set, as the admin shows it."""
    registration = place.registration
    place.sandbox.post(
        "/control/smart-applications",
        name="Holdfast",
        redirect_uris=[f"http://127.0.0.1:8000/connect/return/{registration.redirect_id}/"],
        client_id=registration.client_id,
        authentication="private_key_jwt",
        smart_version=registration.smart_version,
        jwks=json.loads(published_keys.key_set().body),
    )
