"""A registration that another one replaced is not tried: nobody links by it any more."""

from typing import Any

import pytest
from django.utils import timezone

from apps.connections.authorization_requests import binding
from apps.connections.authorization_requests.creating import CannotLink
from apps.connections.models import AuthorizationRequest, Trial
from apps.connections.trials import beginning, signing_in
from apps.directory import credentials
from apps.directory.linkability import Obstacle
from apps.directory.models import ClientRegistration
from apps.wire.secret import Secret
from tests.connections.conftest import Place
from tests.connections.provider_stand_in import SECRET, StandIn
from tests.connections.trials.conftest import Trier

pytestmark = pytest.mark.django_db(transaction=True)


def replace(place: Place) -> None:
    """Retire the registration; another one, as good, stands in its place."""
    at = timezone.now()
    old = ClientRegistration.objects.get(pk=place.registration.pk)
    ClientRegistration.objects.filter(pk=old.pk).update(status="retired")
    names = ("authorization_server", "authentication", "versions_added", "uses_pkce", "is_sandbox")
    columns = {name: getattr(old, name) for name in names}
    new = ClientRegistration.objects.create(label="another", status="approved", client_id="another", **columns)
    credentials.keep(new, Secret(SECRET), at=at)


class TestAReplacedRegistration:
    def test_is_not_tried(self, stella: Any, place: Place, stand_in: StandIn) -> None:
        replace(place)
        with pytest.raises(beginning.NotServed):
            beginning.begin(place.registration, place.endpoint, staff_id=stella.pk, at=timezone.now())
        assert not Trial.objects.exists()
        assert stand_in.server.requests == []

    def test_is_not_left_for(self, trier: Trier, place: Place) -> None:
        begun = trier.begin()
        replace(place)
        trial = Trial.objects.get(pk=begun.pk)
        with pytest.raises(CannotLink) as refusal:
            signing_in.begin(trial, user=trier.user, browser=binding.new_browser(), at=timezone.now())
        assert refusal.value.obstacle is Obstacle.NO_REGISTRATION
        assert not AuthorizationRequest.objects.exists()
