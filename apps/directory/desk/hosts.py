"""Hosts to review before patients are sent there: endpoints that were switched off as strangers (`trusting`).

Whoever signs in for such an endpoint gives the host of its records a permission to a patient's record.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from apps.directory.models import Endpoint


@dataclass(frozen=True)
class Stranger:
    """An endpoint that waits for review. `name` is that of one of its providers, according to a list; empty if there is
    none."""

    endpoint: Endpoint
    name: str

    @property
    def record_host(self) -> str:
        """The host of its records, to which patients' access tokens would be sent."""
        return urlsplit(self.endpoint.fhir_base_url).netloc

    @property
    def sign_in_hosts(self) -> tuple[str, ...]:
        """The hosts where patients would sign in and tokens are issued, each once; empty if unknown."""
        server = self.endpoint.authorization_server
        urls = (server.authorize_url, server.token_url) if server else ()
        return tuple(dict.fromkeys(urlsplit(url).netloc for url in urls))


def waiting(*, most: int) -> Sequence[Stranger]:
    """At most so many, the one that has waited longest first."""
    rows = Endpoint.objects.filter(is_stranger=True, vanished_at__isnull=True).select_related("authorization_server")
    return [of(row) for row in rows.order_by("switched_off_at", "fhir_base_url")[:most]]


def of(endpoint: Endpoint) -> Stranger:
    """The stranger for one endpoint."""
    names = endpoint.providers.filter(vanished_at__isnull=True).order_by("name").values_list("name", flat=True)
    return Stranger(endpoint, names.first() or "")
