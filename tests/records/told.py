"""An entry of one resource as its page and its row tell it."""

import json
from typing import Any

from apps.records import presenting
from apps.records.presenters.entry import Context, Entry
from apps.records.viewing import facts
from apps.records.viewing.listing import row_details
from apps.records.viewing.wording import words


def concept(code: str) -> dict[str, Any]:
    return {"coding": [{"code": code}]}


def named(text: str) -> dict[str, Any]:
    return {"text": text}


def entry(resource_type: str, **sent: Any) -> Entry:
    seen = {"note": [{"text": "Seen"}], "comment": "Seen"}  # what has no content at all is hidden
    body = json.dumps({"resourceType": resource_type, "id": "x", **seen, **sent}).encode()
    return presenting.present(body, resource_type=resource_type, logical_id="x", context=Context())[1]


def on_page(of: Entry) -> str:
    return "\n".join(f"{fact.label}: {line}" for fact in facts.of(of, provider="Harbor") for line in fact.lines)


def in_row(of: Entry) -> str:
    return "\n".join((words.of_status(of), *row_details.of(of)))
