"""Read pages of a search as a server sends them."""

import json
from typing import Any

from apps.wire import bundles
from apps.wire.bundles import Page

BASE = "https://provider.example/fhir/r4/"


def page(entries=(), **members) -> Page:
    """A searchset of these entries, with these members besides."""
    body = json.dumps({"resourceType": "Bundle", "type": "searchset", "entry": list(entries), **members})
    return bundles.read_page(body.encode(), base_url=BASE)


def goal(logical_id) -> dict[str, Any]:
    """An entry."""
    return {"resource": {"resourceType": "Goal", "id": logical_id}}
