"""The numbers and dates of a chart are readable in a browser, however large the letters are on a phone."""

from collections.abc import Callable
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path

import pytest
from django.template.loader import render_to_string
from django.utils import translation
from playwright.sync_api import Page

from apps.records.charts import over_time, series, windows
from config import env
from tests.records.charts.observations import pressure

pytestmark = pytest.mark.browser

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
STYLESHEET = Path(env.ROOT / "static" / "holdfast.css").read_text()
# left, right, top and bottom of each
PLACES = """() => [...document.querySelectorAll('.chart-label')].map(label => {
  const place = label.getBoundingClientRect();
  return [place.left, place.right, place.top, place.bottom];
})"""
Place = tuple[float, float, float, float]


def drawing() -> str:
    """Of a year, which has the longest dates below it."""
    found = series.of_pressures([pressure(120 + month, 80, f"2026-{month:02}-01") for month in range(1, 11)])
    window = windows.chosen(windows.choices(found.readings, NOW), "all")
    assert window is not None
    context = {"series": found, "chart": over_time.draw(found, window), "chart_id": "chart"}
    return render_to_string("records/charts/over_time.html", context)


def is_on(one: Place, other: Place) -> bool:
    """Whether they touch."""
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("size", [100, 200])
@pytest.mark.parametrize("width", [320, 360, 768])
class TestTheLabelsOfAChart:
    def test_stay_on_the_page_and_apart(
        self, new_page: Callable[..., Page], width: int, size: int, language: str
    ) -> None:
        page = new_page(width=width)
        with translation.override(language):
            page.set_content(f"<main class='band'><div class='column'>{drawing()}</div></main>")
        page.add_style_tag(content=STYLESHEET)
        page.evaluate(f"document.documentElement.style.fontSize = '{size}%'")
        places: list[Place] = page.evaluate(PLACES)
        assert len(places) > 4
        assert [place for place in places if place[0] < 0 or place[1] > width] == []
        assert [pair for pair in combinations(places, 2) if is_on(*pair)] == []


class TestTheUsualRange:
    def test_is_shaded_in_colors_of_its_reader_too(self, new_page: Callable[..., Page]) -> None:
        """The caption calls it so."""
        page = new_page(forced_colors="active")
        page.set_content("<svg><rect class='chart-gap'/><rect class='chart-band'/></svg>")
        page.add_style_tag(content=STYLESHEET)
        ground, band = page.locator("rect").evaluate_all("all => all.map(one => getComputedStyle(one).fill)")
        assert band != ground
