"""A panel shows values outside of their range first, keeps the laboratory's order, and counts missing values."""

from apps.records.presenters import panels
from apps.records.presenters.observations.interpretations import Place
from apps.records.presenters.observations.results import Component, ResultEntry
from apps.records.presenters.observations.values import Kind, Value
from apps.records.presenters.reports import ReportEntry

SEEN = Value(Kind.TEXT, text="seen")


def result(name, place="", **more):
    return ResultEntry(logical_id=name, title=name, value=SEEN, place=place, **more)


def others(*results):
    return {f"Observation/{each.logical_id}": each for each in results}


def report(*names):
    return ReportEntry(results=tuple(f"Observation/{name}" for name in names))


def titles(panel):
    return [each.title for each in panel.results]


class TestAPanel:
    def test_tells_what_lies_outside_first_and_keeps_the_order_otherwise(self):
        at_hand = others(result("c"), result("a", Place.WITHIN), result("b", Place.ABOVE), result("d", Place.FAR_BELOW))
        panel = panels.of(report("c", "a", "b", "d"), at_hand)
        assert titles(panel) == ["b", "d", "c", "a"]
        assert (panel.outside, panel.compared, panel.missing) == (2, 3, ())

    def test_is_all_usual_only_where_every_value_of_it_is(self):
        usual, unsaid = Component(value=SEEN, place=Place.WITHIN), Component(value=SEEN)
        for result_of, is_all in (
            (result("a", Place.WITHIN), True),
            (result("a"), False),
            (result("a", Place.NOT_FOUND), False),
            (result("a", Place.WITHIN, components=(usual,)), True),
            (result("a", Place.WITHIN, components=(unsaid,)), False),
            (ResultEntry(logical_id="a", title="a", components=(usual, Component(title="not done"))), True),
        ):
            panel = panels.of(report("a", "b"), others(result_of, result("b", Place.WITHIN)))
            assert panel.is_all_usual is is_all, result_of
        assert not panels.of(report(), {}).is_all_usual

    def test_compares_nothing_that_cannot_be(self):
        unmeasured = Component(value=SEEN, place=Place.TOO_LOW)
        at_hand = others(result("a", Place.WITHIN, components=(unmeasured,)), result("b", Place.WORKS))
        assert panels.of(report("a", "b"), at_hand).compared == 0

    def test_names_what_is_referred_to_and_not_here(self):
        panel = panels.of(report("a", "gone", "a", "gone"), others(result("a")))
        assert (titles(panel), panel.missing) == (["a"], ("Observation/gone",))

    def test_holds_what_the_report_contains(self):
        panel = panels.of(ReportEntry(results=("#x",), inside=(result("#x"),)), {})
        assert titles(panel) == ["#x"]

    def test_holds_what_the_report_contains_and_names_nowhere(self):
        parent = ResultEntry(logical_id="#p", title="p", members=("#x",))
        panel = panels.of(ReportEntry(results=("#p",), inside=(result("#y"), parent, result("#x"))), {})
        assert titles(panel) == ["#x", "#y"]

    def test_keeps_apart_what_two_resources_contain_under_one_name(self):
        parent = ResultEntry(logical_id="p", title="p", members=("#x",))
        panel = panels.of(ReportEntry(results=("#x", "Observation/p"), inside=(result("#x"),)), others(parent))
        assert (titles(panel), panel.missing) == (["#x"], ("Observation/p#x",))

    def test_shows_the_members_of_a_result_that_has_nothing_else(self):
        parent = ResultEntry(logical_id="panel", title="panel", members=("Observation/a", "Observation/b"))
        at_hand = others(parent, result("a"), result("b"))
        assert titles(panels.of(report("panel"), at_hand)) == ["a", "b"]
        assert titles(panels.of(parent, at_hand)) == ["a", "b"]

    def test_ends_where_panels_hold_each_other(self):
        names = [f"Observation/{number}" for number in range(100)]
        loop = [ResultEntry(logical_id=str(number), members=tuple(names)) for number in range(100)]
        assert panels.of(report("1"), others(*loop)).results == ()

    def test_leaves_out_what_was_entered_in_error(self):
        panel = panels.of(report("a"), others(ResultEntry(logical_id="a", is_withdrawn=True)))
        assert (panel.results, panel.missing) == ((), ())

    def test_counts_a_result_by_its_parts(self):
        parts = ResultEntry(logical_id="p", title="p", components=(Component(place=Place.ABOVE),))
        panel = panels.of(report("p"), others(parts))
        assert (panel.outside, panel.compared) == (1, 1)
