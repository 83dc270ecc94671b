"""The templates of charts: plain SVG that the content security policy allows, in every language, with everything also
in words."""

import re
from datetime import UTC, datetime
from xml.etree import ElementTree as ET

import pytest
from django.template.loader import render_to_string
from django.utils import translation
from msgspec.structs import replace

from apps.records.charts import number_line, over_time, series, windows
from apps.records.templatetags import chart_words
from tests.records.charts.observations import pressure, result, series_of, worded

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
NASTY = '"><script>alert(1)</script>'
PLACE = re.compile(r"-?[0-9]+(?:\.[0-9]{1,2})?%?")
A1C = [result(5.2, "2019-03-04"), result(5.5, "2020-03-01"), result(3.9, "2022-06-01"), result(6.1, "2026-09-01")]
MIXED = [
    *A1C,
    result(5, "2021-01-01", comparator="<", provider=NASTY),
    worded(NASTY, "2023-01-01"),
    result(5.4, "2024-01-01", status="preliminary", provider="Heron Clinic"),
]
INTERFERED = {"related": [{"type": "interfered-by"}]}
DOUBTED = [*A1C, result(5.4, "2024-01-01", **INTERFERED), result(9, "2026-10-01", **INTERFERED)]
PRESSURES_OF_TWO = [
    pressure(120 + turn, 80, f"2026-0{turn}-01", provider=("Tarn Hospital", "Heron Clinic")[turn % 2])
    for turn in range(1, 7)
]


def chart(observed):
    (found,) = series_of(observed)
    return drawing(found)


def drawing(found, span="all"):
    window = windows.chosen(windows.choices(found.readings, NOW), span)
    assert window is not None
    context = {"series": found, "chart": over_time.draw(found, window), "chart_id": "chart-1"}
    return render_to_string("records/charts/over_time.html", context)


def table(observed):
    (found,) = series_of(observed)
    return render_to_string("records/charts/table.html", {"series": found, "caption": "Average blood sugar"})


def line(observed):
    entry = observed.entry
    drawn = number_line.draw(entry.value.quantity, entry.usual_range, entry.place, entry.ranges)
    sentence = chart_words.standing(entry)
    return render_to_string(
        "records/charts/number_line.html", {"line": drawn, "chart_id": "line-1", "sentence": sentence}
    )


def elements(html):
    return list(ET.fromstring(f"<div>{html}</div>").iter())


def words(html):
    return " ".join(" ".join(ET.fromstring(f"<div>{html}</div>").itertext()).split())


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize(
    "draw",
    [
        lambda: chart(MIXED),
        lambda: chart(A1C),
        lambda: line(result(31, "2026-01-01")),
        lambda: drawing(series.of_pressures([pressure(120 + turn, 80, f"2026-0{turn}-01") for turn in range(1, 5)])),
        lambda: drawing(series.of_pressures(PRESSURES_OF_TWO)),
        lambda: chart(DOUBTED),
    ],
    ids=["mixed", "one line", "number line", "pressures", "pressures of two", "doubted"],
)
class TestADrawing:
    def test_has_no_style_script_or_focus_of_its_own(self, draw, language):
        with translation.override(language):
            found = elements(draw())
        assert not {element.tag for element in found} & {"style", "script", "foreignObject", "image", "a"}
        names = {name for element in found for name in element.attrib}
        assert not {name for name in names if name in {"style", "tabindex", "viewBox"} or name.startswith("on")}

    def test_has_numbers_of_ours_in_every_place(self, draw, language):
        with translation.override(language):
            found = elements(draw())
        places = [element.attrib[name] for element in found for name in element.attrib if name in PLACES]
        assert places
        assert [place for place in places if not PLACE.fullmatch(place)] == []

    def test_names_itself_once_and_hides_its_insides(self, draw, language):
        with translation.override(language):
            found = elements(draw())
        ids = [element.attrib["id"] for element in found if "id" in element.attrib]
        assert len(ids) == len(set(ids))
        (drawing,) = [element for element in found if element.attrib.get("role") == "img"]
        assert drawing.find("title").text
        assert drawing.attrib["aria-labelledby"] == drawing.find("title").attrib["id"]
        assert drawing.find("g").attrib == {"aria-hidden": "true"}
        used = {element.attrib["href"].removeprefix("#") for element in found if element.tag == "use"}
        assert used <= set(ids)


PLACES = {"x", "y", "width", "height", "x1", "x2", "y1", "y2", "cx", "cy"}


class TestTheWordsOfAChart:
    def test_are_the_sentence_above_it(self):
        assert chart_words.headline(series_of(A1C)[0]) == (
            "Latest: 6.1 % on September 1, 2026. Above the usual range (4.0-5.6). "
            "This is our comparison with the lab's range. Higher than on June 1, 2022."
        )

    def test_say_a_month_as_a_month_and_that_there_is_no_range(self):
        found = series_of([result(5, "2020-03", wanted=None), result(5, "2021-03", wanted=None)])[0]
        assert chart_words.headline(found) == (
            "Latest: 5 % in March 2021. The lab sent no usual range. The same as in March 2020."
        )

    def test_say_a_time_in_its_own_words(self):
        over_days = {"effectiveDateTime": None, "effectivePeriod": {"start": "2021-03-04", "end": "2021-03-09"}}
        since = {"effectiveDateTime": None, "effectivePeriod": {"start": "2020-03-04"}}
        found = series_of(
            [result(5, "2020-03-04", wanted=None, **since), result(6, "2021-03-04", wanted=None, **over_days)]
        )[0]
        assert chart_words.headline(found) == (
            "Latest: 6 % (March 4 to 9, 2021). The lab sent no usual range. Higher than before (Since March 4, 2020)."
        )

    def test_keep_the_last_dot_of_a_clock_time_in_brackets(self):
        times = [("2021-03-04T09:00:00Z", "2021-03-04T12:00:00Z"), ("2021-03-04T13:00:00Z", "2021-03-04T17:00:00Z")]
        periods = [{"effectiveDateTime": None, "effectivePeriod": {"start": one, "end": two}} for one, two in times]
        found = series_of([result(5, "2021-03-04", wanted=None, **period) for period in periods])[0]
        assert "p.m.)" in chart_words.headline(found)
        assert "p.m)" not in chart_words.headline(found)

    def test_say_which_of_two_on_one_day_was_the_later(self):
        found = [
            result(value, f"2021-03-04T{time}:00-05:00", wanted=None) for value, time in ((5, "09:00"), (6, "17:00"))
        ]
        assert chart_words.headline(series_of(found)[0]).replace("\N{NO-BREAK SPACE}", " ") == (
            "Latest: 6 % on March 4, 2021, 5 p.m. The lab sent no usual range. Higher than on March 4, 2021, 9 a.m."
        )

    def test_compare_no_two_of_one_day_of_which_nobody_knows_the_later(self):
        found = [result(value, "2021-03-04", wanted=None) for value in (5, 6)]
        assert "than" not in chart_words.headline(series_of(found)[0])

    def test_say_nothing_of_a_lab_where_none_had_to_do_with_it(self):
        social = [{"coding": [{"code": "social-history"}]}]
        found = series_of([result(5, "2021-03-04", wanted=None, category=social)])[0]
        assert chart_words.headline(found) == "Latest: 5 % on March 4, 2021."

    def test_name_the_usual_range_once(self):
        kind = {"coding": [{"code": "normal"}], "text": "Normal Range"}
        named = [{"low": {"value": 4, "unit": "%"}, "high": {"value": 6, "unit": "%"}, "type": kind}]
        found = series_of([result(5, "2021-03-04", wanted=None, referenceRange=named)])[0]
        assert "In the usual range (4 to 6 %)." in chart_words.headline(found)

    def test_say_what_we_cannot_compare(self):
        found = series_of([result(5, "2020-03-01", comparator="<")])[0]
        assert "Too low to measure exactly; we cannot compare it." in chart_words.headline(found)

    def test_never_grade(self):
        said = words(chart(MIXED) + table(MIXED)).lower()
        assert not re.findall(r"\b(?:normal|abnormal|good|bad|improv\w*|worse\w*|better|trend|rising)\b", said)

    def test_explain_every_mark_and_provider(self):
        said = words(chart(MIXED))
        for legend in ("In the usual range", "Above the usual range", "Less than this number", "Values in %."):
            assert legend in said

    def test_explain_the_bars_of_two_providers_by_bars(self):
        bars = ET.fromstring(f"<div>{drawing(series.of_pressures(PRESSURES_OF_TWO))}</div>")
        keys = bars.findall(".//ul[@class='chart-legend']/li")
        assert ["".join(key.itertext()).strip() for key in keys] == ["Tarn Hospital", "Heron Clinic"]
        assert [len(key.findall(".//line[@class]")) for key in keys] == [1, 1]
        assert [len(key.findall(".//circle")) for key in keys] == [0, 2]

    def test_tell_no_provider_from_others_of_which_nothing_is_drawn(self):
        values = [result(5, f"2026-0{month}-01") for month in range(1, 5)]
        (found,) = series_of([*values, result(5, "2019-03-01", provider="Heron Clinic")])
        assert "Heron Clinic" in words(drawing(found))
        assert "Tarn Hospital" in words(drawing(found))
        assert "Tarn Hospital" not in words(drawing(found, "1-year"))

    def test_of_the_provider_never_leave_the_text(self):
        html = chart(MIXED) + table(MIXED)
        assert "<script" not in html
        found = elements(html)
        assert not [value for element in found for value in element.attrib.values() if "alert" in value]


class TestTheTable:
    def test_tells_every_value_newest_first_by_year(self):
        found = elements(table(MIXED))
        years = [element.text for element in found if element.attrib.get("scope") == "rowgroup"]
        assert years == ["2026", "2024", "2023", "2022", "2021", "2020", "2019"]
        values = ["".join(element.itertext()) for element in found if element.attrib.get("data-label") == "Value"]
        assert values == ["6.1 %", "5.4 %", NASTY, "3.9 %", "< 5 %", "5.5 %", "5.2 %"]

    def test_says_where_each_stands_whose_it_is_and_how_far(self):
        said = words(table(MIXED))
        assert "Early result, may change" in said
        assert "Heron Clinic" in said
        assert said.count("4.0-5.6") == 7

    def test_leaves_out_a_column_that_says_nothing(self):
        found = series.of_pressures(PRESSURES_OF_TWO)
        html = render_to_string("records/charts/table.html", {"series": found, "caption": "Blood pressure"})
        heads = [element.text for element in elements(html) if element.attrib.get("scope") == "col"]
        assert heads == ["Date", "Value", "Provider"]
        assert 'colspan="3"' in html
        heads = [element.text for element in elements(table(MIXED)) if element.attrib.get("scope") == "col"]
        assert heads == ["Date", "Value", "Compared with the usual range", "Usual range", "Provider", "Note"]

    def test_names_the_provider_of_all_values_once(self):
        assert words(table(MIXED)).count("Tarn Hospital") > 1
        assert "Average blood sugar From Tarn Hospital Date" in words(table(A1C))
        assert words(table(A1C)).count("Tarn Hospital") == 1

    def test_stays_a_table_on_a_phone_where_dates_and_values_are_all_it_has(self):
        found = series.of_pressures([pressure(120 + turn, 80, f"2026-0{turn}-01") for turn in range(1, 7)])
        html = render_to_string("records/charts/table.html", {"series": found, "caption": "Blood pressure"})
        assert 'class="values"' in html
        assert 'class="values is-wide"' in table(A1C)

    def test_marks_what_was_converted(self):
        said = words(table([result(135, "2020", unit="g/L"), result(13, "2021", unit="g/dL")]))
        assert "135 g/L drawn as 13.5 g/dL" in said


class TestAValueInDoubt:
    """One with a note that may change its meaning."""

    SENTENCE = "This value carries a note that may change its meaning; see the table."
    OTHERS = "Other values carry notes that may change their meaning; see the table."

    def test_is_a_cross_that_no_line_leads_to(self):
        drawn = chart(DOUBTED)
        assert drawn.count('<use class="chart-mark is-doubted') == 3  # of them one in the legend
        assert drawn.count('class="chart-line') == 2
        assert "With a note that may change its meaning" in words(drawn)

    def test_is_told_in_the_sentence_above_the_chart(self):
        assert chart_words.headline(series_of(DOUBTED)[0]).endswith(f"{self.SENTENCE} {self.OTHERS}")
        assert chart_words.headline(series_of(DOUBTED[:5])[0]).endswith(self.OTHERS)
        assert "note" not in chart_words.headline(series_of(A1C)[0])

    def test_is_a_cross_on_a_bar_of_blood_pressure(self):
        pressures = [pressure(120 + turn, 80, f"2026-0{turn}-01") for turn in range(1, 5)]
        entry = replace(pressures[1].entry, is_modified=True)
        found = series.of_pressures([pressures[0], pressures[1]._replace(entry=entry), *pressures[2:]])
        assert drawing(found).count("is-doubted") == 2  # and the legend
        assert [row.is_modified for row in found.rows] == [False, False, True, False]
        assert self.OTHERS in chart_words.headline(found)

    def test_does_not_vanish_among_many(self):
        many = [result(5, f"20{year:02}-{month:02}-01") for year in range(10, 24) for month in range(1, 13)]
        doubted = result(5, "2020-03-02", **INTERFERED)
        assert "is-doubted" not in chart(many)
        assert "is-doubted" in chart([*many, doubted])
