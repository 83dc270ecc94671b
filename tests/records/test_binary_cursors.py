"""Database cursors that read many sealed values at once."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from apps.records.binary_cursors import binary_cursor

pytestmark = pytest.mark.django_db

EVERY_BYTE = bytes(range(256))


class TestBinaryCursor:
    def test_brings_back_every_byte(self):
        values: dict[str, list[Any]] = {"values": [EVERY_BYTE, b""], "names": ["a'\\\"{},", "é\N{PILE OF POO}"]}
        with binary_cursor() as cursor:
            cursor.execute("SELECT * FROM unnest(%(values)b::bytea[], %(names)b::text[])", values)
            rows = [(bytes(value), name) for value, name in cursor.fetchall()]
        assert rows == list(zip(values["values"], values["names"], strict=True))

    def test_raises_what_django_raises(self):
        with pytest.raises(IntegrityError), transaction.atomic(), binary_cursor() as cursor:
            cursor.execute("INSERT INTO records_leaf (number) VALUES (%(number)s)", {"number": 1})

    def test_takes_part_in_the_transaction(self):
        with transaction.atomic():
            with binary_cursor() as cursor:
                cursor.execute("CREATE TABLE passing (value bytea)")
            transaction.set_rollback(True)
        with binary_cursor() as cursor:
            cursor.execute("SELECT to_regclass('passing')")
            assert cursor.fetchone() == (None,)

    def test_is_counted_as_a_query(self, django_assert_num_queries):
        with django_assert_num_queries(1), binary_cursor() as cursor:
            cursor.execute("SELECT %(values)b::bytea[]", {"values": [EVERY_BYTE]})
