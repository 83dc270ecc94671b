"""The year under which a row is listed is the one in the row."""

import re
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.records import tasks
from apps.records.models import Shelf
from apps.records.presenters.datatypes import moments
from apps.records.presenters.entry import Entry
from apps.records.shelving import arranging
from apps.records.shelving.indexing import FORM
from tests.records.pages import main
from tests.records.shelved import keep, result

NEW_YEAR = datetime(2024, 1, 1, tzinfo=UTC)
SENT = {
    "o1": ("2023-12-31T23:30:00-05:00", "2023"),
    "o2": ("2024-01-01T00:10:00+00:00", "2024"),
    "o3": ("2024-01-01T08:00:00+14:00", "2024"),
    "o4": ("2023-12-31", "2023"),
    "o5": ("2024-01-01T02:00:00Z", "2024"),
    "o6": ("2024", "2024"),
}
A_DAY_EITHER_WAY = st.integers(-36 * 60, 36 * 60).map(lambda minutes: NEW_YEAR + timedelta(minutes=minutes))
ZONES = st.integers(-12 * 4, 14 * 4).map(lambda quarters: timezone(timedelta(minutes=15 * quarters)))


@st.composite
def written(draw):
    moment = draw(A_DAY_EITHER_WAY)
    return draw(
        st.sampled_from([f"{moment:%Y-%m-%d}", f"{moment:%Y}", f"{moment:%Y-%m-%dT%H:%M:%SZ}"])
        | ZONES.map(lambda zone: moment.astimezone(zone).isoformat())
    )


def kept(connection):
    keep(
        connection,
        *(
            {**result(number), "id": name, "effectiveDateTime": sent, "code": {"text": f"Test {name}"}}
            for number, (name, (sent, _year)) in enumerate(SENT.items())
        ),
    )


def years_on(client, **query):
    """The heading that each test stands under, in the order of the page, or None for a page without."""
    told: dict[str, str | None] = {}
    heading = None
    for year, name in re.findall(
        r'<h2 class="group">(\d+)</h2>|Test (o\d)<', main(client, "subject", "results", by="date", **query)
    ):
        heading = year or heading
        if name:
            told[name] = heading
    return told


@pytest.mark.django_db
class TestAYear:
    def test_is_the_writers_own(self, hers, connection):
        kept(connection)
        found = years_on(hers)
        assert found == {name: year for name, (_sent, year) in SENT.items()}
        assert list(found.values()) == sorted(found.values(), reverse=True)

    @pytest.mark.parametrize("year", ["2023", "2024"])
    def test_chosen_has_its_rows_and_no_other(self, hers, connection, year):
        kept(connection)
        assert set(years_on(hers, year=year)) == {name for name, (_sent, own) in SENT.items() if own == year}

    def test_of_what_was_sent_in_utc_is_the_readers_own(self, hers, alice, connection):
        alice.time_zone = "America/New_York"
        alice.save()
        kept(connection)
        assert years_on(hers) == {name: year for name, (_sent, year) in SENT.items()} | {"o5": "2023"}

    @pytest.mark.parametrize(
        ("zone", "sent", "year"),
        [("Asia/Tokyo", "9999-12-31T23:59:59Z", "9999"), ("America/New_York", "0001-01-01T00:00:01Z", "0001")],
    )
    def test_at_the_edge_of_the_calendar_is_the_one_that_was_sent(self, hers, alice, connection, zone, sent, year):
        alice.time_zone = zone
        alice.save()
        keep(connection, {**result(0), "effectiveDateTime": sent, "code": {"text": "Test o1"}})
        assert years_on(hers) == {"o1": year}

    @pytest.mark.parametrize(("before", "after"), [("America/New_York", ""), ("", "America/New_York")])
    def test_goes_with_the_reader_to_another_zone(self, hers, alice, connection, before, after):
        """At once in one order, and under the reader's own year as soon as the shelf is built anew."""
        alice.time_zone = before
        alice.save()
        kept(connection)
        alice.time_zone = after
        alice.save()
        found = years_on(hers)
        assert list(found.values()) == sorted(found.values(), reverse=True)
        assert {name: year for year in ("2023", "2024") for name in years_on(hers, year=year)} == found
        assert list(Shelf.objects.filter(form__lt=FORM).values_list("subject", flat=True)) == ["results"]
        tasks.renew_shelves()
        assert years_on(hers)["o5"] == ("2023" if after else "2024")
        assert not Shelf.objects.filter(form__lt=FORM).exists()

    def test_that_no_clock_decides_leaves_the_shelf_as_it_is(self, hers, alice, connection):
        keep(connection, result(0), {**result(1), "effectiveDateTime": "2024-06-01T02:00:00Z"})
        alice.time_zone = "America/New_York"
        alice.save()
        years_on(hers)
        assert not Shelf.objects.filter(form__lt=FORM).exists()

    def test_is_shown_to_no_stranger(self, client, sam, connection):
        kept(connection)
        client.force_login(sam)
        assert years_on(client) == {}


@given(st.lists(written(), min_size=2, max_size=12))
def test_a_list_goes_from_year_to_year_and_within_one_from_moment_to_moment(sent):
    entries = [Entry(when=moments.of_text(one, means="done")) for one in sent]
    ordered = sorted(entries, key=lambda entry: arranging.dated(entry, 1))
    for newer, older in pairwise(ordered):
        years = arranging.year(newer), arranging.year(older)
        assert years[0] >= years[1]
        assert years[0] != years[1] or newer.when.sorts_at >= older.when.sorts_at
    assert all(entry.when.starts[:4] == arranging.year(entry) for entry in entries)
