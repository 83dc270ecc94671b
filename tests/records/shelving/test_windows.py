"""However many shelves there are, a page shows the same rows as if all were one sorted list."""

import re
import tracemalloc
from uuid import UUID

import msgspec
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.records import shelving
from apps.records.models import Leaf, Record
from apps.records.presenters.datatypes.moments import UNDATED
from apps.records.presenters.normalizing import normalized
from apps.records.presenters.observations.results import ResultEntry
from apps.records.senders import NOBODY
from apps.records.shelving import (
    fetching_leaves,
    indexing,
    matching,
    reading,
    search_terms,
    searching,
    values_over_time,
    word_leaves,
)
from apps.records.shelving.arranging import Arrangement
from apps.records.shelving.external_sorting import Spool
from apps.records.shelving.fetching_leaves import Outdated, Source
from apps.records.shelving.indexing import Head, Index, Standing, Stretch, Words
from apps.records.shelving.open_shelf import OpenShelf
from apps.records.shelving.search_terms import MARK
from apps.records.subjects import ALLERGIES, OTHER, RESULTS, VITALS
from apps.records.subjects import LISTED as LISTED_SUBJECTS
from apps.vault import sealing
from apps.vault.sealing import Holder, KeyRing
from tests.records.linked import AT
from tests.records.people import allergy
from tests.records.shelved import keep, result

ONE = UUID(int=1)
LISTED = {"results": Arrangement.LISTED}


@pytest.fixture
def ring(alice):
    with sealing.key_ring(Holder.user(alice.pk)) as ring:
        yield ring


def shelves(user, ring, subject=RESULTS):
    return reading.shelves(user.pk, ring, subjects=[subject.key])


def names(rows):
    return [row.entry.logical_id for row in rows]


@pytest.mark.django_db
class TestBuilding:
    def test_makes_leaves_of_fifty_newest_first(self, alice, connection, ring):
        keep(connection, *(result(number) for number in range(120)))
        (shelf,) = shelves(alice, ring)
        assert [head.count for head in shelf.stretch(Arrangement.LISTED).heads] == [50, 50, 20]
        assert shelf.index.years == {"2024": 120}
        assert shelf.index.newest == "2024-12-31"
        rows = reading.window([shelf], LISTED, 0, 3, ring)
        assert names(rows) == ["o0", "o1", "o2"]

    def test_leaves_out_and_counts_what_was_a_mistake_or_is_gone(self, alice, connection, ring):
        keep(connection, result(1), {**result(2), "status": "entered-in-error"}, result(3))
        (shelf,) = shelves(alice, ring)
        assert (shelf.index.count, shelf.index.withdrawn) == (2, 1)

    def test_keeps_an_entry_of_what_cannot_be_read(self, alice, connection, ring):
        keep(connection, {"resourceType": "Observation", "id": "odd", "code": 7, "valueQuantity": [[]]})
        (shelf,) = shelves(alice, ring)
        (row,) = reading.window([shelf], LISTED, 0, 50, ring)
        assert isinstance(row.entry, ResultEntry)

    def test_puts_each_resource_on_one_shelf(self, alice, connection, ring):
        vital = {**result(2), "category": [{"coding": [{"code": "vital-signs"}]}]}
        keep(connection, result(1), vital, allergy("a1"), {"resourceType": "Never", "id": "n1"})
        counts = {
            subject.key: [shelf.index.count for shelf in shelves(alice, ring, subject)]
            for subject in (RESULTS, VITALS, ALLERGIES, OTHER)
        }
        assert counts == {"results": [1], "vitals": [1], "allergies": [1], "other": [1]}

    def test_again_leaves_no_leaf_of_before(self, connection):
        keep(connection, *(result(number) for number in range(60)))
        before = set(Leaf.objects.values_list("build", flat=True))
        count = Leaf.objects.count()
        shelving.rebuild_all(connection, at=AT)
        assert Leaf.objects.count() == count
        assert not before & set(Leaf.objects.values_list("build", flat=True))

    def test_names_people_and_medicines_that_come_by_reference(self, alice, connection, ring):
        doctor = {"resourceType": "Practitioner", "id": "dr", "name": [{"text": "Dr. Orla Vantongeren"}]}
        keep(connection, {**result(1), "performer": [{"reference": "Practitioner/dr"}]}, doctor)
        (row,) = reading.window(shelves(alice, ring), LISTED, 0, 1, ring)
        assert row.entry is not None
        assert row.entry.people == ("Dr. Orla Vantongeren",)


@pytest.mark.django_db
class TestWindow:
    @pytest.mark.parametrize("start", [0, 50, 100, 130])
    def test_of_several_shelves_is_that_of_one_list(self, alice, connection, other, ring, start):
        keep(connection, *(result(number) for number in range(0, 140, 2)))
        keep(other, *(result(number) for number in range(1, 140, 2)))
        rows = reading.window(shelves(alice, ring), LISTED, start, start + 50, ring)
        assert names(rows) == [f"o{number}" for number in range(start, min(start + 50, 140))]

    def test_opens_few_leaves(self, alice, connection, ring, django_assert_num_queries):
        keep(connection, *(result(number) for number in range(300)))
        found = shelves(alice, ring)
        with django_assert_num_queries(1):
            assert len(reading.window(found, LISTED, 200, 250, ring)) == 50
        leaves, before = fetching_leaves.needed([Source.of(found[0], Arrangement.LISTED)], 200, 250)
        assert ([leaf.number for leaf in leaves], before) == ([4], 200)

    def test_of_a_shelf_built_anew_meanwhile_says_so(self, alice, connection, ring):
        keep(connection, result(1))
        found = shelves(alice, ring)
        shelving.rebuild_all(connection, at=AT)
        with pytest.raises(Outdated):
            reading.window(found, LISTED, 0, 50, ring)

    @given(
        st.lists(st.lists(st.integers(0, 400), max_size=120, unique=True), min_size=1, max_size=4),
        st.integers(0, 300),
    )
    def test_needs_every_leaf_that_holds_one_of_its_rows(self, numbers, start):
        """On bare keys: a row of the window is on a leaf that is read, and those before it are counted."""
        sources, everything = [], []
        for place, found in enumerate(numbers):
            keys = sorted((0, f"{number:04}", "", place * 1000 + number) for number in found)
            pages = [keys[at : at + 7] for at in range(0, len(keys), 7)]
            stretch = Stretch(tuple(Head(len(page), page[0]) for page in pages), keys[-1] if keys else None)
            index = Index(build=ONE, arrangements=indexing.closed({"listed": stretch}))
            sources.append(Source.of(OpenShelf(place, ONE, "results", index), Arrangement.LISTED))
            everything += [(key, place, at // 7) for at, key in enumerate(keys)]
        leaves, before = fetching_leaves.needed(sources, start, start + 10)
        read = {(leaf.source.shelf.pk, leaf.number) for leaf in leaves}
        in_order = sorted(everything)
        got = [key for key, place, number in in_order if (place, number) in read]
        assert got[start - before : start - before + 10] == [key for key, *_ in in_order[start : start + 10]]


@pytest.mark.django_db
class TestOneTest:
    def test_finds_its_values_among_others(self, alice, connection, ring):
        keep(
            connection,
            *(result(number) for number in range(70)),
            *(result(100 + number, name="Potassium", code="2823-3") for number in range(70)),
        )
        shelved = shelves(alice, ring)
        found = values_over_time.of(
            shelved, "loinc:2823-3", ring, most=500, senders={connection.pk: NOBODY}, is_open=bool
        )
        days = [result(100 + number)["effectiveDateTime"] for number in range(70)]
        assert [told.entry().when.starts for told in found.values] == days

    def test_is_listed_once_with_its_latest_value(self, alice, connection, ring):
        keep(connection, *(result(number) for number in range(3)), result(9, name="Potassium", code="2823-3"))
        rows = reading.window(shelves(alice, ring), {"results": Arrangement.LATEST}, 0, 50, ring)
        assert [(*names([row]), row.of_its_test) for row in rows] == [
            ("o9", 1),
            ("o0", 3),
        ]


class TestSearchingShelvesOfAnEarlierRelease:
    """No leaf is read: what counts is which shelves are searched at all."""

    OLD = OpenShelf(1, ONE, "results", Index(ONE, count=2, fills=1))
    EMPTY = OpenShelf(2, ONE, "vitals", Index(ONE, drafts=1))
    FOUND = indexing.closed({"words": Stretch(), "found": Stretch()})
    NEW = OpenShelf(3, ONE, "allergies", Index(ONE, count=4, arrangements=FOUND))

    @pytest.mark.parametrize(("old", "passed_over"), [(OLD, (OLD,)), (EMPTY, ())])
    def test_searches_the_others_and_says_which_it_passed_over(self, old, passed_over):
        found = searching.find([old, self.NEW], search_terms.read("sodium"), KeyRing(Holder.user(ONE)), providers={})
        assert (found.searched, found.passed_over) == (4, passed_over)

    def test_is_for_later_where_nothing_else_can_be_searched(self):
        with pytest.raises(Outdated):
            searching.find([self.OLD, self.EMPTY], search_terms.read("sodium"), KeyRing(Holder.user(ONE)), providers={})


@pytest.mark.django_db
class TestSearching:
    @pytest.mark.parametrize("words", ["sodi", "SODIUM", "quillfeather sodium"])
    def test_finds_by_every_word_that_is_there(self, alice, connection, ring, words):
        keep(connection, result(1), result(2, name="Potassium", code="2823-3"))
        found = searching.find(shelves(alice, ring), search_terms.read(words), ring, providers={})
        assert [hit.title for hit in found.newest] == ["Sodium"]
        assert [[word.text for word in true] for true in found.counts] == [[words.casefold().split()[-1]]]

    def test_finds_what_a_laboratory_calls_otherwise(self, alice, connection, ring):
        keep(connection, result(1, name="Hgb A1c MFr Bld", code="4548-4"))
        assert (
            searching.find(shelves(alice, ring), search_terms.read("average blood sugar"), ring, providers={}).count
            == 1
        )

    def test_counts_all_and_names_the_newest_of_every_shelf(self, alice, connection, other, ring):
        keep(connection, *(result(number, name=f"Sodium {number % 3}") for number in range(0, 80, 2)))
        keep(other, *(result(number, name=f"Sodium {number % 5}") for number in range(1, 80, 2)))
        found = searching.find(shelves(alice, ring), search_terms.read("sodium"), ring, providers={})
        newest = [Record.objects.get(pk=hit.record).logical_id for hit in found.newest]
        assert (found.count, newest) == (80, [f"o{number}" for number in range(50)])

    @pytest.mark.parametrize("words", ["vantongeren", "sodium vantongeren", "osphate", "fósforo", "blood pressure"])
    def test_opens_what_it_looks_through_once_and_then_what_it_shows(
        self, alice, connection, other, ring, words, django_assert_max_num_queries
    ):
        doctor = {"performer": [{"display": "Dr. Orla Vantongeren"}]}
        for whose in (connection, other):
            keep(
                whose,
                *({**result(number), **doctor} for number in range(90)),
                *(result(100 + number, name=f"Phosphate {number}", code="2777-1") for number in range(70)),
                result(200, name="Fósforo", code="x"),
                {**result(300, name="NIBP", code="85354-9"), "category": [{"coding": [{"code": "vital-signs"}]}]},
                allergy("a1"),
            )
        found = reading.shelves(alice.pk, ring, subjects=[subject.key for subject in LISTED_SUBJECTS])
        with django_assert_max_num_queries(2):
            hits = searching.find(found, search_terms.read(words), ring, providers={})
        expected = {"vantongeren": 180, "sodium vantongeren": 180, "osphate": 140, "fósforo": 2, "blood pressure": 2}
        assert (hits.count, len(hits.newest)) == (expected[words], min(expected[words], 50))

    def test_leaves_nothing_of_its_words_in_the_database(self, connection):
        """Nor a name, a digest or a number of a leaf that would tell which words there are."""
        keep(connection, result(1, name="Canarium"), *(result(number) for number in range(2, 60)))
        held = b"".join(bytes(leaf) for leaf in Leaf.objects.values_list("sealed_rows", flat=True))
        assert not [said for said in (b"canarium", b"Canarium", b"sodium") if said in held]
        names = Leaf.objects.filter(arrangement__in=["words", "found"]).values_list("arrangement", "number")
        assert sorted(names) == [("found", 0), ("words", 0)]


def says(text: str, word: str) -> bool:
    """Two letters from a to z only where a word begins with them."""
    begins = len(word) == 2 and word.isascii() and word.isalpha()
    return re.search(rf"(?<![a-z]){word}", text) is not None if begins else word in text


WORDS = st.sampled_from(["sodium", "in blood", "blut", "höhe", "SODIUM", "a1c", "fe", "niño", "dr. vesper", "ß"])


class TestPhrases:
    """Without a database: leaves are made of many entries, and looked through."""

    @settings(max_examples=60)
    @given(
        st.lists(st.tuples(st.lists(WORDS, min_size=1, max_size=3), st.integers(1, 5)), max_size=searching.MOST),
        st.lists(
            st.sampled_from(["od", "so", "blood", "ss", "iñ", "höhe", "in", "sodium", "a1"]), min_size=1, max_size=2
        ),
        st.sampled_from([3, 40, 10_000]),
    )
    def test_find_what_looking_through_every_entry_finds(self, said, wanted, kept):
        entries = [(" ".join(words), title) for words, title in said]
        undated = indexing.write_when(UNDATED)
        rows = [
            (
                (0, f"{number:04}", "", number),
                msgspec.json.encode(
                    Words("T", "", undated, f"{normalized(words)}{MARK}{MARK}", Standing(status=f"S{title}"))
                ),
            )
            for number, (words, title) in enumerate(entries)
        ]
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(word_leaves, "_MOST_KEPT", kept)
            made = list(word_leaves.leaves(iter(rows)))
        asked = search_terms.read(" ".join(wanted))
        around = search_terms.around(asked, subject="", provider=())
        newest: list[int] = []
        rank, count = matching.LOWEST, 0
        for leaf in made:
            phrases = indexing.read_phrases(leaf.words)
            told = [indexing.read_phrase(one) for found in leaf.found for one in indexing.read_phrase_list(found)]
            assert leaf.head.count == len(told) == len(phrases.counts)
            best = matching.best(phrases.lines, asked, around, rank)
            if best.rank > rank:
                rank, count, newest = best.rank, 0, []
            numbers = [number for lines in best.lines.values() for number in lines]
            count += sum(phrases.counts[number] for number in numbers)
            newest += [key[3] for number in numbers for key, _when in told[number].entries]
        having = [sum(says(normalized(words), word.text) for word in asked) for words, _title in entries]
        expected = [number for number, has in enumerate(having) if has == max(having) > 0]
        assert (count, sorted(newest)) == (len(expected), expected)


class TestSpool:
    @given(st.lists(st.integers(0, 10_000), max_size=2500, unique=True))
    def test_gives_back_every_row_sorted(self, numbers):
        spool = Spool()
        for number in numbers:
            spool.add((0, f"{number:05}", "", number), b"%d" % number)
        assert [row for _key, row in spool.merged()] == [b"%d" % number for number in sorted(numbers)]

    def test_holds_little_of_what_it_was_given(self):
        tracemalloc.start()
        try:
            spool = Spool()
            for number in range(3000):
                spool.add((0, "", "", number), b'{"test": "2951-2", "unit": "mmol/L"}' * 30)
            held, _peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert held < 500_000  # of three million bytes

    def test_gives_back_small_and_large_rows_alike(self):
        rows = [b"%d" % number * (30_000 if number % 7 == 0 else 1) for number in range(700)]
        spool = Spool()
        for number in reversed(range(700)):
            spool.add((0, "", "", number), rows[number])
        assert [row for _key, row in spool.merged()] == rows
        assert [row for _key, row in spool.merged()] == rows

    def test_holds_large_rows_one_at_a_time(self):
        """Neither while they come nor while they are merged are they open together."""
        peak = self.peak_bytes(rows=60, row_bytes=1_000_000)
        assert peak < 8_000_000  # of sixty million bytes: one row in several forms

    def test_packs_rows_before_they_are_much_though_they_are_few(self):
        peak = self.peak_bytes(rows=299, row_bytes=15_000)
        assert peak < 4_000_000  # of four and a half million bytes

    def peak_bytes(self, *, rows, row_bytes):
        tracemalloc.start()
        try:
            spool = Spool()
            for number in range(rows):
                text = b"Asked %d, answered nothing. " % number
                spool.add((0, "", "", number), text * (row_bytes // len(text)))
            assert sum(1 for _row in spool.merged()) == rows
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    def test_needs_one_decompressor_however_many_runs_it_has(self, monkeypatch):
        """Each takes more memory than the piece it unpacks."""
        made: list[zstandard.ZstdDecompressor] = []
        make = zstandard.ZstdDecompressor

        def noted(**given):
            made.append(make(**given))
            return made[-1]

        monkeypatch.setattr(zstandard, "ZstdDecompressor", noted)
        spool = Spool()
        for number in range(3000):
            spool.add((0, "", "", number), b"%d" % number)
        assert len(list(spool.merged())) == 3000
        assert len(made) == 1
