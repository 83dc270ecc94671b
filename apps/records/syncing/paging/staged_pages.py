"""A page that was received but is not stored yet, kept unprocessed: meanwhile the next page can be requested, and if a
worker dies, its rows need no second request.

It is sealed in the step, beside the cursor after it, and removed in the transaction that stores its rows. Pages are
staged only if no other request could be made meanwhile, because staging costs a little.
"""

import json
from collections.abc import Sequence
from typing import Final

from apps.records import places
from apps.records.models import SyncStep
from apps.vault.sealing import KeyRing, Place
from apps.wire.fhir import Resource

# Staging larger ones is not worth it: with them, storing takes most of the time.
LARGEST_BYTES: Final = 1_000_000
_END: Final = b"\n"


def is_small_enough(rows: Sequence[Resource]) -> bool:
    """Whether a page may be staged."""
    return sum(len(row.body) for row in rows) <= LARGEST_BYTES


def sealed(rows: Sequence[Resource], step: SyncStep, ring: KeyRing) -> bytes:
    """For `SyncStep.sealed_page`."""
    heads = [(row.resource_type, row.logical_id, len(row.body)) for row in rows]
    content = json.dumps(heads).encode() + _END + b"".join(row.body for row in rows)
    return ring.seal_body(content, place=_place(step))


def opened(step: SyncStep, ring: KeyRing) -> tuple[Resource, ...] | None:
    """The rows that were staged; None if there is no such page."""
    if step.sealed_page is None:
        return None
    heads, _end, bodies = ring.open_body(bytes(step.sealed_page), place=_place(step)).partition(_END)
    rows, start = [], 0
    for resource_type, logical_id, length in json.loads(heads):
        rows.append(Resource(resource_type, logical_id, bodies[start : start + length]))
        start += length
    return tuple(rows)


def _place(step: SyncStep) -> Place:
    return places.page_place(run_id=step.run_id, resource_type=step.resource_type)
