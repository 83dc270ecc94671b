"""Error responses for clients (RFC 6749 section 5.2, interface facts 5.7): JSON with `error` and `error_uri`.

Every response to a client, success or not, has the headers of specification 2.4.
"""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, JsonResponse

from apps.sandbox import scenarios
from apps.sandbox.smart.errors.addresses import explained

METHODS = "OPTIONS, POST"


@dataclass(frozen=True)
class Refusal(Exception):
    """A request that fails. `error` is a code of RFC 6749, `name` an error of `errors.catalogue`.

    `challenges`: ask for Basic credentials, because some were sent in that header (RFC 6749 section 5.2).
    """

    error: str
    name: str
    status: int = 400
    challenges: bool = False
    retry_after_seconds: int | None = None


def invalid_request() -> Refusal:
    """Something is missing, repeated or in the wrong place."""
    return Refusal("invalid_request", "oauth2:token:invalid-request")


def invalid_client(name: str = "oauth2:token:invalid-client-credentials", *, challenges: bool = False) -> Refusal:
    """Unknown, not approved, or not authenticated: the same response, so that nobody learns which."""
    return Refusal("invalid_client", name, status=401, challenges=challenges)


def invalid_grant(name: str) -> Refusal:
    """The code or refresh token is not valid."""
    return Refusal("invalid_grant", name)


def answer(refusal: Refusal, *, client_id: str, tenant: str) -> HttpResponse:
    """The error in the form that the switch selects. Status and headers are the same in every form."""
    told = explained(refusal.error, refusal.name, client_id=client_id, tenant=tenant)
    match scenarios.chosen("token_error_form"):
        case "rfc":
            response: HttpResponse = JsonResponse(told)
        case "detailed":
            response = JsonResponse({"error": refusal.error.replace("_", " ").title(), "detailedmessage": refusal.name})
        case "html":
            response = HttpResponse(f"<!doctype html><title>Error</title><h1>{refusal.status}</h1>")
        case "text":
            response = HttpResponse(refusal.error, content_type="text/plain")
        case _:
            response = HttpResponse(b"", content_type="application/json")
    response.status_code = refusal.status
    if refusal.challenges:
        response["WWW-Authenticate"] = 'Basic realm="sandbox"'
    if refusal.retry_after_seconds is not None:
        response["Retry-After"] = str(refusal.retry_after_seconds)
    return for_programs(response)


def for_programs(response: HttpResponse) -> HttpResponse:
    """The response with the headers of specification 2.4: never stored, and readable by pages of any origin."""
    response["Cache-Control"] = "no-store"
    response["Pragma"] = "no-cache"
    response["Access-Control-Allow-Origin"] = "*"
    response["Access-Control-Allow-Methods"] = METHODS
    response["Access-Control-Allow-Headers"] = "Content-Type, Authorization"
    return response


def unless_posted(request: HttpRequest) -> HttpResponse | None:
    """The response to a method other than POST: a browser's preflight (X45) is told what it may send, others get
    405."""
    if request.method == "POST":
        return None
    response = HttpResponse(status=200 if request.method == "OPTIONS" else 405, content_type="application/json")
    response["Allow"] = METHODS
    return for_programs(response)
