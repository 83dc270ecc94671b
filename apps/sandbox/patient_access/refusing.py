"""Errors of the token endpoint (RFC 6749 section 5.2), and the other forms that servers were seen to use."""

from dataclasses import dataclass

from django.http import HttpResponse, JsonResponse

from apps.sandbox import scenarios

NEVER_STORED = {"Cache-Control": "no-store", "Pragma": "no-cache"}


@dataclass(frozen=True)
class Refusal(Exception):
    """A token request that fails. `error` is a code of RFC 6749 section 5.2."""

    error: str
    because: str
    status: int = 400


def invalid_client() -> Refusal:
    """Unknown, unapproved or wrong secret: the same response, so that nobody learns which."""
    return Refusal("invalid_client", "The application is unknown, not active, or its secret is wrong.", 401)


def invalid_grant(because: str) -> Refusal:
    """The code or refresh token is not valid."""
    return Refusal("invalid_grant", because)


def answer(refusal: Refusal) -> HttpResponse:
    """The error in the form that the switch selects. Status and headers are the same in every form."""
    match scenarios.chosen("token_error_form"):
        case "rfc":
            response: HttpResponse = JsonResponse({"error": refusal.error, "error_description": refusal.because})
        case "detailed":
            title = refusal.error.replace("_", " ").title()
            response = JsonResponse({"error": title, "detailedmessage": refusal.because})
        case "html":
            response = HttpResponse(f"<!doctype html><title>Error</title><h1>{refusal.status}</h1><p>{refusal.because}")
        case "text":
            response = HttpResponse(refusal.because, content_type="text/plain")
        case _:
            response = HttpResponse(b"", content_type="application/json")
    response.status_code = refusal.status
    for name, value in NEVER_STORED.items():
        response[name] = value
    if refusal.status == 401:
        response["WWW-Authenticate"] = 'Basic realm="sandbox"'
    return response
