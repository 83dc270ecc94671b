"""A sign-in of Alice's that found a person and waits for her answer."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.connections.authorization_responses import candidates
from apps.connections.models import Connection
from apps.wire.fhir import Resource
from tests.accounts.conftest import _fresh_counters
from tests.connections.conftest import connection, make_place, make_traveller, place, stand_in, traveller
from tests.portal import leavers
from tests.records import provider as providers
from tests.records.linked import give_tokens, make_connection, make_endpoint
from tests.records.people import PATIENT_ID, R4_PATIENT

# Fixtures of the accounts' tests: tries to sign in are counted anew; and of the connections' tests: somebody who really
# goes to a provider and comes back.
__all__ = ["_fresh_counters", "connection", "make_place", "make_traveller", "place", "stand_in", "traveller"]


@pytest.fixture
def provider():
    with providers.running() as running:
        yield running


@pytest.fixture
def endpoint(db, provider):
    return make_endpoint(provider.base_url, token_url=provider.server.url("/oauth/token"))


@pytest.fixture
def find(alice, endpoint):
    """Makes a connection that awaits confirmation, with the people found: `find(patient, other)`."""

    def find(*people):
        now = timezone.now()
        connection = make_connection(
            alice,
            endpoint,
            status=Connection.Status.AWAITING_CONFIRMATION,
            fhir_patient_id="",
            confirmed_at=None,
            confirm_by_at=now + timedelta(minutes=30),
        )
        found = [Resource("Patient", person["id"], json.dumps(person).encode()) for person in people]
        connection.sealed_candidates = candidates.seal(connection, candidates.read_candidates(found))
        connection.save()
        give_tokens(connection, issued_at=now)
        return connection

    return find


@pytest.fixture
def waiting(find):
    """One person was found."""
    return find(R4_PATIENT)


@pytest.fixture
def child():
    """Somebody else the same sign-in may read about."""
    return {**R4_PATIENT, "id": "p-8802", "name": [{"text": "Tam Quillfeather"}], "birthDate": "2015-07"}


@pytest.fixture
def linked(alice, endpoint, provider):
    """Alice's connection, with a record and an earlier version."""
    return leavers.link(alice, endpoint, provider)


@pytest.fixture
def patient_id():
    return PATIENT_ID
