"""The conformance page and the tests agree, and every number that must be proven is proven."""

from development import conformance

# Parts that are not built yet. This list may only shrink.
NOT_DUE: set[str] = set()


class TestEveryNumber:
    def test_stands_on_the_page_as_often_as_the_lists_say(self):
        listed = conformance.numbers(conformance.PAGE.read_text(encoding="utf-8"))
        assert listed == [f"{kind}{n}" for kind in "CX" for n in range(1, 76)]

    def test_that_is_due_has_a_test(self):
        proven = {number for numbers in conformance.claims().values() for number in numbers}
        due = {f"{kind}{n}" for kind in "CX" for n in range(1, 76)} - NOT_DUE
        assert sorted(due - proven) == []

    def test_that_is_claimed_exists(self):
        listed = set(conformance.numbers(conformance.PAGE.read_text(encoding="utf-8")))
        claimed = {number for numbers in conformance.claims().values() for number in numbers}
        assert sorted(claimed - listed) == []

    def test_is_claimed_by_tests_that_claim_at_most_three(self):
        crowded = {test: numbers for test, numbers in conformance.claims().items() if len(numbers) > 3}
        assert crowded == {}

    def test_is_written_beside_its_tests_on_the_page(self):
        text = conformance.PAGE.read_text(encoding="utf-8")
        assert conformance.page(text, conformance.claims()) == text, "run: python -m development.conformance"
