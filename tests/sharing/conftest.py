"""A user with a small record who has just given the password, and a share of it."""

import pytest
from django.test import Client

from tests.records.exporting.keeping import keep
from tests.records.exporting.taking import sign_in
from tests.records.linked import make_connection
from tests.records.people import R4_PATIENT, allergy
from tests.sharing.giving import share_of


@pytest.fixture
def connection(alice):
    connection = make_connection(alice)
    keep(connection, R4_PATIENT, allergy("a1"))
    return connection


@pytest.fixture
def hers(client, alice):
    sign_in(client, alice)
    return client


@pytest.fixture
def share(alice, connection):
    return share_of(alice, connection)


@pytest.fixture
def visitor():
    """A browser of somebody without an account."""
    return Client()
