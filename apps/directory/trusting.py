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

COLUMNS = ("is_switched_on", "switched_off_at", "is_stranger")


def is_stranger(endpoint: Endpoint, *, served_by: ClientRegistration | None = None) -> bool:
    """Whether staff should switch the endpoint on first: patients sign in at its authorization server under a
    registration of ours, and it has the origin neither of that server nor of an endpoint of it that is switched on. Its
    addresses passed the guard. A registration that served the endpoint before makes it no stranger to itself."""
    server = endpoint.authorization_server
    if server is None or not registering.is_relied_on(server, besides=served_by):
        return False
    return not _is_known(endpoint, server)


def estrange(endpoint: Endpoint, *, served_by: ClientRegistration | None = None, at: datetime) -> bool:
    """Switch a stranger off, with its reason; True where it is one. Saves nothing: the caller has the row locked, and
    saves `COLUMNS`."""
    if is_stranger(endpoint, served_by=served_by):
        _switch_off(endpoint, at=at)
    return endpoint.is_stranger


def estrange_beside(endpoint: Endpoint, registration: ClientRegistration, *, at: datetime) -> bool:
    """The same for an endpoint that a registration made beside it is about to serve: its host may be known from the
    authorization server of either."""
    servers = (endpoint.authorization_server, registration.authorization_server)
    if not any(server is not None and _is_known(endpoint, server) for server in servers):
        _switch_off(endpoint, at=at)
    return endpoint.is_stranger


def examine(endpoint: Endpoint, *, actor: Actor, at: datetime) -> bool:
    """The same for an endpoint whose authorization server staff chose: saved, and written down. True where it was
    switched off."""
    with transaction.atomic():
        row = Endpoint.objects.select_for_update(no_key=True).get(pk=endpoint.pk)
        if row.is_stranger or not estrange(row, at=at):
            return False
        row.save(update_fields=COLUMNS)
        recording.record(
            EventType.DIRECTORY_CHANGED,
            actor=actor,
            at=at,
            subject="endpoint",
            subject_id=str(row.pk),
            facts={Fact.ACTION: "switched off"},
        )
    endpoint.refresh_from_db(fields=COLUMNS)
    return True


def _is_known(endpoint: Endpoint, server: AuthorizationServer) -> bool:
    others = Endpoint.objects.filter(authorization_server=server, is_switched_on=True).exclude(pk=endpoint.pk)
    trusted = [server.authorize_url, server.token_url, *others.values_list("fhir_base_url", flat=True)]
    return any(pinning.is_same_origin(endpoint.fhir_base_url, url) for url in trusted)


def _switch_off(endpoint: Endpoint, *, at: datetime) -> None:
    if endpoint.is_switched_on:
        endpoint.is_switched_on, endpoint.switched_off_at = False, at
    endpoint.is_stranger = True


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
