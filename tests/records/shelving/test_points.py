"""Charts read points of results from leaves of their own, and show what the entries themselves would show."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import msgspec
import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from apps.records import shelving
from apps.records.charts import comparing, series
from apps.records.charts.comparing import Reader
from apps.records.charts.series import Observed, SeriesValue
from apps.records.models import Record
from apps.records.senders import NOBODY
from apps.records.shelving import arranging, building, indexing, point_leaves
from apps.records.shelving.arranging import Arrangement
from tests.records.charts.observations import pressure, result, series_of, worded
from tests.records.linked import AT
from tests.records.pages import main_of, that_lasts
from tests.records.shelved import keep
from tests.records.shelved import result as shelved

PROVIDERS = st.sampled_from(["Tarn Hospital", "Heron Clinic", ""])
DATES = st.sampled_from(
    ["2019", "2020-03", "2021-02-03", "2021-12-31T23:30:00Z", "2022-01-01T00:30:00.25+02:00", "sometime", ""]
) | st.integers(0, 2**31).map(lambda seconds: f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}")
RESULTS = st.builds(
    result,
    st.sampled_from([5, "5.10", "0.0000001", "1e30"]) | st.decimals(-1000, 1000, places=2),
    DATES,
    unit=st.sampled_from(["%", "mg/L", "mg/dL", "", "mmol/mol"]),
    wanted=st.sampled_from(["4.0-5.6", "< 5.7 mg/dL", "see the note", ""]),
    provider=PROVIDERS,
    comparator=st.sampled_from(["", "", "<", ">="]),
    status=st.sampled_from(["final", "final", "preliminary", "cancelled", "entered-in-error", "odd"]),
    note=st.sampled_from([[], [{"text": "Fasting"}]]),
    interpretation=st.sampled_from([{}, {"text": "Odd"}, {"coding": [{"code": "H"}]}]),
)
OBSERVED = st.lists(
    RESULTS
    | st.builds(worded, st.sampled_from(["Positive", "Not found"]), DATES, PROVIDERS)
    | st.builds(pressure, st.integers(90, 180), st.none() | st.integers(50, 90), DATES, PROVIDERS),
    max_size=20,
)


def rows_of(observed):
    """As they are spooled when shelves are built."""
    return sorted(
        (arranging.by_test(one.entry, pk), indexing.write_row(pk, one.entry)) for pk, one in enumerate(observed, 1)
    )


def held(observed):
    """What is read of leaves, test by test, with whose it is by the id of its record."""
    leaves = [made.leaf for made in point_leaves.leaves(iter(rows_of(observed)))]
    tests = dict.fromkeys(key[1] for key, _written in rows_of(observed))
    found = {test: [point_leaves.values(leaf, test) for leaf in leaves] for test in tests}
    return {
        test: [(each, alike[each.alike]) for values, alike in of_it for each in values] for test, of_it in found.items()
    }


def told(found):
    return [
        (
            one.unit, one.readings, one.worded, tuple(one.rows), one.providers, one.usual_ranges,
            one.compared, one.latest, one.before,
        )
        for one in found
    ]  # fmt: skip


class TestPoints:
    @given(OBSERVED)
    def test_make_the_series_that_the_entries_make(self, observed):
        read = Reader().read

        def entry(alike, told_of_it):
            return read(comparing.joined(alike.told, told_of_it))

        def senders_of(each):
            sender = observed[each.record - 1].sender
            return () if sender == NOBODY else (sender,)

        for test, values in held(observed).items():
            values_told = [SeriesValue(each, alike, each.told, entry, senders_of(each)) for each, alike in values]
            entries = [
                Observed(read(msgspec.json.encode(observed[key[3] - 1].entry)), observed[key[3] - 1].sender)
                for key, _written in rows_of(observed)
                if key[1] == test
            ]
            assert told(series.of(values_told)) == told(series_of(entries))

    def test_of_a_test_are_found_among_others_newest_first_however_many_leaves_there_are(self):
        at = datetime(2020, 1, 1, tzinfo=UTC)
        days = [f"{at + timedelta(days=number):%Y-%m-%d}" for number in range(300)]
        others = [result(1, day, code={"text": name}) for name in ("A", "HbA1c b", "Z") for day in days[:70]]
        found = held([*(result(number, day) for number, day in enumerate(days)), *others])
        assert [each.number for each, _alike in found["loinc:4548-4"]] == list(map(Decimal, reversed(range(300))))
        assert len(found["a"]) == len(found["z"]) == 70

    def test_have_what_many_say_alike_once_on_a_leaf(self):
        values = held([result(number, f"20{number:02}-01-02") for number in range(5, 60)])["loinc:4548-4"]
        places = {alike.place for _each, alike in values}
        assert {"within", "above"} <= places
        assert len({id(alike) for _each, alike in values}) == len(places)


@pytest.fixture
def build_as_before(monkeypatch):
    """As a release did that knew no points."""
    stretches = building._stretches

    def written(writing, shelf):
        found = stretches(writing, shelf)
        if found.pop(Arrangement.POINTS, None) is not None:
            tests = shelf.spools[Arrangement.TESTS].merged()
            found[Arrangement.TESTS.value] = writing.write(Arrangement.TESTS, tests)
        return found

    def build(connection):
        with monkeypatch.context() as patched:
            patched.setattr(building, "_stretches", written)
            shelving.rebuild_all(connection, at=AT)

    return build


def over_time(logical_id):
    return reverse("over_time", args=["results", Record.objects.filter(logical_id=logical_id).earliest("pk").pk])


def page(client, address, query=None):
    return that_lasts(main_of(client.get(address, query)))


@pytest.mark.django_db
class TestAPageOverTime:
    @pytest.mark.parametrize("query", [{}, {"span": "all"}, {"all": ""}])
    def test_says_the_same_of_points_and_of_the_entries_of_an_earlier_release(
        self, hers, connection, other, build_as_before, query
    ):
        values = [shelved(number, value=number % 7 + 0.1) for number in range(130)]
        values[3]["status"] = "cancelled"
        values[5]["valueQuantity"]["unit"] = "mg/dL"
        values[9] |= {"valueQuantity": None, "valueString": "Hemolyzed"}
        keep(connection, *values)
        keep(other, *values[40:], *(shelved(200 + number, name="Potassium", code="2823-3") for number in range(60)))
        address = over_time("o0")
        pages = [page(hers, address, query)]
        for each in (connection, other):  # one by one: shelves of both releases stand side by side meanwhile
            build_as_before(each)
            pages.append(page(hers, address, query))
        assert pages[1:] == pages[:1] * 2
        assert "Hemolyzed" in pages[0] or "newest 50 of" in pages[0]
        assert 'class="chart"' in pages[0]

    def test_with_a_shelf_of_an_earlier_release_takes_at_most_twelve_queries(
        self, hers, connection, other, build_as_before, django_assert_max_num_queries
    ):
        keep(connection, *(shelved(number) for number in range(5)))
        keep(other, *(shelved(number) for number in range(5, 10)))
        build_as_before(other)
        address = over_time("o0")
        page(hers, address)  # that she looked is written down now
        with django_assert_max_num_queries(12):
            assert page(hers, address).count("5.1 mmol/L") >= 10
