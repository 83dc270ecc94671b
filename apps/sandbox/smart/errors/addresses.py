"""The URL of the page that explains an error, for `error_uri` (interface facts section 5.7, X63).

`{authorization host}/errors/{percent-encoded URN}/instances/{uuid}?client=…&tenant=…&persona=…`. In a redirect the
whole URL is a parameter and is encoded again, so that the URN there is encoded twice. No error_description is sent.
"""

import uuid
from urllib.parse import quote, urlencode

from django.conf import settings

from apps.sandbox import scenarios
from apps.sandbox.smart.errors.catalogue import ERRORS, NAMESPACE

_ELSEWHERE = "https://help.example"


def error_uri(name: str, *, client_id: str, tenant: str, persona: str = "") -> str | None:
    """The URL that explains the error `name` (a key of `catalogue.ERRORS`), or None if the switch leaves it out.

    `client_id` may be what an unknown client called itself; "" is written as "unknown".
    """
    if name not in ERRORS:
        raise KeyError(name)
    mode = scenarios.chosen("error_uri")
    if mode == "off":
        return None
    origin = _ELSEWHERE if mode == "foreign-host" else settings.SANDBOX_ORIGIN
    told = {"client": client_id or "unknown", "tenant": tenant, **({"persona": persona} if persona else {})}
    urn = quote(NAMESPACE + name, safe="")
    return f"{origin}/b/authorization/errors/{urn}/instances/{uuid.uuid4()}?{urlencode(told)}"


def explained(error: str, name: str, *, client_id: str, tenant: str, persona: str = "") -> dict[str, str]:
    """`error` and `error_uri`, for JSON or for the query of a redirect."""
    address = error_uri(name, client_id=client_id, tenant=tenant, persona=persona)
    return {"error": error, **({"error_uri": address} if address else {})}
