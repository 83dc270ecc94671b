"""The migrations of data keys, forwards and backwards, over keys that are in use."""

import uuid
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from django.db import IntegrityError
from django.db import connection as database

from tests.fixtures.migrating import Migrating

pytestmark = pytest.mark.django_db  # by which the database of tests is made, also where only these run

BEFORE, AFTER = ("vault", "0002_rewrapping"), ("vault", "0004_one_key_of_each_state")


class Seen(NamedTuple):
    """A key on its way there and back; what stood where going back was refused; and whether two keys of one holder are
    refused after going back."""

    there: tuple[Any, ...]
    back: bytes
    second_is_refused: bool
    retired_stops_it: bool
    kept: int
    left: int
    second_is_refused_after_a_cut: bool


@pytest.fixture(scope="module")
def seen(migrating: Migrating) -> Seen:
    """There and back; over a key that is retired; and back after going back was cut short."""
    key = make(migrating.to(BEFORE))
    there = keys_in(migrating.to(AFTER)).values_list("is_retired", "unused_since").get(pk=key.pk)
    models = migrating.to(BEFORE)
    back = bytes(keys_in(models).get(pk=key.pk).wrapped)
    second_is_refused = is_refused(lambda: make(models, holder_id=key.holder_id))
    keys = keys_in(later := migrating.to(AFTER))
    make(later, holder_id=key.holder_id, is_retired=True)
    retired_stops_it = is_refused(lambda: migrating.to(BEFORE))
    kept = keys.filter(holder_id=key.holder_id).count()
    keys.filter(is_retired=True).delete()
    migrating.to(BEFORE)
    left = keys_in(migrating.to(AFTER)).filter(pk=key.pk).count()
    made = "ADD CONSTRAINT vault_one_data_key_per_holder UNIQUE NULLS NOT DISTINCT (holder_kind, holder_id)"
    with database.cursor() as cursor:  # as where it was killed before the later constraint went
        cursor.execute(f"ALTER TABLE vault_datakey {made}")
    models = migrating.to(BEFORE)
    after_a_cut = is_refused(lambda: make(models, holder_id=key.holder_id))
    return Seen(there, back, second_is_refused, retired_stops_it, kept, left, after_a_cut)


def make(models: Any, **columns: Any) -> Any:
    given = {"holder_kind": "user", "holder_id": uuid.uuid4(), "wrapped": b"w", "wrapping_key_id": "k", **columns}
    return keys_in(models).create(**given)


def keys_in(models: Any) -> Any:
    return models.get_model("vault", "DataKey").objects


def is_refused(step: Callable[[], object]) -> bool:
    try:
        step()
    except IntegrityError:
        return True
    return False


class TestOneKeyOfEachState:
    def test_takes_keys_along_and_back(self, seen):
        assert seen.there == (False, None)
        assert seen.back == b"w"
        assert seen.second_is_refused

    def test_does_not_go_back_over_a_key_that_is_retired(self, seen):
        assert seen.retired_stops_it
        assert (seen.kept, seen.left) == (2, 1)

    def test_goes_back_though_going_back_was_cut_short(self, seen):
        """After the constraint of before was made, and before the later one went."""
        assert seen.second_is_refused_after_a_cut
