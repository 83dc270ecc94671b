"""An import goes in waves: nothing is lost between two of them, and only a few are in memory at once."""

import gc
import tracemalloc
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.directory.importing.reporting import Report
from apps.directory.models import AuthorizationServer, Endpoint, Provider, ProviderPortal, SearchWord, WordNeighbours
from apps.directory.words import mistyping
from tests.directory.importing.lists import content_of, endpoint, import_content, row

pytestmark = pytest.mark.django_db

FEW, MANY = 2100, 7000  # providers: one wave and some, and three and a half


def letters(number: int) -> str:
    """A long word of its own for each number, so that there is as much to learn as there are rows."""
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number * 7919:09d}")


def unlike(number: int) -> dict[str, Any]:
    """A provider with an endpoint, an authorization server and a name that no other has."""
    host = f"https://h{number}.example.org"
    server = {"authorize_url": f"{host}/authorize", "token_url": f"{host}/token"}
    ways = [endpoint(fhir_base_url=f"{host}/r4", authorization_server=server)]
    return row(id=str(number), name=f"Dr. {letters(number)}", endpoints=ways)


def named(number: int, what: str) -> str:
    """The same provider's name, or the address of its endpoint."""
    written = unlike(number)
    return str(written["name"] if what == "name" else written["endpoints"][0][what])


def peak_of(content: bytes) -> tuple[int, Report]:
    """The most bytes of Python's that were in use above those before, while it was imported."""
    gc.collect()
    tracemalloc.start()
    try:
        report = import_content(content)
        return tracemalloc.get_traced_memory()[1], report
    finally:
        tracemalloc.stop()


class TestAWave:
    @pytest.mark.parametrize("before", [0, 1, 2])
    def test_ends_where_a_provider_and_all_of_its_endpoints_have_come(self, before):
        alone = [row(id=f"alone {number}", endpoints=[]) for number in range(before)]
        report = import_content(content_of(*alone, *map(unlike, range(FEW))))
        assert (report.providers, report.endpoints, report.refused) == (before + FEW, FEW, 0)
        assert ProviderPortal.objects.count() == FEW


class TestTheIdsOfNewRows:
    @pytest.mark.parametrize(("model", "name"), [(Provider, "name"), (Endpoint, "fhir_base_url")])
    def test_follow_the_order_of_the_list(self, model, name):
        import_content(content_of(*map(unlike, range(20))))
        rows = model.objects.order_by("id").values_list("id", name)
        assert [told for _pk, told in rows] == [named(number, name) for number in range(20)]
        assert {pk.version for pk, _told in rows} == {7}

    def test_are_no_other_tables_and_no_other_imports(self):
        import_content(content_of(*map(unlike, range(3))), name="one")
        import_content(content_of(*map(unlike, range(3, 6))), name="other")
        models = (Provider, Endpoint, AuthorizationServer)
        assert len({pk for model in models for pk in model.objects.values_list("pk", flat=True)}) == 3 * 6


class TestTheWordsOfAnImport:
    def test_are_counted_over_all_waves_and_known_by_their_mistakes(self):
        rows = [{**unlike(number), "postal_code": "97201", "city": "Springfield"} for number in range(FEW)]
        import_content(content_of(*rows))
        for word in ("97201", "springfield"):
            assert SearchWord.objects.get(word=word).uses == FEW
        assert "sprngf" in WordNeighbours.objects.get(word="springfield").neighbours
        assert not WordNeighbours.objects.filter(word="97201").exists()

    def test_that_may_be_mistyped_are_all_known_by_it_however_many_come_at_once(self):
        names = [" ".join(letters(number * 4 + part) for part in range(4)) for number in range(FEW // 3)]
        import_content(content_of(*({**unlike(number), "name": name} for number, name in enumerate(names))))
        known = dict(WordNeighbours.objects.values_list("word", "neighbours"))
        words = SearchWord.objects.values_list("word", flat=True)
        expected = {word: neighbours for word in words if (neighbours := mistyping.neighbours(word))}
        assert len(expected) > 2000  # more than a wave makes itself
        assert {word: set(neighbours) for word, neighbours in known.items()} == expected

    def test_of_a_provider_that_is_not_kept_are_forgotten(self):
        import_content(content_of(row(), row(name="Room 12345")))
        assert not SearchWord.objects.filter(word="12345").exists()


class TestTheEndOfAnImport:
    def test_tells_the_planner_of_new_rows_before_it_asks_what_was_lost(self):
        import_content(content_of(row()))
        with CaptureQueriesContext(connection) as asked:
            import_content(content_of(row(), *map(unlike, range(FEW))))
        statements = [query["sql"] for query in asked]
        (told,) = [place for place, sql in enumerate(statements) if "ANALYZE directory_provider" in sql]
        (lost,) = [place for place, sql in enumerate(statements) if "NOT provider.is_listed" in sql]
        assert told < lost

    def test_asks_nothing_of_what_was_lost_where_nothing_was_held(self):
        with CaptureQueriesContext(connection) as asked:
            import_content(content_of(row()))
        assert not [query for query in asked if "NOT provider.is_listed" in query["sql"]]


class TestTheMemoryOfAnImport:
    def test_does_not_grow_with_its_rows(self):
        peak_of(content_of(unlike(0)))
        few, _report = peak_of(content_of(*map(unlike, range(FEW))))
        many, report = peak_of(content_of(*map(unlike, range(MANY))))
        assert (report.providers, report.endpoints, report.refused) == (MANY, MANY, 0)
        assert SearchWord.objects.count() > MANY
        assert many < few * 1.3

    def test_does_not_grow_with_the_rows_it_refuses(self):
        few, _report = peak_of(content_of(*[row(name="x" * 300)] * FEW))
        many, report = peak_of(content_of(*[row(name="x" * 300)] * MANY))
        assert (report.refused, len(report.refusals)) == (MANY, 1000)
        assert many < few * 1.3

    def test_does_not_grow_with_rows_that_are_long(self):
        long = [f"{number:03d}".ljust(200, "x") for number in range(100)]
        peak_of(content_of({**unlike(0), "aliases": long}))
        few, _report = peak_of(content_of(*({**unlike(number), "aliases": long} for number in range(500))))
        many, report = peak_of(content_of(*({**unlike(number), "aliases": long} for number in range(1500))))
        assert (report.providers, report.refused) == (1500, 0)
        assert many < few * 1.3
