"""How resources of a Bundle are referred to: by type and id, wherever they are, or by the URN of an entry."""

import re
from collections.abc import Mapping
from typing import Any

from apps.directory.list_formats.texts import loose

_LONGEST = 400
_TYPED = re.compile(r"(?:^|/)(Endpoint|Organization)/([^/?#]+)(?:/_history/[^/]+)?$")


def key(reference: Any, resource_type: str) -> str:
    """The target of a Reference, empty if there is none. A bare id counts as one of `resource_type`. Some lists have
    the reference in `id`."""
    if not isinstance(reference, dict):
        return ""
    written = loose(reference.get("reference"), longest=_LONGEST) or loose(reference.get("id"), longest=_LONGEST)
    if not written or written.startswith("urn:"):
        return written
    typed = _TYPED.search(written)
    return f"{typed[1]}/{typed[2]}" if typed else f"{resource_type}/{written.removeprefix('#')}"


def keys_of(resource_type: str, resource: Mapping[str, Any], full_url: Any) -> tuple[str, str]:
    """The two keys by which others may refer to a resource; either may be empty."""
    logical_id = loose(resource.get("id"), longest=_LONGEST)
    url = loose(full_url, longest=_LONGEST)
    typed = _TYPED.search(url)
    by_url = f"{typed[1]}/{typed[2]}" if typed else url
    return (f"{resource_type}/{logical_id}" if logical_id else by_url), by_url
