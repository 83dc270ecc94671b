"""Every element of a resource can be shown, and none can break the page."""

import json
from typing import Any

import pytest
from hypothesis import given

from apps.records.presenters import elements, outline
from apps.records.presenters.outline import Line
from tests.records.presenters import corpus
from tests.records.presenters.oddities import odd


class TestAnOutline:
    def test_names_elements_in_words_and_nests_them(self):
        sent = {
            "resourceType": "Flag",
            "clinicalStatus": {"coding": [{"system": "http://a.example", "code": "active", "display": "Active"}]},
            "valueQuantity": {"value": elements.parse(b'{"v":5.10}')["v"], "unit": "mg"},
            "isIt": True,
        }
        assert outline.of(sent).lines == (
            Line(0, "Clinical status"),
            Line(1, "Coding", "Active (active)", "http://a.example"),
            Line(0, "Value"),
            Line(1, "Value", "5.10"),
            Line(1, "Unit", "mg"),
            Line(0, "Is it", "yes"),
        )

    def test_shows_the_address_of_an_extension_as_a_reference_alone(self):
        sent = {"extension": [{"url": "http://a.example/race", "valueString": "Other"}]}
        assert outline.of(sent).lines == (
            Line(0, "Extension", "", "http://a.example/race"),
            Line(1, "Value", "Other"),
        )

    def test_leaves_out_the_content_of_files_and_narratives(self):
        sent = {"text": {"div": "<div>Canary</div>"}, "content": [{"attachment": {"data": "Q0FOQVJZ"}}]}
        assert "Canary" not in repr(outline.of(sent))
        assert "Q0FOQVJZ" not in repr(outline.of(sent))

    def test_says_where_it_was_cut(self):
        deep: dict[str, Any] = {"a": "b"}
        for _ in range(900):
            deep = {"a": deep}
        wide: dict[str, Any] = {"a": ["b"] * 10_000}
        assert outline.of(deep).is_cut
        assert outline.of(wide).is_cut
        assert len(outline.of(wide).lines) == outline.MOST_LINES
        assert not outline.of({"a": ["b"] * outline.MOST_LINES}).is_cut

    @given(odd("extension", "url", "system", "code", "data", "value"))
    def test_never_raises(self, content):
        resource = elements.parse(json.dumps(content).encode("utf-8", "surrogatepass"))
        assert isinstance(outline.of(resource).lines, tuple)

    def test_has_something_to_say_of_every_resource_of_others(self):
        assert all(outline.of(resource).lines for resource in corpus.resources()[::20])

    @pytest.mark.parametrize(
        ("name", "label"),
        [
            ("valueCodeableConcept", "Value"), ("performedPeriod", "Performed"), ("udiCarrier", "Udi carrier"),
            ("carrierHRF", "Carrier HRF"), ("_birthDate", "Birth date"), ("period", "Period"),
            ("code", "Code"), ("\x00", ""), ("onsetDateTime", "Onset"),
        ],
    )  # fmt: skip
    def test_labels_an_element_by_its_name(self, name, label):
        assert outline.label_of(name) == label
