"""Read a client's form body, each field at most once (specification 4.2, X40; RFC 6749 section 3.2)."""

from django.http import HttpRequest, QueryDict

from apps.sandbox.patient_access import parameters
from apps.sandbox.smart import refusing

_NEVER_IN_QUERY = {
    *("grant_type", "code", "redirect_uri", "client_id", "client_secret", "refresh_token", "state", "code_verifier"),
    *("scope", "client_assertion", "client_assertion_type", "token", "token_type_hint", "access_token"),
}


def form(request: HttpRequest) -> dict[str, str]:
    """Every field with a value, known or not. Raises Refusal for another content type, for a repeated field, and for a
    field in the query, because URLs are logged."""
    if not parameters.is_form(request) or _NEVER_IN_QUERY & request.GET.keys():
        raise refusing.invalid_request()
    try:
        return parameters.once(QueryDict(request.body, encoding="utf-8"))
    except parameters.Repeated:
        raise refusing.invalid_request() from None
