"""Many values are drawn as few marks, and none that matters is hidden."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from apps.records.charts import stretches
from apps.records.charts.readings import Reading

MONDAY = datetime(2026, 1, 5, tzinfo=UTC)


class TestTheStretchOfThreeMonths:
    def test_begins_with_the_year(self):
        """As people count quarters, and not with whatever month the first value is of."""
        readings = [
            Reading(datetime(2010 + month // 12, month % 12 + 1, 15, tzinfo=UTC), Decimal(month))
            for month in range(1, 130)
        ]
        each, parts = stretches.divided(readings)
        assert (each, parts[0].count, {part.count for part in parts[1:-1]}) == (stretches.Each.QUARTER, 2, {3})


class TestTheStretchOfAWeek:
    def test_has_the_lowest_number_of_its_blood_pressures_be_it_nothing(self):
        """A sound that is heard down to nothing is written so."""
        lower = [Decimal(80), Decimal(0), *[Decimal(75)] * stretches.MOST_SINGLE]
        readings = [Reading(MONDAY + timedelta(hours=at), Decimal(120), low) for at, low in enumerate(lower)]
        each, (only,) = stretches.divided(readings)
        assert (each, only.count) == (stretches.Each.WEEK, len(lower))
        assert only.lowest == readings[1]
