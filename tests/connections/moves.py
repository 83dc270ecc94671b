"""For tests of `moving`: a provider that begins to issue tokens at another host, its links, and its requests."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from apps.audit.recording import Actor
from apps.connections import moving
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import early_refreshes
from apps.connections.refreshing.results import Outcome
from apps.directory import discovering
from apps.directory.models import Endpoint
from apps.directory.moving import Addresses

STAFF = Actor.system("tests")


def look_again(endpoint: Endpoint) -> None:
    """As the schedule does when a day, or a quarter of an hour, has passed."""
    rows = Endpoint.objects.filter(pk=endpoint.pk)
    rows.update(discovery_tried_at=F("discovery_tried_at") - timedelta(days=1), discovered_at=None)
    endpoint.refresh_from_db()
    discovering.keep_fresh(endpoint, at=timezone.now())
    endpoint.refresh_from_db()


def refresh(connection: Connection) -> Outcome | None:
    StoredTokenSet.objects.filter(pk=connection.pk).update(not_before_at=None)
    return early_refreshes.refresh_one(connection.pk, at=timezone.now()).outcome


def leads_to(place) -> Addresses:
    """What staff see of it now."""
    move = moving.look(Endpoint.objects.get(pk=place.endpoint.pk))
    assert move is not None
    return move.named


def approve(place, *, seen: Addresses | None = None) -> None:
    endpoint = Endpoint.objects.get(pk=place.endpoint.pk)
    moving.approve(endpoint, seen=seen or leads_to(place), actor=STAFF, at=timezone.now())


def asked_at(place) -> list[tuple[str, int]]:
    """Under which name the token address was asked, and how it answered."""
    return [(request["headers"]["Host"].partition(":")[0], request["status"]) for request in place.sent(to="/token")]


@pytest.fixture
def place(deploy):
    return deploy()


@pytest.fixture
def link(place, patient):
    connection = patient.found(place)
    patient.confirm(connection)
    place.sandbox.delete("/control/requests")
    return connection


@pytest.fixture
def moved(place, link):
    """The old address is gone, and discovery knows; nobody of ours has looked."""
    place.sandbox.post("/control/scenarios", name="tokens-moved-away")
    look_again(place.endpoint)
    return place
