"""A slow provider delays its own patients and nobody else, with the real sandbox, workers and queue.

The two versions of the patient access API each have their own authorization server; one of them is slow here.
"""

import time
from collections.abc import Callable, Iterator

import pytest
from django.utils import timezone

from apps.connections import refreshing
from apps.connections.models import Connection
from apps.directory import credentials, registering
from apps.directory.models import ClientRegistration
from apps.records import syncing, tasks
from apps.records.models import SyncRun
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet
from config.celery import THREADS
from tests.faults.travelling import Place
from tests.fixtures.worker import working

pytestmark = pytest.mark.django_db(transaction=True)

LINKS = THREADS + 2
SLOW_SECONDS = 5
_LITTLE = "patient/Patient.read patient/AllergyIntolerance.read"


@pytest.fixture
def eight_workers(transactional_db: None) -> Iterator[None]:
    """One worker process as it is deployed, with all its threads."""
    with working(threads=THREADS, queues=["sync"]):
        yield


@pytest.fixture
def fast(sandbox, place) -> Place:
    """The same provider's other version, at an authorization server of its own."""
    endpoint = place.provider.endpoints.get(fhir_version="dstu2")
    registration = ClientRegistration.objects.create(
        authorization_server=endpoint.authorization_server,
        label="ours",
        status="approved",
        client_id="holdfast-fast",
        authentication="query",
        versions_added=["dstu2"],
        requests_per_minute=100_000,
        is_sandbox=True,
    )
    credentials.keep(registration, Secret(place.secret), at=timezone.now())
    sandbox.post(
        "/control/applications",
        name="Holdfast",
        client_id=registration.client_id,
        client_secret=place.secret,
        redirect_uris=[registering.redirect_uri(registration)],
        versions=["dstu2"],
        status="approved",
    )
    return Place(place.provider, endpoint, registration, place.secret)


def until(happens: Callable[[], bool], *, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def first_copy(like: Connection, user) -> SyncRun:
    """A link of this user beside `like`, with the same permission, and its first run, open."""
    connection = Connection.objects.create(
        user=user,
        endpoint=like.endpoint,
        provider=like.provider,
        registration=like.registration,
        status="active",
        fhir_patient_id=like.fhir_patient_id,
        created_at=timezone.now(),
        confirmed_at=timezone.now(),
        requested_scope=_LITTLE,  # a whole record would take this provider minutes
        granted_scope=_LITTLE,
    )
    token = refreshing.usable_token(like, at=timezone.now())
    tokens = TokenSet(token, 3600, Secret("unused"))
    refreshing.keep(connection, tokens, issued_at=timezone.now())
    return syncing.start(connection, cause=SyncRun.Cause.CONFIRMED, at=timezone.now())


def is_finished(connection: Connection, outcome: str) -> Callable[[], bool]:
    return connection.sync_runs.filter(outcome=outcome).exists


class TestFirstCopy:
    def test_does_not_wait_for_the_many_links_of_a_slow_provider(
        self, sandbox, place, fast, traveller, make_user, eight_workers
    ):
        linked = traveller.found(place)
        traveller.confirm(linked)
        until(is_finished(linked, "complete"), seconds=30)
        linked.refresh_from_db()
        hers = traveller.found(fast)
        Connection.objects.filter(pk=hers.pk).update(requested_scope=_LITTLE, granted_scope=_LITTLE)
        root = place.endpoint.fhir_base_url.removeprefix(sandbox.origin)
        sandbox.post("/control/faults", route="data", path=root, kind="slow", count=None, seconds=SLOW_SECONDS)
        slow = []
        for number in range(LINKS):
            slow.append(first_copy(linked, make_user(f"patient{number}@example.org")).pk)
            tasks.enqueue()
        of_slow = SyncRun.objects.filter(pk__in=slow)
        until(of_slow.filter(claim_id__isnull=False).exists, seconds=5)
        traveller.confirm(hers)
        until(is_finished(hers, "partial"), seconds=SLOW_SECONDS)  # not all of it is shared
        assert not of_slow.filter(finished_at__isnull=False).exists()
        until(lambda: not of_slow.exclude(outcome="partial").exists(), seconds=20 * SLOW_SECONDS)
