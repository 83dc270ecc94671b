"""What we trust because staff know it: the hosts that tokens may be sent to, and the issuers of ID tokens.

A directory file pairs FHIR base URLs with authorization servers. A hostile one could pair its own host with a server
that patients trust: they would sign in there, and their tokens would be sent to that host.
"""

from datetime import datetime

from django.db import connection, transaction
from django.db.models import Q

from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact
from apps.directory import consistency, endpoint_events, pinning, registering
from apps.directory.list_formats import addressing
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint
from apps.directory.models.endpoint import ALIKE
from apps.wire.dialects import Dialect

COLUMNS = ("is_switched_on", "switched_off_at", "is_stranger")

_ORIGIN = "lower(split_part(fhir_base_url, '/', 1) || '//' || split_part(fhir_base_url, '/', 3))"
_ORIGINS = f"""
SELECT {_ORIGIN}, bool_or(host_seen_at IS NOT NULL OR EXISTS (
    SELECT FROM directory_linkday AS day WHERE day.endpoint_id = directory_endpoint.id AND day.completed > 0
)) FROM directory_endpoint WHERE authorization_server_id = %s AND is_switched_on GROUP BY 1
"""  # noqa: S608 # nosec B608 - of constants
_SWITCH_OFF = f"""
UPDATE directory_endpoint SET is_switched_on = false, switched_off_at = %(at)s, is_stranger = true
WHERE authorization_server_id = %(server)s AND is_switched_on AND {_ORIGIN} = ANY(%(origins)s) RETURNING id
"""  # noqa: S608 # nosec B608 - of constants


def is_stranger(endpoint: Endpoint, *, served_by: ClientRegistration | None = None) -> bool:
    """Whether staff should review the endpoint before it is on: patients sign in at its authorization server with a
    registration of ours, and it shares its origin neither with that server nor with an endpoint of it that is switched
    on. Its addresses have passed the URL guard. `served_by` served the endpoint before, and does not count."""
    server = endpoint.authorization_server
    if server is None or not registering.is_relied_on(server, besides=served_by):
        return False
    return not _is_known(endpoint, server)


def estrange(endpoint: Endpoint, *, served_by: ClientRegistration | None = None, at: datetime) -> bool:
    """Switch a stranger off and mark it; True if it is one. Saves nothing: the caller has locked the row, and saves
    `COLUMNS`."""
    if is_stranger(endpoint, served_by=served_by):
        _switch_off(endpoint, at=at)
    return endpoint.is_stranger


def estrange_beside(endpoint: Endpoint, registration: ClientRegistration, *, at: datetime) -> bool:
    """The same for an endpoint that a registration of the same deployment is about to serve: its host may be known from
    either authorization server."""
    servers = (endpoint.authorization_server, registration.authorization_server)
    if not any(server is not None and _is_known(endpoint, server) for server in servers):
        _switch_off(endpoint, at=at)
    return endpoint.is_stranger


def examine(endpoint: Endpoint, *, actor: Actor, at: datetime) -> bool:
    """The same for an endpoint whose authorization server staff chose: saved, and recorded. True if it was switched
    off."""
    with transaction.atomic():
        row = Endpoint.objects.select_for_update(no_key=True).get(pk=endpoint.pk)
        if row.is_stranger or not estrange(row, at=at):
            return False
        row.save(update_fields=COLUMNS)
        endpoint_events.note_endpoint(row.pk, "switched off", actor=actor, at=at)
    endpoint.refresh_from_db(fields=COLUMNS)
    return True


def register(
    server: AuthorizationServer, *, dialect: Dialect, looked_at: Endpoint | None = None, actor: Actor, at: datetime
) -> ClientRegistration:
    """Our standing registration there, or a new one, after `estrange_listed`."""
    with transaction.atomic():
        locked = AuthorizationServer.objects.select_for_update().get(pk=server.pk)
        standing = registering.standing(locked)
        if standing is not None:
            return standing
        estrange_listed(locked, looked_at=looked_at, actor=actor, at=at)
        return registering.request(locked, dialect=dialect, actor=actor, at=at)


def estrange_listed(
    server: AuthorizationServer, *, looked_at: Endpoint | None = None, actor: Actor, at: datetime
) -> int:
    """Before patients sign in there for the first time, switch off endpoints that lists paired with the server, until
    staff review them. Exempt are those with the server's origin, with that of an endpoint that staff reviewed, such as
    the one they began with, or with that of one where patients are connected. Returns how many were switched off; none
    if patients already sign in there, because then each was examined when it came."""
    if looked_at is not None:
        Endpoint.objects.filter(pk=looked_at.pk).update(host_seen_at=at)
    return 0 if registering.is_relied_on(server) else _estrange_unseen(server, actor=actor, at=at)


def estrange_unseen(registration: ClientRegistration, *, actor: Actor, at: datetime) -> int:
    """The same when a registration that was off lets patients sign in at its server: pairs from lists that were never
    examined wait for review as well."""
    server = registration.authorization_server
    if registering.is_relied_on(server, besides=registration):
        return 0
    return _estrange_unseen(server, actor=actor, at=at)


def _estrange_unseen(server: AuthorizationServer, *, actor: Actor, at: datetime) -> int:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_ORIGINS, [server.pk])
        seen = dict(cursor.fetchall())
        trusted = [server.authorize_url, server.token_url, *(origin for origin, is_seen in seen.items() if is_seen)]
        strangers = [
            origin for origin in seen if not any(pinning.is_same_origin(origin, url) for url in trusted if url)
        ]
        if not strangers:
            return 0
        cursor.execute(_SWITCH_OFF, {"at": at, "server": server.pk, "origins": strangers})
        rows = cursor.fetchall()
        for (row_id,) in rows:
            endpoint_events.note_endpoint(row_id, "switched off", actor=actor, at=at)
    return len(rows)


def _is_known(endpoint: Endpoint, server: AuthorizationServer) -> bool:
    url = endpoint.fhir_base_url
    if any(pinning.is_same_origin(url, known) for known in (server.authorize_url, server.token_url)):
        return True
    others = Endpoint.objects.filter(authorization_server=server, is_switched_on=True).exclude(pk=endpoint.pk)
    begins = Q()
    for origin in pinning.spellings(addressing.origin(url)):
        begins |= Q(alike=origin) | Q(alike__startswith=f"{origin}/")
    return others.alias(alike=ALIKE).filter(begins).exists()


def _switch_off(endpoint: Endpoint, *, at: datetime) -> None:
    if endpoint.is_switched_on:
        endpoint.is_switched_on, endpoint.switched_off_at = False, at
    endpoint.is_stranger = True


def allow_issuer(server: AuthorizationServer, issuer: str, *, actor: Actor, at: datetime) -> None:
    """Let ID tokens of this server name an issuer that it does not declare (interface facts 3.7: the two may differ,
    and neither can be derived from the other). Calling it again changes nothing. Raises ValidationError if the issuer
    is no acceptable URL."""
    consistency.check_issuers([issuer])
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
