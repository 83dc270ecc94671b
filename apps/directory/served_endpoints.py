"""Which endpoints a client registration serves: the allow list for launches from outside.

A provider's portal names the FHIR base URL that it launches for (`iss`, interface facts 3.9). It is compared with the
directory before any request: a URL in a link is no reason to contact anybody.
"""

import re

from django.db.models import Q

from apps.directory import registering
from apps.directory.models import ClientRegistration, Endpoint
from apps.wire.dialects import Interface

_ROOT = re.compile(r"(?P<scheme>[A-Za-z]+)://(?P<host>[^/?#@\\\s]+)(?P<path>/[^?#\\\s]*)?")


def endpoint_at(registration: ClientRegistration, unverified_root: str) -> Endpoint | None:
    """The endpoint with this FHIR base URL among those that this registration serves, or None. Scheme and host are
    compared case-insensitively, and one trailing slash is ignored; everything else counts. Makes no network calls."""
    if _spelled(unverified_root) is None:
        return None
    rows = Endpoint.objects.filter(
        Q(authorization_server=registration.authorization_server_id) | Q(enablements__registration=registration),
        interface=Interface.SMART,
    )
    # a deployment can have thousands of tenants, and anybody may call this: the database returns only spellings of one
    bare = unverified_root.removesuffix("/")
    alike = rows.filter(Q(fhir_base_url__iexact=bare) | Q(fhir_base_url__iexact=f"{bare}/"))
    for endpoint in alike.select_related("authorization_server").distinct():
        if is_same_root(unverified_root, endpoint.fhir_base_url):
            return endpoint if serves(registration, endpoint) else None
    return None


def serves(registration: ClientRegistration, endpoint: Endpoint) -> bool:
    """Whether patients link the endpoint with this registration now."""
    return registering.standing_at(endpoint) == registration


def is_same_root(unverified_root: str, root: str) -> bool:
    """Whether these are two spellings of one FHIR base URL, by the rule of `endpoint_at`."""
    wanted = _spelled(unverified_root)
    return wanted is not None and wanted == _spelled(root)


def _spelled(root: str) -> tuple[str, str, str] | None:
    parts = _ROOT.fullmatch(root)
    if parts is None or not (root.isascii() and root.isprintable()):  # as every address in the directory is
        return None
    return parts["scheme"].lower(), parts["host"].lower(), (parts["path"] or "").removesuffix("/")
