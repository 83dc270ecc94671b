"""Whom we believe because staff know them: the hosts that tokens may go to, and the issuers of ID tokens.

A directory file pairs FHIR base URLs with authorization servers. A hostile one pairs a host of its own with a server
that patients trust: they would sign in there, and their tokens would travel to that host.
"""

from datetime import datetime

from django.db import transaction

from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact
from apps.directory import pairing, pinning, registering
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint


def is_stranger(endpoint: Endpoint, *, served_by: ClientRegistration | None = None) -> bool:
    """Whether staff should switch the endpoint on first: patients sign in at its authorization server under a
    registration of ours, and it has the origin neither of that server nor of an endpoint of it that is switched on. Its
    addresses passed the guard. A registration that served the endpoint before makes it no stranger to itself."""
    server = endpoint.authorization_server
    if server is None or not registering.is_relied_on(server, besides=served_by):
        return False
    others = Endpoint.objects.filter(authorization_server=server, is_switched_on=True).exclude(pk=endpoint.pk)
    trusted = [server.authorize_url, server.token_url, *others.values_list("fhir_base_url", flat=True)]
    return not any(pinning.is_same_origin(endpoint.fhir_base_url, url) for url in trusted)


def allow_issuer(server: AuthorizationServer, issuer: str, *, actor: Actor, at: datetime) -> None:
    """Let ID tokens of this server name an issuer that it does not declare (interface facts 3.7: the two may differ,
    and neither is derived from the other). Twice is as once. Raises ValidationError for what is no address of ours."""
    pairing.check_issuers([issuer])
    with transaction.atomic():
        row = AuthorizationServer.objects.select_for_update().get(pk=server.pk)
        if issuer not in row.id_token_issuers:
            row.id_token_issuers = [*row.id_token_issuers, issuer]
            row.save(update_fields=["id_token_issuers"])
            recording.record(
                EventType.DIRECTORY_CHANGED,
                actor=actor,
                at=at,
                subject="authorization server",
                subject_id=str(row.pk),
                facts={Fact.ACTION: "changed", Fact.CHANGED: "id_token_issuers"},
            )
    server.refresh_from_db()
