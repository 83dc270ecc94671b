"""URLs of the data routes, as responses contain them.

The observed interface writes /fhir/R4/ in whatever case the request was (interface facts 1.1); the switch `link_case`
can turn that off.
"""

from django.http import HttpRequest

from apps.sandbox import scenarios

BASE = "{data-base}/"  # placeholder for the data base in stored bodies; never legal in a FHIR URL
_BASE_BYTES = BASE.encode()
ELSEWHERE = "https://elsewhere.example"


def data_base(request: HttpRequest, version: str) -> str:
    """The data base URL for the response to this request, with its trailing slash."""
    tree = version.upper()
    if scenarios.chosen("link_case") == "as-asked":
        tree = request.path_info.split("/")[4]
    return f"{request.scheme}://{request.get_host()}/a/{version}/fhir/{tree}/"


def with_attachments(body: bytes, base: str) -> bytes:
    """One or several stored bodies, with the URLs of documents filled in as the switch `attachment_address` says."""
    if _BASE_BYTES not in body:
        return body
    where = scenarios.chosen("attachment_address")
    root = {"absolute": base, "relative": "", "foreign-host": f"{ELSEWHERE}/fhir/"}[where]
    return body.replace(_BASE_BYTES, root.encode())
