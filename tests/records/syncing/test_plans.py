"""Storing a page reads each row of its owner at most once, whatever Postgres's statistics say about its tables.

Postgres believes that a table which was emptied row by row and vacuumed is empty, however it grows, until it is
analyzed again. Every plan then seems to cost the same, and it chose to read all rows of a person for each row of a
page.
"""

import contextlib
from uuid import uuid4

import pytest
from django.db import connection as database
from django.db import transaction

from apps.records.syncing.received_rows import storing
from apps.vault import sealing
from apps.vault.sealing import Holder
from apps.wire.fhir import Resource
from tests.records.linked import AT, make_connection

pytestmark = pytest.mark.django_db

HELD = 1500
PAGE = 50
# A page reads its rows, and looks them up once more to change them, besides one pass over all.
ONE_PASS = HELD + 4 * PAGE


def page(start, stop, *, said):
    return [Resource("Observation", f"o{n}", b'{"resourceType":"Observation","n":%d,"x":"%s"}' % (n, said))
            for n in range(start, stop)]  # fmt: skip


def keep(connection, rows, *, run_id, new_types=()):
    with sealing.key_ring(Holder.user(connection.user_id)) as ring:
        return storing.keep(connection, rows, run_id=run_id, ring=ring, at=AT, new_types=new_types)


@pytest.fixture
def connection(alice):
    connection = make_connection(alice)
    keep(connection, page(0, HELD, said=b"first"), run_id=uuid4())
    return connection


@pytest.fixture(params=["empty", "crowded", "analyzed"])
def believed(request, connection):
    """What the statistics say; they are as they were when the test has ended."""
    with database.cursor() as cursor:
        if request.param == "analyzed":
            cursor.execute("ANALYZE records_record, records_recordversion")
            return
        rows = {"empty": 0, "crowded": 10_000_000}[request.param]
        cursor.execute(
            "UPDATE pg_class SET reltuples = %s, relpages = 100 WHERE oid = ANY(%s::regclass[])",
            [rows, ["records_record", "records_recordversion", "one_record_per_resource"]],
        )


@contextlib.contextmanager
def looking():
    """How many rows of records and their versions each statement looks at."""
    seen = []

    def explain(execute, sql, values, many, context):
        if "records_record" in sql:
            cursor = context["cursor"]
            with contextlib.suppress(_Undone), transaction.atomic():
                execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", values, many, context)
                seen.append(_rows(cursor.fetchone()[0][0]["Plan"]))
                raise _Undone
        return execute(sql, values, many, context)

    with database.execute_wrapper(explain):
        yield seen


class _Undone(Exception):
    """What was explained has happened, and is taken back."""


def _rows(node):
    own = 0
    if node.get("Relation Name", "").startswith("records_record") and node["Node Type"] != "ModifyTable":
        away = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
        own = (node["Actual Rows"] + away) * node["Actual Loops"]
    return own + sum(_rows(part) for part in node.get("Plans", ()))


@pytest.mark.usefixtures("believed")
class TestAPage:
    def test_that_is_as_we_have_it_is_confirmed_in_one_pass(self, connection):
        with looking() as seen:
            kept = keep(connection, page(0, PAGE, said=b"first"), run_id=uuid4())
        assert (kept.unchanged, len(seen)) == (PAGE, 1)
        assert max(seen) <= ONE_PASS

    def test_that_differs_is_stored_in_one_pass(self, connection):
        run_id = uuid4()
        with looking() as seen:
            kept = keep(connection, page(0, PAGE, said=b"second"), run_id=run_id)
        assert (kept.changed, len(seen)) == (PAGE, 3)
        assert max(seen) <= ONE_PASS

    def test_that_is_new_is_stored_in_one_pass(self, connection):
        with looking() as seen:
            kept = keep(connection, page(HELD, HELD + PAGE, said=b"new"), run_id=uuid4())
        assert (kept.new, len(seen)) == (PAGE, 2)
        assert max(seen) <= ONE_PASS

    def test_of_a_type_that_is_thought_to_be_new_looks_at_no_row(self, connection):
        with looking() as seen:
            kept = keep(connection, page(HELD, HELD + PAGE, said=b"new"), run_id=uuid4(), new_types={"Observation"})
        assert (kept.new, seen) == (PAGE, [0])
