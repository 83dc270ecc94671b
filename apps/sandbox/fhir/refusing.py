"""Errors of the data routes: an OperationOutcome, in the forms that servers were seen to use (interface facts 5.5)."""

import json
import uuid
from typing import Any

from django.http import HttpResponse

from apps.sandbox import scenarios
from apps.sandbox.fhir import media_types

_PAGE = b"<!doctype html><title>Request failed</title><h1>Your request could not be processed</h1>"
_TRACE = (
    "   at Practice.Fhir.Search.SearchHandler.Execute(SearchRequest request)\n"
    "   at Practice.Fhir.Pipeline.Run() in C:\\build\\Practice.Fhir\\Pipeline.cs:line 118"
)


class Refusal(Exception):
    """A request that gets no data: the HTTP status, FHIR's issue code, and a text for developers.

    `as_text`: the usual body is only the text. `challenge` is sent as WWW-Authenticate.
    """

    def __init__(self, status: int, code: str, diagnostics: str, *, as_text: bool = False, challenge: str = "") -> None:
        super().__init__(diagnostics)
        self.status = status
        self.code = code
        self.diagnostics = diagnostics
        self.as_text = as_text
        self.challenge = challenge


def answer(refusal: Refusal, version: str, switch: str) -> HttpResponse:
    """The error response in the form that `switch` selects; one `as_text` is plain text if the switch has its
    default."""
    response = _written(refusal, version, scenarios.chosen(switch), is_usual=scenarios.is_usual(switch))
    if refusal.challenge:
        response["WWW-Authenticate"] = refusal.challenge
    if refusal.status == 405:
        response["Allow"] = "GET, HEAD"
    return response


def not_acceptable() -> HttpResponse:
    """406 with an empty body."""
    response = HttpResponse(status=406)
    del response["Content-Type"]
    return response


def _written(refusal: Refusal, version: str, form: str, *, is_usual: bool) -> HttpResponse:
    if form == "text-or-empty":
        form = "plain-text" if refusal.status in (401, 404) else "empty"
    if form == "plain-text" or (refusal.as_text and is_usual):
        return HttpResponse(refusal.diagnostics, status=refusal.status, content_type="text/plain; charset=utf-8")
    if form == "html":
        return HttpResponse(_PAGE, status=refusal.status)
    if form == "empty":
        return HttpResponse(b"", status=refusal.status, content_type=media_types.STANDARD[version])
    body = json.dumps(outcome(refusal.code, refusal.diagnostics, form))
    return HttpResponse(body, status=refusal.status, content_type=media_types.STANDARD[version])


def outcome(code: str, diagnostics: str, form: str, severity: str = "error") -> dict[str, Any]:
    """An OperationOutcome. "no-code" leaves out the required code, "stack-trace" adds an information issue."""
    issue = {"severity": severity, "diagnostics": diagnostics}
    issues = [issue if form != "with-code" else {"severity": severity, "code": code, "diagnostics": diagnostics}]
    if form == "stack-trace":
        issues.append({"severity": "information", "diagnostics": _TRACE})
    return {"resourceType": "OperationOutcome", "id": str(uuid.uuid4()), "issue": issues}
