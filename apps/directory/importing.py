"""Bring a directory file into the tables: idempotent, row by row, a reason for each row refused.

Providers are recognized by the directory's name and their id in it, endpoints by their FHIR base URL, authorization
servers by their two addresses. What is no longer in the file is marked vanished: connections of it live on, nobody
makes new ones. Client registrations are never touched.
"""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q

from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact
from apps.directory import pairing, reading, trusting
from apps.directory.models import AuthorizationServer, Endpoint, Provider
from apps.directory.reading import DirectoryFile, EndpointRow, ProviderRow, RowRefused, ServerRow
from apps.wire.dialects import Interface


@dataclass(frozen=True)
class Refusal:
    """A row that was left out: where in the file, and why."""

    where: str
    reason: str


@dataclass
class Report:
    """What an import did, in numbers of rows."""

    providers: int = 0
    endpoints: int = 0
    vanished: int = 0
    waiting: list[str] = field(default_factory=list)  # FHIR base URLs that staff must switch on first
    refusals: list[Refusal] = field(default_factory=list)


def import_directory(directory: DirectoryFile, *, actor: Actor, at: datetime) -> Report:
    """Store the file's rows and mark what vanished, in one transaction. A refused row changes nothing of itself, and
    a provider whose row was refused is not taken for vanished."""
    report = Report()
    with transaction.atomic():
        seen = _store_rows(directory, report, at=at)
        report.vanished = _mark_vanished(directory.name, seen, at=at)
        recording.record(
            EventType.DIRECTORY_IMPORTED,
            actor=actor,
            at=at,
            subject="directory",
            facts={Fact.ROWS: report.endpoints, Fact.COUNT: report.providers, Fact.GAPS: len(report.refusals)},
        )
    return report


@dataclass
class _Seen:
    """What the file names, stored or not, so that a row in need of mending is not taken for gone."""

    directory_ids: set[str] = field(default_factory=set)
    base_urls: set[str] = field(default_factory=set)
    left_ids: set[UUID] = field(default_factory=set)  # endpoints a listed provider no longer has
    has_unread_rows: bool = False


def _store_rows(directory: DirectoryFile, report: Report, *, at: datetime) -> _Seen:
    seen = _Seen()
    for number, row in reading.each(directory.raw_providers, reading.provider_row):
        where = f"provider {number}"
        if isinstance(row, RowRefused):
            seen.has_unread_rows = True
            report.refusals.append(Refusal(where, str(row)))
            continue
        seen.directory_ids.add(row.directory_id)
        try:
            provider = _store_provider(directory.name, row, at=at)
        except ValidationError as invalid:
            seen.has_unread_rows = True
            report.refusals.append(Refusal(where, _sentence(invalid)))
            continue
        report.providers += 1
        _store_endpoints(provider, row, where, seen, report, at=at)
    return seen


def _store_provider(directory: str, row: ProviderRow, *, at: datetime) -> Provider:
    if row.website:
        pairing.check_website(row.website)
    provider, _created = Provider.objects.update_or_create(
        directory=directory,
        directory_id=row.directory_id,
        defaults={
            "name": row.name,
            "city": row.city,
            "state": row.state,
            "kind": row.kind,
            "website": row.website,
            "is_sandbox": row.is_sandbox,
            "imported_at": at,
            "vanished_at": None,
        },
    )
    return provider


def _store_endpoints(
    provider: Provider, row: ProviderRow, where: str, seen: _Seen, report: Report, *, at: datetime
) -> None:
    stored = []
    for number, endpoint_row in reading.each(row.raw_endpoints, reading.endpoint_row):
        here = f"{where}, endpoint {number}"
        if isinstance(endpoint_row, RowRefused):
            seen.has_unread_rows = True
            report.refusals.append(Refusal(here, str(endpoint_row)))
            continue
        seen.base_urls.add(endpoint_row.fhir_base_url)
        try:
            stored.append(_store_endpoint(provider, endpoint_row, report, at=at))
        except ValidationError as invalid:
            report.refusals.append(Refusal(here, _sentence(invalid)))
    report.endpoints += len(stored)
    provider.endpoints.add(*stored)
    if len(stored) == len(row.raw_endpoints):
        seen.left_ids |= set(provider.endpoints.values_list("pk", flat=True)) - {endpoint.pk for endpoint in stored}
        provider.endpoints.set(stored)


def _store_endpoint(provider: Provider, row: EndpointRow, report: Report, *, at: datetime) -> Endpoint:
    """Raises ValidationError; then neither the endpoint nor its authorization server was changed.

    A file is not believed about whom the tokens of a server may go to that we are registered at: `trusting`.
    """
    with transaction.atomic():
        endpoint = Endpoint.objects.filter(fhir_base_url=row.fhir_base_url).first() or Endpoint(
            fhir_base_url=row.fhir_base_url, is_sandbox=provider.is_sandbox
        )
        if endpoint.is_sandbox != provider.is_sandbox:
            raise ValidationError("a sandbox row and a production row name the same endpoint")
        if _is_described_differently(endpoint, row, elsewhere_than=provider.directory):
            raise ValidationError("another directory describes the same endpoint differently")
        server_before_id = endpoint.authorization_server_id
        is_discovered = _is_discovered(endpoint, row)
        endpoint.fhir_version = row.fhir_version.value
        endpoint.interface = row.interface.value
        endpoint.dialect = row.dialect
        endpoint.tenant = row.tenant
        endpoint.imported_at = at
        endpoint.vanished_at = None
        if not is_discovered:
            endpoint.authorization_server = _store_server(row.server, is_sandbox=provider.is_sandbox, at=at)
        pairing.check_endpoint(endpoint)
        if endpoint.authorization_server_id != server_before_id and trusting.is_stranger(endpoint):
            endpoint.is_switched_on = False
        if not endpoint.is_switched_on:
            report.waiting.append(endpoint.fhir_base_url)
        endpoint.save()
    return endpoint


def _is_discovered(endpoint: Endpoint, row: EndpointRow) -> bool:
    """Whether its authorization server is what the SMART deployment itself says, which no file turns."""
    return {endpoint.interface, row.interface.value} == {Interface.SMART} and endpoint.authorization_server is not None


def _is_described_differently(endpoint: Endpoint, row: EndpointRow, *, elsewhere_than: str) -> bool:
    """Whether the row would change an endpoint that another directory lists as well: neither may turn the other's."""
    listed = Provider.objects.filter(endpoints=endpoint.pk, vanished_at__isnull=True)
    if endpoint._state.adding or not listed.exclude(directory=elsewhere_than).exists():  # noqa: SLF001 - Django's own
        return False
    server = endpoint.authorization_server
    urls = (server.authorize_url, server.token_url) if server else None
    row_urls = (row.server.authorize_url, row.server.token_url) if row.server else None
    if _is_discovered(endpoint, row):
        urls = row_urls
    held = (endpoint.fhir_version, endpoint.interface, endpoint.dialect, endpoint.tenant, urls)
    return held != (row.fhir_version, row.interface, row.dialect, row.tenant, row_urls)


def _store_server(row: ServerRow | None, *, is_sandbox: bool, at: datetime) -> AuthorizationServer | None:
    if row is None:
        return None
    server = AuthorizationServer.objects.filter(authorize_url=row.authorize_url, token_url=row.token_url).first()
    server = server or AuthorizationServer(
        authorize_url=row.authorize_url,
        token_url=row.token_url,
        source=AuthorizationServer.Source.CONFIGURED,
        is_sandbox=is_sandbox,
        found_at=at,
    )
    server.revocation_url = row.revocation_url
    pairing.check_server(server)
    server.save()
    return server


def _mark_vanished(directory: str, seen: _Seen, *, at: datetime) -> int:
    """Nothing vanishes while rows of the file could not be read: they may be the missing ones."""
    if seen.has_unread_rows:
        return 0
    listed = Provider.objects.filter(vanished_at__isnull=True)
    gone = listed.filter(directory=directory).exclude(directory_id__in=seen.directory_ids)
    gone_ids = list(gone.values_list("pk", flat=True))
    left = Endpoint.objects.filter(Q(providers__in=gone_ids) | Q(pk__in=seen.left_ids), vanished_at__isnull=True)
    # an endpoint is gone only where no provider that is still listed, here or elsewhere, leads to it
    orphaned = left.exclude(fhir_base_url__in=seen.base_urls).exclude(providers__in=listed.exclude(pk__in=gone_ids))
    vanished = Endpoint.objects.filter(pk__in=list(orphaned.values_list("pk", flat=True))).update(vanished_at=at)
    return vanished + Provider.objects.filter(pk__in=gone_ids).update(vanished_at=at)


def _sentence(invalid: ValidationError) -> str:
    return " ".join(str(message) for message in invalid.messages)
