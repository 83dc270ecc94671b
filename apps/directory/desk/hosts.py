"""Hosts to look at before patients go there: endpoints that were switched off as strangers (`trusting`).

Whoever signs in beside such an endpoint gives the host of its records a permission for the record of a patient.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from apps.directory.models import Endpoint


@dataclass(frozen=True)
class Stranger:
    """An endpoint that waits for a look. `name` is one of its providers', as a list says; empty where none does."""

    endpoint: Endpoint
    name: str

    @property
    def record_host(self) -> str:
        """Where its records are, and patients' permissions would be sent."""
        return urlsplit(self.endpoint.fhir_base_url).netloc

    @property
    def sign_in_hosts(self) -> tuple[str, ...]:
        """Where its patients would sign in and tokens are given, each once; empty where that is not known."""
        server = self.endpoint.authorization_server
        urls = (server.authorize_url, server.token_url) if server else ()
        return tuple(dict.fromkeys(urlsplit(url).netloc for url in urls))


def waiting(*, most: int) -> Sequence[Stranger]:
    """At most so many, the one that waits longest first."""
    rows = Endpoint.objects.filter(is_stranger=True, vanished_at__isnull=True).select_related("authorization_server")
    return [of(row) for row in rows.order_by("switched_off_at", "fhir_base_url")[:most]]


def of(endpoint: Endpoint) -> Stranger:
    """One of them."""
    names = endpoint.providers.filter(vanished_at__isnull=True).order_by("name").values_list("name", flat=True)
    return Stranger(endpoint, names.first() or "")
