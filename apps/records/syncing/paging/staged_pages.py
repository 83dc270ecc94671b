"""A page that has come but is not stored yet, kept as it came: the next page can be requested meanwhile, and a worker
that dies does not cost its rows a second request.

It is sealed in the step, beside the cursor after it, and is removed in the transaction that stores its rows. Pages are
staged only where no other request could be made meanwhile: it costs a little.
"""

import json
from collections.abc import Sequence
from typing import Final

from apps.records import places
from apps.records.models import SyncStep
from apps.vault.sealing import KeyRing, Place
from apps.wire.fhir import Resource

# Larger ones are not worth it: storing is what takes long then.
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
    """The rows that were staged; None where there is no such page."""
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
