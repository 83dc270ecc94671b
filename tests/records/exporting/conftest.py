"""A user who has just given the password, with a connection that has a small record."""

import pytest

from tests.records.exporting.keeping import keep
from tests.records.exporting.taking import sign_in
from tests.records.linked import make_connection
from tests.records.people import R4_PATIENT, allergy


@pytest.fixture
def connection(alice):
    connection = make_connection(alice)
    keep(connection, R4_PATIENT, allergy("a1"))
    return connection


@pytest.fixture
def hers(client, alice):
    sign_in(client, alice)
    return client
