"""Present one resource, and read the text of its page and of its row in a list."""

import json
from typing import Any

from apps.records import presenting
from apps.records.presenters.entry import Context, Entry
from apps.records.viewing import facts
from apps.records.viewing.listing import row_details
from apps.records.viewing.wording import words


def concept(code: str) -> dict[str, Any]:
    """A CodeableConcept that has only a code."""
    return {"coding": [{"code": code}]}


def named(text: str) -> dict[str, Any]:
    """A CodeableConcept that has only a text."""
    return {"text": text}


def entry(resource_type: str, **sent: Any) -> Entry:
    """Present a resource of this type with these elements, and return its entry."""
    seen = {"note": [{"text": "Seen"}], "comment": "Seen"}  # a resource without any content is hidden
    body = json.dumps({"resourceType": resource_type, "id": "x", **seen, **sent}).encode()
    return presenting.present(body, resource_type=resource_type, logical_id="x", context=Context())[1]


def on_page(of: Entry) -> str:
    """The facts on the entry's page, one "label: value" a line."""
    return "\n".join(f"{fact.label}: {line}" for fact in facts.of(of, provider="Harbor") for line in fact.lines)


def in_row(of: Entry) -> str:
    """The status and details that the entry's row shows, one a line."""
    return "\n".join((words.of_status(of), *row_details.of(of)))
