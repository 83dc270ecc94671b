"""A provider's record of a patient for tests of what shares show: rows that change, and what of them was copied."""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from apps.records.subjects import ALLERGIES, CONDITIONS, DOCUMENTS, RESULTS, Subject
from tests.records.attachments.filing import inline, linked_to
from tests.records.people import PATIENT_ID, R4_PATIENT, bundle
from tests.records.provider import statement
from tests.wire.servers import Recorded, Server, http

FHIR = "/fhir/r4"
NEW, OLD = "2026-02-03", "2001-02-03"
SUBJECTS: dict[str, Subject] = {
    "AllergyIntolerance": ALLERGIES,
    "Condition": CONDITIONS,
    "DocumentReference": DOCUMENTS,
    "DiagnosticReport": RESULTS,
    "Observation": RESULTS,
}
KINDS = tuple(SUBJECTS)
# What a row is called, by how much it reveals.
NAMES = {
    "AllergyIntolerance": ("Allergy", "Alcohol", "HIV"),
    "Condition": ("Gout", "Schizophrenia", "HIV"),
    "DocumentReference": ("Letter", "Psychiatry note", "Pathology report"),
    "DiagnosticReport": ("Ultrasound", "Depression questionnaire", "Biopsy"),
    "Observation": ("Sodium", "PHQ-9", "HIV test"),
}
PLAIN, SENSITIVE, GRAVE = range(3)


@dataclass
class Row:
    """One row. `word` stands in its name alone, `inside` in its file or its value. `reveals` is PLAIN, SENSITIVE or
    GRAVE."""

    kind: str
    number: int
    reveals: int = PLAIN
    day: str = NEW
    is_withdrawn: bool = False
    is_here: bool = True
    edition: int = 1
    is_linked: bool = False

    @property
    def word(self) -> str:
        return f"Canary{self.number}x"

    @property
    def inside(self) -> str:
        return f"Inside{self.number}e{self.edition}x"

    @property
    def has_file(self) -> bool:
        return self.kind in {"DocumentReference", "DiagnosticReport"}

    @property
    def brings(self) -> int:
        """The number of the result that a grave report brings, whatever the report's state; 0 if it brings none."""
        return self.number + 1 if self.kind == "DiagnosticReport" and self.reveals == GRAVE else 0

    def resource(self) -> dict[str, Any]:
        called = {"text": f"{NAMES[self.kind][self.reveals]} {self.word}"}
        about = {"reference": f"Patient/{PATIENT_ID}"}
        sent: dict[str, Any] = {"resourceType": self.kind, "id": f"n{self.number}", "subject": about}
        withdrawn = {"coding": [{"code": "entered-in-error"}]}
        if self.kind == "AllergyIntolerance":
            sent |= {"code": called, "patient": about}
        elif self.kind == "Condition":
            sent |= {"code": called, "clinicalStatus": {"coding": [{"code": "active"}]}}
        elif self.kind == "DocumentReference":
            sent |= {"type": called, "status": "current", "date": f"{self.day}T10:00:00Z"}
            sent["content"] = [{"attachment": self._file()}]
        else:
            sent |= {"code": called, "status": "final", "effectiveDateTime": self.day}
            if self.kind == "Observation":
                sent |= {"valueString": self.inside, "category": [{"coding": [{"code": "laboratory"}]}]}
            else:
                sent["presentedForm"] = [self._file()]
                sent["result"] = [{"reference": f"Observation/n{self.number + 1}"}]
        if self.is_withdrawn:
            sent |= {"status": "entered-in-error"} if "status" in sent else {"verificationStatus": withdrawn}
        return sent

    def _file(self) -> dict[str, Any]:
        if self.is_linked:
            return linked_to(f"files/{self.number}/{self.edition}", "text/plain")
        return inline(self.inside.encode())


class Provider:
    """A provider with one patient. It answers unless it is `down`."""

    def __init__(self, server: Server) -> None:
        self.server, self.down = server, False
        self.rows: list[Row] = []
        server.answer = self._answer

    @property
    def base_url(self) -> str:
        return self.server.url(FHIR)

    def copied(self) -> dict[int, Row]:
        """What somebody copies who asks now."""
        return {row.number: copy(row) for row in self.rows if row.is_here}

    def _answer(self, request: Recorded) -> Iterator[bytes]:
        yield http(503) if self.down else self._of(request.target)

    def _of(self, target: str) -> bytes:
        parts = urlsplit(target)
        kind, _, rest = parts.path.removeprefix(f"{FHIR}/").partition("/")
        if kind == "metadata":
            return http(body=statement("Patient", *KINDS))
        if kind == "Patient":
            return http(body=R4_PATIENT)
        if kind == "files":
            number, edition = map(int, rest.split("/"))
            return http(body=f"Inside{number}e{edition}x".encode(), content_type="text/plain")
        here = [row for row in self.rows if row.is_here and row.kind == kind]
        if rest:
            found = [row for row in here if f"n{row.number}" == rest]
            return http(body=found[0].resource()) if found else http(404)
        if kind not in KINDS:
            return http(404)
        category = parse_qs(parts.query).get("category", ["laboratory"])[0]
        if category != "laboratory" and kind == "Observation":
            here = []
        return http(body=bundle(*[row.resource() for row in here], total=len(here)))
