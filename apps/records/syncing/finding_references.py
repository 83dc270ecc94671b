"""What rows refer to: literal references to resources below the same FHIR root, found without parsing the body.

Absolute addresses elsewhere are ignored: no token of ours goes there (facts 1.3; C56). A match yields a type and an id;
the address requested is always built from our own root.
"""

import re
from collections.abc import Iterable
from typing import Final

from apps.records.syncing.planning import REFERENCED
from apps.wire.bundles import LOGICAL_ID

Target = tuple[str, str]

# Some programs escape each slash.
_REFERENCE: Final = re.compile(rb'"reference"\s*:\s*"((?:[^"\\]|\\/){3,1000})"')
_LITERAL: Final = re.compile(
    r"(?P<root>https?://.{1,300}/)?(?P<type>" + "|".join(REFERENCED) + r")/(?P<id>[^/]+)(?:/_history/.*)?"
)


def targets(bodies: Iterable[bytes], *, base_url: str) -> set[Target]:
    """The resources of `planning.REFERENCED` that these bodies refer to, each once. Never raises."""
    written = {found for body in bodies for found in _REFERENCE.findall(body)}
    read = (_target(reference.replace(b"\\/", b"/").decode("utf-8", "replace"), base_url) for reference in written)
    return {target for target in read if target is not None}


def _target(reference: str, base_url: str) -> Target | None:
    match = _LITERAL.fullmatch(reference)
    if match is None or not LOGICAL_ID.fullmatch(match["id"]):
        return None
    root = match["root"]
    # servers that are asked below /r4 may link to /R4 (facts 1.1)
    if root is not None and root.lower() != base_url.rstrip("/").lower() + "/":
        return None
    return match["type"], match["id"]
