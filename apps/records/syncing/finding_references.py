"""What rows refer to: literal references to resources on the same root, found without decoding a body.

An absolute address elsewhere is not one of them: no token of ours goes there (facts 1.3; C56). What is found is a type
and an id; the address is always made of our own root.
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
    """The resources of `planning.REFERENCED` that these bodies name, each once. Never raises."""
    written = {found for body in bodies for found in _REFERENCE.findall(body)}
    read = (_target(reference.replace(b"\\/", b"/").decode("utf-8", "replace"), base_url) for reference in written)
    return {target for target in read if target is not None}


def _target(reference: str, base_url: str) -> Target | None:
    match = _LITERAL.fullmatch(reference)
    if match is None or not LOGICAL_ID.fullmatch(match["id"]):
        return None
    root = match["root"]
    # servers that are asked for /r4 link to /R4 (facts 1.1)
    if root is not None and root.lower() != base_url.rstrip("/").lower() + "/":
        return None
    return match["type"], match["id"]
