"""Check that a document is valid R4, with a model library that knows every element, type and cardinality."""

import json
from typing import Any
from xml.etree import ElementTree as ET

from fhirclient.models.bundle import Bundle
from fhirclient.models.fhirabstractbase import FHIRValidationError

_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_XHTML = "{http://www.w3.org/1999/xhtml}"
_TAGS = frozenset({"div", "p", "table", "thead", "tbody", "tr", "th", "td", "br"})


def assert_r4(written: bytes) -> None:
    """Every resource has the elements of its type and no others; narratives are well-formed XHTML without attributes
    but that of their language. The library asks for a value even where a reason stands in its place, so that one is put
    there."""
    bundle = json.loads(written)
    for narrative in _narratives(bundle):
        root = ET.fromstring(narrative)
        assert root.tag == f"{_XHTML}div"
        assert {part.tag.removeprefix(_XHTML) for part in root.iter()} <= _TAGS
        assert set(root.attrib) == {"lang", _LANGUAGE}
        assert not any(part.attrib for part in root.iter() if part is not root)
    try:
        Bundle(_with_values(bundle))
    except FHIRValidationError as error:
        raise AssertionError(str(error)) from error


def _narratives(part: Any) -> list[str]:
    if isinstance(part, list):
        return [each for item in part for each in _narratives(item)]
    if not isinstance(part, dict):
        return []
    own = [part["div"]] if "div" in part else []
    return [*own, *_narratives(list(part.values()))]


def _with_values(part: Any) -> Any:
    if isinstance(part, list):
        return [_with_values(item) for item in part]
    if not isinstance(part, dict):
        return part
    absent = {name[1:] for name in part if name.startswith("_")} - set(part)
    stand_ins = {name: "2000-01-01" if name.endswith("DateTime") else "unknown" for name in absent}
    return {**{name: _with_values(value) for name, value in part.items()}, **stand_ins}
