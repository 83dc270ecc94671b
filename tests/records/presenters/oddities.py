"""Whatever a server could send in place of a resource, and what every presenter must make of it."""

import json
from typing import Any

import msgspec
from hypothesis import strategies as st

from apps.records.presenters import elements
from apps.records.presenters.entry import Context, Entry, Present

_TEXTS = st.text(alphabet=st.characters(), max_size=20) | st.sampled_from(
    ("2019", "2019-03-04", "active", "entered-in-error", "masked", "#a", "Medication/1", "h", "a")
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | _TEXTS,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=6), children, max_size=4),
    max_leaves=12,
)
_INNER = (
    "coding", "system", "code", "display", "text", "div", "reference", "id", "value", "unit", "start", "end", "low",
    "high", "extension", "url", "valueCode", "repeat", "frequency", "period", "periodUnits", "periodUnit", "when",
    "event", "boundsPeriod", "name", "actor", "individual", "contained", "comparator", "numerator", "denominator",
)  # fmt: skip


def odd(*names: str) -> st.SearchStrategy[Any]:
    """Resources made of these elements, and of those within them, with anything at all in each."""
    inner = st.sampled_from((*_INNER, *names))
    values = st.recursive(
        ANYTHING,
        lambda children: st.lists(children, max_size=3) | st.dictionaries(inner, children, max_size=5),
        max_leaves=20,
    )
    return ANYTHING | st.dictionaries(st.sampled_from(names), values, max_size=8)


def shelved(present: Present, content: Any, context: Context | None = None) -> Entry:
    """The entry made of this content, as it was received, after a night on the shelf: equal to what was laid there."""
    resource = elements.parse(json.dumps(content).encode("utf-8", "surrogatepass"))
    entry = present(resource, context or Context())
    assert msgspec.json.decode(msgspec.json.encode(entry), type=type(entry)) == entry
    return entry
