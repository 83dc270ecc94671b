"""The context in which an entry is read: the resources that it may refer to."""

import json
from collections.abc import Iterator
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.records import presenting
from apps.records.presenters import elements
from apps.records.presenters.datatypes.moments import When
from apps.records.presenters.entry import Code, Context, Entry
from tests.records.presenters.oddities import odd

ROSE = {"resourceType": "Practitioner", "id": "9", "name": [{"text": "Dr. Rose"}]}
PILL = {"resourceType": "Medication", "id": "m", "code": {"text": "Pill"}}
CONTEXT = Context(others={"Practitioner/9": ROSE}, root="https://fhir.example/r4/")


class TestFindingAReference:
    @pytest.mark.parametrize(
        "reference",
        [
            "Practitioner/9",
            {"reference": "Practitioner/9"},
            {"reference": "https://fhir.example/r4/Practitioner/9", "display": "Rose"},
            {"reference": "Practitioner/9/_history/2"},
            "https://fhir.example/r4/Practitioner/9/_history/2",
            "https://fhir.example/R4/Practitioner/9",
        ],
    )
    def test_finds_one_of_the_others(self, reference):
        assert CONTEXT.find(reference, within={}) == ROSE

    def test_finds_what_is_contained(self):
        assert CONTEXT.find({"reference": "#m"}, within={"contained": [{"id": "x"}, PILL]}) == PILL

    @pytest.mark.parametrize(
        "reference",
        [
            None,
            "",
            "#",
            "#x",
            "9",
            "Practitioner",
            "Practitioner/10",
            "urn:uuid:9",
            {"reference": ["Practitioner/9"]},
            {},
            5,
        ],
    )
    def test_is_empty_where_it_is_neither(self, reference):
        assert CONTEXT.find(reference, within={"contained": [{"code": "no id"}, PILL]}) == {}

    @pytest.mark.parametrize("root", ["https://fhir.example/r4", ""])
    @pytest.mark.parametrize(
        "address",
        [
            "https://other.example/r4/Practitioner/9",
            "http://fhir.example/r4/Practitioner/9",
            "https://fhir.example/r4x/Practitioner/9",
            "https://fhir.example/r4/tenant/Practitioner/9",
            "https://fhir.example:8443/r4/Practitioner/9/_history/1",
            "//fhir.example/r4/Practitioner/9",
            "r4/Practitioner/9",
            "urn:uuid:x/Practitioner/9",
        ],
    )
    def test_is_empty_where_it_stands_at_another_root(self, root, address):
        context = Context(others={"Practitioner/9": ROSE}, root=root)
        assert context.find({"reference": address}, within={}) == {}
        assert context.find(address, within={}) == {}

    @given(odd("contained", "reference", "id"), st.text(max_size=8) | odd("reference"))
    def test_never_raises(self, content, reference):
        within = elements.parse(json.dumps(content).encode("utf-8", "surrogatepass"))
        assert isinstance(CONTEXT.find(reference, within=within), dict)


class TestAnEntry:
    def test_is_equal_after_a_night_on_the_shelf(self):
        entry = Entry(
            resource_type="Condition", logical_id="7", title="Asthma", codes=(Code("s", "1", "d"),),
            when=When(means="started", age_from=4.5), people=("Dr. Rose",), said=("Mild",), narrative="Asthma",
        )  # fmt: skip
        assert msgspec.json.decode(msgspec.json.encode(entry), type=Entry) == entry


def kinds_within(kind: Any) -> Iterator[Any]:
    """A kind, and those of all that it holds."""
    yield kind
    held = get_args(kind) or (get_type_hints(kind).values() if is_a_struct(kind) else ())
    for each in held:
        yield from kinds_within(each)


def is_a_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


class TestWhatAnEntryHolds:
    @pytest.mark.parametrize("kind", presenting.KINDS.values(), ids=presenting.KINDS)
    def test_never_changes_so_that_a_page_can_know_it_again(self, kind):
        within = set(kinds_within(kind))
        assert not within & {list, dict, set}
        assert not {get_origin(each) for each in within} & {list, dict, set}
        assert all(each.__struct_config__.frozen for each in within if is_a_struct(each))
