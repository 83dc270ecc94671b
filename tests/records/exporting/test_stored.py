"""A connection's records are read for a copy completely and in order, and never many at once."""

import secrets

import pytest

from apps.records.exporting import choosing, stored
from apps.records.models import Record
from apps.vault import sealing
from apps.vault.sealing import Holder
from tests.records.exporting.keeping import keep
from tests.records.linked import AT, make_connection
from tests.records.people import allergy

pytestmark = pytest.mark.django_db

LENGTHS = (10, 10, 3_000, 10, 3_000, 3_000, 10, 10, 10)


@pytest.fixture
def connection(alice):
    connection = make_connection(alice)
    keep(connection, *(allergy(f"a{number}", note=secrets.token_hex(each)) for number, each in enumerate(LENGTHS)))
    return connection


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Bounds so low that nine rows reach them."""
    monkeypatch.setattr(stored, "_ROWS_AT_ONCE", 2)
    monkeypatch.setattr(stored, "_SEALED_AT_ONCE", 2_000)
    monkeypatch.setattr(stored, "_LOOKED_AT_ONCE", 4)


def source_of(connection):
    (choice,) = choosing.choices(connection.user, at=AT)
    return choice.source


class TestWhatIsRead:
    def test_is_opened_a_few_at_a_time_and_of_long_bodies_one(self, connection):
        with sealing.key_ring(Holder.user(connection.user_id)) as ring:
            batches = [[row.logical_id for row in batch] for batch in stored.batches(source_of(connection), ring)]
        assert batches == [["a0", "a1"], ["a2"], ["a3"], ["a4"], ["a5"], ["a6", "a7"], ["a8"]]

    def test_is_the_same_of_those_that_were_chosen(self, connection):
        wanted = Record.objects.exclude(logical_id__in=("a1", "a4")).values_list("pk", flat=True)
        with sealing.key_ring(Holder.user(connection.user_id)) as ring:
            found = [[row.logical_id for row in batch]
                     for batch in stored.chosen(source_of(connection), ring, [*wanted, 0])]  # fmt: skip
        assert [one for batch in found for one in batch] == ["a0", "a2", "a3", "a5", "a6", "a7", "a8"]
        assert max(map(len, found)) <= 2

    def test_has_every_earlier_version(self, connection):
        keep(connection, *(allergy(f"a{number}") for number in range(len(LENGTHS))), at=AT)
        earlier = [row.logical_id for row in stored.earlier(source_of(connection))]
        assert earlier == [f"a{number}" for number in range(len(LENGTHS))]
