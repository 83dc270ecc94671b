"""While shelves are in an older format, the others are searched, and the page says whose were not."""

from contextlib import contextmanager

import msgspec
import pytest
from django.urls import reverse

from apps.records import places, shelving
from apps.records.models import Leaf, Shelf
from apps.records.shelving import search_terms, writing
from apps.vault import sealing
from apps.vault.sealing import Holder
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.pages import ask
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db

NOT_EVERYTHING = "Not everything could be searched"
SPOILED = b"\x03" + bytes(80)
PREPARED = "Your record is being prepared again"


@pytest.fixture
def other(alice):
    endpoint = make_endpoint("https://other.example/r4")
    endpoint.providers.update(name="Riverside Hospital & <b>Clinic</b>")
    return make_connection(alice, endpoint)


@pytest.fixture
def keep_as_before(monkeypatch):
    """As a release did that had no phrases."""

    def kept(connection, *resources):
        with monkeypatch.context() as patched:
            patched.setattr(writing.Writing, "write_words", lambda _writing, _rows: {})
            keep(connection, *resources)

    return kept


@contextmanager
def rewriting(connection):
    """The index of the results, to be changed."""
    shelf = Shelf.objects.get(connection=connection, subject="results")
    place = places.shelf_place(connection_id=connection.pk, subject="results")
    holder = Holder.user(connection.user_id)
    index = msgspec.json.decode(sealing.open_body(bytes(shelf.sealed_index), holder=holder, place=place))
    yield index
    shelf.sealed_index = sealing.seal_body(msgspec.json.encode(index), holder=holder, place=place)
    shelf.save(update_fields=["sealed_index"])


class TestASearch:
    def test_goes_on_where_some_shelves_are_of_an_earlier_release_and_says_whose(
        self, hers, connection, other, keep_as_before
    ):
        keep_as_before(other, result(0), result(1))
        keep(connection, result(2))
        found, nothing = ask(hers, "sodium"), ask(hers, "zebra")
        assert "1 entry found" in found
        assert "Nothing found for “zebra” in 1 entry." in nothing
        for text in (found, nothing):
            assert NOT_EVERYTHING in text
            assert "came from Riverside Hospital &amp; &lt;b&gt;Clinic&lt;/b&gt; was not searched" in text
            assert PREPARED not in text
        shelving.rebuild_all(other, at=AT)
        text = ask(hers, "sodium")
        assert "3 entries found" in text
        assert NOT_EVERYTHING not in text

    def test_misses_nothing_of_a_shelf_of_an_earlier_release_with_nothing_on_it(
        self, hers, connection, other, keep_as_before
    ):
        keep_as_before(other)
        keep(connection, result(2))
        text = ask(hers, "sodium")
        assert "1 entry found" in text
        assert NOT_EVERYTHING not in text

    def test_waits_where_none_has_entries_but_shelves_of_an_earlier_release(
        self, hers, connection, other, keep_as_before
    ):
        keep_as_before(other, result(0))
        keep(connection)
        text = ask(hers, "sodium")
        assert PREPARED in text
        assert "Nothing found" not in text
        assert NOT_EVERYTHING not in text

    def test_finds_nothing_to_search_where_no_shelf_has_entries(self, hers, connection):
        keep(connection)
        text = ask(hers, "sodium")
        assert "There are no entries to search yet." in text
        assert PREPARED not in text

    def test_for_a_year_passes_over_words_of_an_earlier_release_that_do_not_say_theirs(
        self, hers, connection, other, monkeypatch
    ):
        with monkeypatch.context() as patched:
            patched.setattr(search_terms, "year_mark", lambda _year: "")
            keep(other, result(0), result(1))
        keep(connection, result(2))
        assert "3 entries found" in ask(hers, "sodium")
        text = ask(hers, "sodium 2024")
        assert "1 entry found" in text
        assert "came from Riverside Hospital" in text

    def test_looks_through_no_words_of_which_it_would_not_find_who_says_them(self, hers, connection, other):
        keep(other, result(0), result(1))
        keep(connection, result(2))
        with rewriting(other) as index:
            del index["arrangements"]["found"]
        text = ask(hers, "sodium")
        assert "1 entry found" in text
        assert "came from Riverside Hospital" in text

    def test_goes_on_where_a_shelf_does_not_open_and_says_so(self, hers, connection, other):
        keep(other, result(0), result(1))
        keep(connection, result(2))
        Shelf.objects.filter(connection=other, subject="results").update(sealed_index=SPOILED)
        text = ask(hers, "sodium")
        assert "1 entry found" in text
        assert "We cannot open this right now" in text

    @pytest.mark.parametrize(("arrangement", "count"), [("words", "1 entry found"), ("found", "3 entries found")])
    def test_goes_on_where_a_leaf_does_not_open_and_says_whose(self, hers, connection, other, arrangement, count):
        keep(other, result(0), result(1))
        keep(connection, result(2))
        spoiled = Leaf.objects.filter(shelf__connection=other, arrangement=arrangement)
        assert spoiled.update(sealed_rows=SPOILED) == 1
        text = ask(hers, "sodium")
        assert count in text
        assert NOT_EVERYTHING in text
        assert "came from Riverside Hospital" in text

    def test_says_that_it_cannot_where_no_leaf_opens(self, hers, connection):
        keep(connection, result(0))
        Leaf.objects.update(sealed_rows=SPOILED)
        text = ask(hers, "sodium")
        assert "We cannot open this right now" in text
        assert "Nothing found" not in text

    def test_tells_a_stranger_of_no_provider(self, client, sam, connection, other, keep_as_before):
        keep_as_before(other, result(0))
        keep(connection, result(1))
        client.force_login(sam)
        text = ask(client, "sodium")
        assert "Your record starts when you connect your first provider." in text
        assert "Riverside" not in text


class TestAnIndex:
    def test_that_knows_its_leaves_in_another_shape_is_told_as_what_does_not_open(self, hers, connection):
        keep(connection, result(0))
        with rewriting(connection) as index:
            index["arrangements"]["listed"] = {"heads": "of another release"}
        assert shelving.unreadable(connection) == {"results"}
        response = hers.get(reverse("subject", args=["results"]))
        assert response.status_code == 200
        assert "Sodium" not in response.content.decode()
        shelving.rebuild_all(connection, at=AT)
        assert shelving.unreadable(connection) == set()
        assert "Sodium" in hers.get(reverse("subject", args=["results"])).content.decode()
