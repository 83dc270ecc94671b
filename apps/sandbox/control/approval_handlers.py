"""The control addresses of the approval desk: list what waits, and decide."""

from typing import Any

from django.http import QueryDict

from apps.sandbox import clock
from apps.sandbox.approving import deciding
from apps.sandbox.approving.deciding import Pending
from apps.sandbox.control.json_views import Answer, Body, Wrong, only, take
from apps.sandbox.registration import RequestRefused


def approvals(_query: QueryDict) -> Answer:
    """Everything that waits for an administrator."""
    return {"pending": [_told(row) for row in deciding.pending()]}, 200


def decide(body: Body) -> Answer:
    """Decide about one request, named by `kind` and `id`: `decision` is "approve" or "reject", with a `reason`. Without
    a body, approve everything that can be approved. Answers with what still waits."""
    only(body, "kind", "id", "decision", "reason")
    if not body:
        for row in deciding.pending():
            if row.can_be_approved:
                deciding.decide(row.kind, row.id, "approve", at=clock.now())
        return approvals(QueryDict())
    try:
        deciding.decide(
            take(body, "kind", str, ""),
            take(body, "id", int, 0),
            take(body, "decision", str, "approve"),
            reason=take(body, "reason", str, ""),
            at=clock.now(),
        )
    except RequestRefused as refused:
        raise Wrong(str(refused)) from None
    return approvals(QueryDict())


def _told(row: Pending) -> dict[str, Any]:
    return {
        "kind": row.kind,
        "id": row.id,
        "name": row.name,
        "developer": row.developer,
        "requested_at": row.requested_at.isoformat(),
        "can_be_approved": row.can_be_approved,
    }
