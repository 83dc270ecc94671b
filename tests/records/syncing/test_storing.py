"""Resources are stored as received, sealed for their owner."""

from datetime import timedelta
from uuid import uuid4

import pytest

from apps.records import places
from apps.records.models import Record, RecordVersion
from apps.records.syncing.received_rows import storing
from apps.vault import sealing
from apps.vault.errors import CannotOpen
from apps.vault.sealing import Holder
from apps.wire.fhir import Resource
from tests.records.linked import AT, make_connection, make_endpoint

pytestmark = pytest.mark.django_db

LATER = AT + timedelta(days=1)


def keep(connection, *resources, at=AT, run_id=None, new_types=()):
    with sealing.key_ring(Holder.user(connection.user_id)) as ring:
        return storing.keep(connection, resources, run_id=run_id or uuid4(), ring=ring, at=at, new_types=new_types)


def opened(record, sealed=None, user_id=None):
    place = places.body_place(
        connection_id=record.connection_id, resource_type=record.resource_type, logical_id=record.logical_id
    )
    holder = Holder.user(user_id or record.user_id)
    return sealing.open_body(bytes(sealed or record.sealed_body), holder=holder, place=place)


def body(text):
    return Resource("AllergyIntolerance", "a1", b'{"resourceType":"AllergyIntolerance","dose":13.20,"x":"%s"}' % text)


class TestKeeping:
    def test_keeps_the_body_exactly_as_received(self, connection):
        assert keep(connection, body(b"one")).new == 1
        assert opened(Record.objects.get()) == body(b"one").body

    def test_leaves_nothing_of_the_body_in_the_database(self, connection):
        keep(connection, body(b"Pteridine"))
        record = Record.objects.get()
        assert b"Pteridine" not in bytes(record.sealed_body)
        assert b"Pteridine" not in bytes(record.digest)

    def test_confirms_a_body_that_is_as_we_had_it(self, connection):
        keep(connection, body(b"one"))
        kept = keep(connection, body(b"one"), at=LATER)
        record = Record.objects.get()
        assert (kept.new, kept.changed, kept.unchanged) == (0, 0, 1)
        assert (record.first_received_at, record.received_at, record.confirmed_at) == (AT, AT, LATER)
        assert not RecordVersion.objects.exists()

    def test_keeps_the_earlier_version_of_a_body_that_changed(self, connection):
        keep(connection, body(b"one"))
        kept = keep(connection, body(b"two"), at=LATER)
        record = Record.objects.get()
        version = RecordVersion.objects.get()
        assert (kept.new, kept.changed, kept.unchanged) == (0, 1, 0)
        assert opened(record) == body(b"two").body
        assert (record.first_received_at, record.received_at) == (AT, LATER)
        assert opened(record, version.sealed_body) == body(b"one").body
        assert (version.record, version.received_at, version.superseded_at) == (record, AT, LATER)

    def test_counts_the_later_of_two_rows_with_one_id(self, connection):
        assert keep(connection, body(b"one"), body(b"two")).rows == 1
        assert opened(Record.objects.get()) == body(b"two").body

    def test_is_content_with_nothing(self, connection):
        assert keep(connection).rows == 0

    def test_takes_a_page_with_two_statements_and_one_that_we_have_with_one(
        self, connection, django_assert_num_queries
    ):
        rows = [Resource("AllergyIntolerance", f"b{n}", b'{"n":%d}' % n) for n in range(200)]
        keep(connection, body(b"first use makes the key"))
        with django_assert_num_queries(3):  # the data key, and the rows: those we have, the others
            assert keep(connection, *rows).new == 200
        with django_assert_num_queries(2):
            assert keep(connection, *rows).unchanged == 200

    def test_brings_back_what_was_gone(self, connection):
        keep(connection, body(b"one"))
        Record.objects.update(removed_at=AT)
        kept = keep(connection, body(b"one"), at=LATER)
        assert (kept.unchanged, kept.came_back, kept.differing) == (1, 1, 1)
        assert Record.objects.get().removed_at is None


class TestAPage:
    """Of several types and ids says something of those pairs alone, and nothing of one's type with another's id."""

    HELD = [(kind, name) for kind in ("AllergyIntolerance", "Condition") for name in ("1", "2")]
    CAME = [("AllergyIntolerance", "1"), ("Condition", "2")]

    @pytest.fixture(autouse=True)
    def held(self, connection):
        keep(connection, *(Resource(*key, b'{"x":1}') for key in self.HELD))
        Record.objects.update(removed_at=AT, unseen_at=AT)

    def test_brings_back_what_came_and_nothing_else(self, connection):
        keep(connection, *(Resource(*key, b'{"x":1}') for key in self.CAME), at=LATER)
        back = Record.objects.filter(removed_at=None, unseen_at=None, confirmed_at=LATER).order_by("pk")
        assert list(back.values_list("resource_type", "logical_id")) == self.CAME
        assert Record.objects.filter(removed_at=AT, confirmed_at=AT).count() == 2

    def test_supersedes_what_came_otherwise_and_nothing_else(self, connection):
        keep(connection, *(Resource(*key, b'{"x":2}') for key in self.CAME), at=LATER)
        versions = RecordVersion.objects.order_by("pk").values_list("record__resource_type", "record__logical_id")
        assert sorted(versions) == self.CAME
        back = Record.objects.filter(removed_at=None, unseen_at=None, received_at=LATER).order_by("pk")
        assert list(back.values_list("resource_type", "logical_id")) == self.CAME
        assert Record.objects.filter(removed_at=AT, unseen_at=AT, received_at=AT).count() == 2

    def test_is_as_we_had_it_once_it_came_otherwise(self, connection):
        for at in (LATER, LATER + timedelta(days=1)):
            kept = keep(connection, *(Resource(*key, b'{"x":2}') for key in self.CAME), at=at)
        assert (kept.changed, kept.unchanged, RecordVersion.objects.count()) == (0, 2, 2)

    def test_asks_nothing_of_the_others_that_the_same_run_brought(self, connection):
        run_id = uuid4()
        keep(connection, *(Resource(*key, b'{"x":1}') for key in self.HELD), run_id=run_id)
        kept = keep(connection, *(Resource(*key, b'{"x":2}') for key in self.CAME), run_id=run_id)
        assert (kept.new, kept.changed, kept.unchanged) == (0, 2, 0)


class TestATypeThatIsThoughtToBeNew:
    NEW = frozenset({"AllergyIntolerance"})

    def test_is_stored_by_one_statement(self, connection, django_assert_num_queries):
        rows = [Resource("AllergyIntolerance", f"b{n}", b'{"n":%d}' % n) for n in range(200)]
        keep(connection, body(b"first use makes the key"))
        with django_assert_num_queries(2):  # the data key, and the rows
            assert keep(connection, *rows, new_types=self.NEW).new == 200
        assert opened(Record.objects.get(logical_id="b7")) == b'{"n":7}'

    @pytest.mark.parametrize("said", [b"one", b"two"])
    def test_is_held_after_all_and_comes_to_the_same(self, connection, said):
        keep(connection, body(b"one"))
        rows = body(said), Resource("AllergyIntolerance", "a2", b'{"x":1}'), Resource("Patient", "p", b'{"y":1}')
        kept = keep(connection, *rows, at=LATER, new_types=self.NEW)
        is_same = said == b"one"
        assert (kept.new, kept.changed, kept.unchanged) == (2, not is_same, is_same)
        held = Record.objects.get(logical_id="a1")
        assert opened(held) == body(said).body
        assert (held.first_received_at, held.confirmed_at) == (AT, LATER)
        assert held.received_at == (AT if is_same else LATER)
        assert earlier("pk", of=held) == ([] if is_same else [body(b"one").body])

    def test_comes_back_where_it_was_gone(self, connection):
        keep(connection, body(b"one"))
        Record.objects.update(removed_at=AT)
        kept = keep(connection, body(b"one"), at=LATER, new_types=self.NEW)
        assert (kept.unchanged, kept.came_back) == (1, 1)
        assert Record.objects.get().removed_at is None

    def test_makes_no_earlier_version_of_what_the_same_run_brought(self, connection):
        run_id = uuid4()
        for number in range(3):
            at = AT + timedelta(seconds=number)
            keep(connection, body(b"%d" % number), run_id=run_id, at=at, new_types=self.NEW)
        assert earlier("pk") == []


class TestRecordsOfTwoConnections:
    @pytest.mark.conformance("C54")
    def test_with_one_patient_id_stay_apart(self, alice):
        first, second = make_connection(alice), make_connection(alice, make_endpoint("https://other.example/r4"))
        keep(first, Resource("Patient", "p-7301", b'{"from":"first"}'))
        keep(second, Resource("Patient", "p-7301", b'{"from":"second"}'))
        assert opened(Record.objects.get(connection=first)) == b'{"from":"first"}'
        assert opened(Record.objects.get(connection=second)) == b'{"from":"second"}'
        assert not RecordVersion.objects.exists()

    def test_with_one_body_are_confirmed_and_superseded_each_by_its_own(self, alice):
        first, second = make_connection(alice), make_connection(alice, make_endpoint("https://other.example/r4"))
        for connection in (first, second):
            keep(connection, body(b"one"))
        Record.objects.update(removed_at=AT, unseen_at=AT)
        keep(first, body(b"one"), at=LATER)
        other = Record.objects.get(connection=second)
        assert (other.confirmed_at, other.removed_at, other.unseen_at) == (AT, AT, AT)
        keep(first, body(b"two"), at=LATER)
        assert RecordVersion.objects.get().record == Record.objects.get(connection=first)
        assert opened(Record.objects.get(connection=second)) == body(b"one").body

    def test_do_not_open_in_each_others_place(self, alice):
        first, second = make_connection(alice), make_connection(alice, make_endpoint("https://other.example/r4"))
        keep(first, body(b"one"))
        keep(second, body(b"one"))
        moved = Record.objects.get(connection=first)
        with pytest.raises(CannotOpen):
            opened(Record.objects.get(connection=second), moved.sealed_body)


def observed(status, *, kind="Observation", note="", logical_id="o1"):
    said = f',"status":"{status}"' if status else ""
    return Resource(kind, logical_id, f'{{"resourceType":"{kind}"{said},"note":"{note}"}}'.encode())


class TestAResultThatSomebodyWaitsFor:
    @pytest.mark.parametrize("kind", ["Observation", "DiagnosticReport"])
    @pytest.mark.parametrize(
        ("before", "after", "is_concluded"),
        [
            ("registered", "final", True),
            ("preliminary", "final", True),
            ("partial", "corrected", True),
            ("final", "amended", True),
            ("", "final", True),
            ("final", "final", False),  # stamped anew
            ("registered", "preliminary", False),  # told as new when it came
            ("preliminary", "cancelled", False),
            ("final", "entered-in-error", False),
        ],
    )
    def test_is_concluded_where_its_provider_calls_it_finished_or_mended_now(
        self, connection, kind, before, after, is_concluded
    ):
        assert keep(connection, observed(before, kind=kind)).concluded == 0
        kept = keep(connection, observed(after, kind=kind, note="later"), at=LATER)
        assert (kept.changed, kept.concluded) == (1, int(is_concluded))
        assert keep(connection, observed(after, kind=kind, note="later"), at=LATER).concluded == 0

    def test_is_not_what_is_no_result_and_not_what_is_new(self, connection):
        keep(connection, observed("draft", kind="CarePlan"))
        kept = keep(connection, observed("final", kind="CarePlan"), observed("final"), at=LATER)
        assert (kept.new, kept.changed, kept.concluded) == (1, 1, 0)

    def test_is_one_that_was_there_before_the_run(self, connection):
        run_id = uuid4()
        keep(connection, observed("registered"), run_id=run_id)
        assert keep(connection, observed("final"), run_id=run_id).concluded == 0

    @pytest.mark.parametrize("odd", [b"{", b"[" * 9000, b'{"status":7}', b"[]"])
    def test_is_none_that_cannot_be_read(self, connection, odd):
        keep(connection, Resource("Observation", "o1", odd))
        assert keep(connection, Resource("Observation", "o1", odd + b" "), at=LATER).concluded == 0

    def test_is_found_among_many_by_one_question(self, connection, django_assert_num_queries):
        keep(connection, *(observed("registered", logical_id=f"o{number}") for number in range(30)))
        many = [observed("final", logical_id=f"o{number}") for number in range(30)]
        with django_assert_num_queries(5):  # the key, what is held just so, the bodies, the rows, old versions
            assert keep(connection, *many, at=LATER).concluded == 30


def earlier(*order, of=None):
    """The bodies that the one record had before."""
    record = of or Record.objects.get()
    return [opened(record, one.sealed_body) for one in RecordVersion.objects.filter(record=record).order_by(*order)]


class TestOneRun:
    """A provider that sends a resource again and again within one run, each time otherwise, erases nothing."""

    def test_makes_one_earlier_version_of_what_was_there_before_it(self, connection):
        keep(connection, body(b"said"), run_id=uuid4())
        run_id = uuid4()
        for number in range(storing.MOST_VERSIONS + 1):
            kept = keep(connection, body(b"%d" % number), run_id=run_id, at=LATER + timedelta(seconds=number))
            assert (kept.new, kept.changed, kept.unchanged) == (0, 1, 0)
        assert opened(Record.objects.get()) == body(b"%d" % storing.MOST_VERSIONS).body
        assert earlier("pk") == [body(b"said").body]

    def test_makes_none_of_what_it_brought_first(self, connection):
        run_id = uuid4()
        for number in range(3):
            keep(connection, body(b"%d" % number), run_id=run_id, at=AT + timedelta(seconds=number))
        assert earlier("pk") == []

    def test_makes_none_of_what_it_brought_and_confirmed(self, connection):
        run_id = uuid4()
        for number in range(8):
            keep(connection, body(b"%d" % (number // 2)), run_id=run_id, at=AT + timedelta(seconds=number))
        assert earlier("pk") == []

    def test_keeps_what_it_confirmed_before_it_brought_another(self, connection):
        keep(connection, body(b"said"))
        run_id = uuid4()
        for number, text in enumerate((b"said", b"said", b"other", b"third")):
            keep(connection, body(text), run_id=run_id, at=LATER + timedelta(seconds=number))
        assert opened(Record.objects.get()) == body(b"third").body
        assert earlier("pk") == [body(b"said").body]

    def test_hides_nothing_from_the_next(self, connection):
        for number in range(4):
            run_id = uuid4()
            for part in range(2):
                at = AT + timedelta(days=number, seconds=part)
                keep(connection, body(b"%d, %d" % (number, part)), run_id=run_id, at=at)
        assert earlier("pk") == [body(b"%d, 1" % number).body for number in range(3)]

    def test_leaves_the_versions_of_others_alone(self, connection, sam):
        theirs = make_connection(sam, make_endpoint("https://other.example/r4"))
        keep(theirs, body(b"said"))
        keep(theirs, body(b"other"))
        run_id = uuid4()
        for number in range(3):
            keep(connection, body(b"%d" % number), run_id=run_id)
        assert RecordVersion.objects.get().user == sam


def stamped(text, changed):
    return Resource("AllergyIntolerance", "a1", b'{"meta":{"lastUpdated":%s},"x":"%s"}' % (changed, text))


NEW, OLD = stamped(b"new", b'"2026-01-02T00:00:00Z"'), stamped(b"old", b'"2026-01-01T23:00:00-00:30"')


@pytest.mark.conformance("C55")
class TestARowThatComesTwiceInOneRun:
    @pytest.mark.parametrize("order", [(NEW, OLD), (OLD, NEW)], ids=["newest first", "oldest first"])
    @pytest.mark.parametrize("pages", [1, 2])
    @pytest.mark.parametrize("before", [None, OLD, NEW, body(b"before")], ids=["none", "old", "new", "other"])
    @pytest.mark.parametrize("new_types", [(), {"AllergyIntolerance"}], ids=["known", "thought new"])
    def test_is_the_one_that_was_changed_last(self, connection, order, pages, before, new_types):
        if before is not None:
            keep(connection, before)
        run_id = uuid4()
        for at, page in enumerate([order] if pages == 1 else [[one] for one in order]):
            there = Resource("AllergyIntolerance", f"b{at}", b"{}")
            kept = keep(connection, *page, there, at=LATER + timedelta(seconds=at), run_id=run_id, new_types=new_types)
            assert kept.rows == 2
        held = Record.objects.get(logical_id="a1")
        assert opened(held) == NEW.body
        assert held.confirmed_by_run == run_id
        said = [] if before in (None, NEW) else [before.body]
        assert earlier("pk", of=held) in (said, [] if before is None else [before.body])

    @pytest.mark.parametrize("odd", [b"7", b'"soon"', b"null", b'"2026"'])
    def test_is_the_later_where_one_does_not_say_when(self, connection, odd):
        run_id = uuid4()
        for row in (NEW, stamped(b"odd", odd if odd != b'"2026"' else b'"2027"')):
            keep(connection, row, run_id=run_id)
        assert b"odd" in opened(Record.objects.get())


class TestEarlierVersions:
    @pytest.fixture(autouse=True)
    def few(self, monkeypatch):
        monkeypatch.setattr(storing, "MOST_VERSIONS", 3)

    def test_of_a_resource_that_changes_each_time_stay_the_first_and_the_newest_few(self, connection):
        for number in range(6):
            keep(connection, body(b"%d" % number), at=AT + timedelta(days=number))
        assert opened(Record.objects.get()) == body(b"5").body
        assert earlier("superseded_at") == [body(b"%d" % n).body for n in (0, 3, 4)]

    def test_that_came_in_one_moment_go_in_the_order_they_came(self, connection):
        for number in range(6):
            keep(connection, body(b"%d" % number))
        assert earlier("pk") == [body(b"%d" % n).body for n in (0, 3, 4)]

    def test_are_all_there_up_to_so_many(self, connection):
        for number in range(4):
            keep(connection, body(b"%d" % number))
        assert earlier("pk") == [body(b"%d" % n).body for n in (0, 1, 2)]

    def test_of_other_resources_and_other_people_stay(self, connection, sam):
        theirs = make_connection(sam, make_endpoint("https://other.example/r4"))
        other = Resource("AllergyIntolerance", "a2", b'{"resourceType":"AllergyIntolerance","x":%d}')
        for number in range(3):
            for kept_for in (connection, theirs):
                keep(kept_for, body(b"%d" % number), Resource(other.resource_type, "a2", other.body % number))
        before = RecordVersion.objects.count()
        for number in range(3, 6):
            keep(connection, body(b"%d" % number))
        of_others = RecordVersion.objects.exclude(record__logical_id="a1", user=connection.user)
        assert (before, of_others.count(), RecordVersion.objects.count()) == (8, 6, 9)
