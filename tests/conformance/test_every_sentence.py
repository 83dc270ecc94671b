"""The second half of the conformance page names code and a test for each rule of the specification."""

import pytest

from development import conformance, sentences

CLAIMS = {"tests/x.py::TestX::test_x": ("C1", "X1")}
RIGHT = "| §1.1 | It reads. | `wire/fhir.py` | `bearer.py` | C1, X1 |"


@pytest.fixture(scope="module")
def page():
    return conformance.PAGE.read_text(encoding="utf-8")


def about(row):
    """What is said of a page that has one row, besides that it lacks all others."""
    return [one for one in sentences.complaints(row, CLAIMS) if not one.endswith("has no row")]


class TestEverySentence:
    def test_stands_on_the_page_with_its_places_and_its_proof(self, page):
        assert sentences.complaints(page, conformance.claims()) == []

    def test_that_is_not_shown_stands_there_with_what_we_chose(self, page):
        chosen = [row.rule for row in sentences.rows(page) if len(row.cells) == 6]
        assert len(chosen) == len(set(chosen)) == 14
        assert {"§4.1 r4", "§4.2 r5", "§5.1.7", "§6", "§7.5", "§7.6", "§9.5"} <= set(chosen)


class TestARow:
    def test_that_is_right_is_let_be(self):
        assert about(RIGHT) == []

    def test_may_say_why_a_half_has_no_part(self):
        assert about("| §1.1 | It reads. | None: that is the provider's. | `bearer.py` | X1 |") == []

    @pytest.mark.parametrize(
        ("row", "complaint"),
        [
            (RIGHT.replace("§1.1", "§1.9"), "§1.9 is no rule"),
            (RIGHT.replace("It reads.", " "), "§1.1 has an empty cell, or too few"),
            (RIGHT.replace("| C1, X1 ", ""), "§1.1 has an empty cell, or too few"),
            (RIGHT.replace("`bearer.py`", "none"), "§1.1 names no module, and no reason why there is none: none"),
            (RIGHT.replace("`bearer.py`", "None: "), "§1.1 names no module, and no reason why there is none: None:"),
            (RIGHT.replace("wire/fhir", "wire/fire"), "§1.1 names a module that is not there: apps/wire/fire.py"),
            (RIGHT.replace("bearer.py", "fhir"), "§1.1 names a module that is not there: apps/sandbox/fhir"),
            (RIGHT.replace("C1", "C2"), "§1.1 counts on C2, which no test claims"),
            (RIGHT.replace("C1, X1", "X1"), "§1.1 is in the product, and no test of it is named"),
            (RIGHT.replace("C1, X1", "C1"), "§1.1 is in the sandbox, and no test of it is named"),
        ],
    )
    def test_that_is_wrong_is_named(self, row, complaint):
        assert about(row) == [complaint]

    @pytest.mark.parametrize(
        "test",
        [
            "conformance/test_nothing.py::TestARow::test_x",
            "conformance/test_every_sentence.py::TestARow::test_x",
            "conformance/test_every_sentence.py::TestNoRow::test_that_is_right_is_let_be",
            "conformance/test_every_sentence.py",
        ],
    )
    def test_names_tests_that_exist(self, test):
        there = "conformance/test_every_sentence.py::TestARow::test_that_is_right_is_let_be"
        assert about(RIGHT.replace("C1,", f"`{there}`,")) == []
        assert about(RIGHT.replace("C1,", f"`{test}`,")) == [f"§1.1 names a test that is not there: {test}"]

    def test_is_missed_where_a_rule_has_none(self):
        assert "§9.5 has no row" in sentences.complaints(RIGHT, CLAIMS)
        assert "§1.1 has no row" not in sentences.complaints(RIGHT, CLAIMS)

    @pytest.mark.parametrize(
        ("cites", "missed"),
        [
            ("§1.1", []),
            ("§1.1 +", []),
            ("+", []),
            ("section 7 +", []),
            ("§1.2", ["C1 cites §1.2 and stands in no row of it"]),
            ("§1.1, §4.1 P2", ["C1 cites §4.1 P2 and stands in no row of it"]),
            (
                "§4.2 r2, P5, §1.1",
                ["C1 cites §4.2 r2 and stands in no row of it", "C1 cites §4.2 P5 and stands in no row of it"],
            ),
            ("§5.2.5-7", ["C1 cites §5.2.5 and stands in no row of it"]),
        ],
    )
    def test_is_missed_by_a_number_that_cites_its_rule(self, cites, missed):
        assert about(f"| C1 | Sends (it). ({cites}) | *not yet* |\n{RIGHT}") == missed

    def test_answers_for_a_section_that_is_cited_as_a_whole(self):
        row = RIGHT.replace("§1.1", "§7.5")
        assert about(f"| C1 | Sends it. (§7) | *not yet* |\n{row}") == []
