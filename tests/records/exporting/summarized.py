"""A patient summary as a program for R4 reads it."""

import json
from decimal import Decimal
from typing import Any

from apps.accounts.models import User
from apps.records.exporting import choosing
from apps.records.exporting.ips import documents
from apps.records.exporting.portions import WHOLE, Portion
from tests.records.exporting.r4 import assert_r4
from tests.records.linked import AT

MEDICINES, ALLERGIES, PROBLEMS, PAST = "10160-0", "48765-2", "11450-4", "11348-0"
VACCINES, PROCEDURES, RESULTS, VITALS, PLANS = "11369-6", "47519-4", "30954-2", "8716-3", "18776-5"
DEVICES, HISTORY = "46264-8", "29762-2"
ALERTS, PREGNANCY, DIRECTIVES = "104605-1", "10162-6", "42348-3"


def made(kind: str, **elements: Any) -> dict[str, Any]:
    """A resource of that type, with an id made of it."""
    return {"resourceType": kind, "id": f"{kind.lower()}-1", **elements}


class Summarized:
    """The document of all that a person has, or of a portion of it. `written` is it as it leaves."""

    def __init__(self, user: User, *, tells_answers: bool = True, portion: Portion = WHOLE) -> None:
        choices = choosing.choices(user, at=AT)
        self.written = documents.document(choices, at=AT, tells_answers=tells_answers, portion=portion)
        assert_r4(self.written)
        self._entries = json.loads(self.written, parse_float=Decimal)["entry"]

    @property
    def composition(self) -> dict[str, Any]:
        """What the document begins with."""
        return dict(self._entries[0]["resource"])

    def section(self, loinc: str) -> dict[str, Any]:
        """One section, by its code."""
        (found,) = (each for each in self.composition["section"] if each["code"]["coding"][0]["code"] == loinc)
        return dict(found)

    def words(self, loinc: str) -> str:
        """What a section tells people."""
        return str(self.section(loinc)["text"]["div"])

    def told(self, loinc: str) -> list[dict[str, Any]]:
        """What a section tells programs."""
        return self.named(self.section(loinc).get("entry", ()))

    def named(self, references: Any) -> list[dict[str, Any]]:
        """The resources that references mean. Each of them is there."""
        by_url = {each["fullUrl"]: each["resource"] for each in self._entries}
        return [by_url[each["reference"]] for each in references]

    def of_type(self, resource_type: str) -> list[dict[str, Any]]:
        """All resources of a type."""
        found = (each["resource"] for each in self._entries)
        return [each for each in found if each["resourceType"] == resource_type]
