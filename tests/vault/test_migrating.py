"""The migrations of data keys, there and back, over keys that are in use."""

import uuid

import pytest
from django.db import IntegrityError
from django.db import connection as database

pytestmark = pytest.mark.usefixtures("migrating")

BEFORE, AFTER = ("vault", "0002_rewrapping"), ("vault", "0004_one_key_of_each_state")


def make(models, **columns):
    given = {"holder_kind": "user", "holder_id": uuid.uuid4(), "wrapped": b"w", "wrapping_key_id": "k", **columns}
    return models.get_model("vault", "DataKey").objects.create(**given)


class TestOneKeyOfEachState:
    def test_takes_keys_along_and_back(self, migrating):
        key = make(migrating.to(BEFORE))
        keys = migrating.to(AFTER).get_model("vault", "DataKey").objects
        assert keys.values_list("is_retired", "unused_since").get(pk=key.pk) == (False, None)
        models = migrating.to(BEFORE)
        with pytest.raises(IntegrityError):
            make(models, holder_id=key.holder_id)
        assert models.get_model("vault", "DataKey").objects.get(pk=key.pk).wrapped == b"w"
        migrating.to(AFTER)

    def test_does_not_go_back_over_a_key_that_is_retired(self, migrating):
        models = migrating.to(AFTER)
        keys = models.get_model("vault", "DataKey").objects
        key = make(models)
        make(models, holder_id=key.holder_id, is_retired=True)
        with pytest.raises(IntegrityError):
            migrating.to(BEFORE)
        assert keys.filter(holder_id=key.holder_id).count() == 2
        keys.filter(is_retired=True).delete()
        migrating.to(BEFORE)
        assert migrating.to(AFTER).get_model("vault", "DataKey").objects.filter(pk=key.pk).exists()

    def test_goes_back_though_going_back_was_cut_short(self, migrating):
        """After the constraint of before was made, and before the later one went."""
        migrating.to(AFTER)
        made = "ADD CONSTRAINT vault_one_data_key_per_holder UNIQUE NULLS NOT DISTINCT (holder_kind, holder_id)"
        with database.cursor() as cursor:
            cursor.execute(f"ALTER TABLE vault_datakey {made}")
        models = migrating.to(BEFORE)
        with pytest.raises(IntegrityError):
            make(models, holder_id=make(models).holder_id)
        migrating.to(AFTER)
