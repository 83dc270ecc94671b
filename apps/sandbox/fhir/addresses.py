"""Addresses of the data routes as they appear in answers.

The observed interface answers with /fhir/R4/ whatever case the request had (interface facts 1.1); the switch
`link_case` can turn that off.
"""

from django.http import HttpRequest

from apps.sandbox import scenarios

BASE = "{data-base}/"  # stands in stored bodies for the data base; never legal in a FHIR address
_BASE_BYTES = BASE.encode()
ELSEWHERE = "https://elsewhere.example"


def data_base(request: HttpRequest, version: str) -> str:
    """The data base address the answer to this request speaks of, with its closing slash."""
    tree = version.upper()
    if scenarios.chosen("link_case") == "as-asked":
        tree = request.path_info.split("/")[4]
    return f"{request.scheme}://{request.get_host()}/a/{version}/fhir/{tree}/"


def with_attachments(body: bytes, base: str) -> bytes:
    """A stored body, or several, with the addresses of documents filled in as `attachment_address` stands."""
    if _BASE_BYTES not in body:
        return body
    where = scenarios.chosen("attachment_address")
    root = {"absolute": base, "relative": "", "foreign-host": f"{ELSEWHERE}/fhir/"}[where]
    return body.replace(_BASE_BYTES, root.encode())
