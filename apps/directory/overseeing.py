"""What staff need to know about a client registration before they do something about it: what kind of interface it is
for, which endpoints it serves, how it proves itself, and what is still missing. Reads, and changes nothing."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.postgres.aggregates import ArrayAgg
from django.db import models
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from apps.directory import registering
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, LinkDay, Provider
from apps.wire.client_authentication import Authentication
from apps.wire.dialects import FhirVersion, Interface


class Kind(models.TextChoices):
    """Where its application is registered: each kind has its own way of registering."""

    PORTAL = "portal", _("Patient access API")
    CONSOLE = "console", _("SMART deployment")


class Proof(models.TextChoices):
    """What a client proves itself with. A public client has nothing to prove itself with."""

    NONE = "none", _("Nothing: it is a public client")
    SECRET = "secret", _("A client secret")
    KEY = "key", _("A signing key, with our key set")


_PROOFS = {Authentication.NONE: Proof.NONE, Authentication.PRIVATE_KEY_JWT: Proof.KEY}


def kind(registration: ClientRegistration) -> Kind:
    """Of the interface its authorization server belongs to: only those of SMART deployments are discovered."""
    server = registration.authorization_server
    interface = server.endpoints.values_list("interface", flat=True).first()
    is_smart = interface == Interface.SMART if interface else server.source == AuthorizationServer.Source.DISCOVERED
    return Kind.CONSOLE if is_smart else Kind.PORTAL


def proof(registration: ClientRegistration) -> Proof:
    """What it proves itself with, had or yet to come."""
    return _PROOFS.get(Authentication(registration.authentication), Proof.SECRET)


def has_proof(registration: ClientRegistration) -> bool:
    """Whether that is stored."""
    needed = proof(registration)
    if needed is Proof.KEY:
        return registration.signing_key_id is not None
    return needed is Proof.NONE or registration.sealed_secret is not None


def served(registration: ClientRegistration) -> QuerySet[Endpoint]:
    """The endpoints people sign in for under it: those of its own authorization server, and those it was made to serve
    beside. With authorization servers and providers to hand."""
    own = Q(authorization_server=registration.authorization_server_id)
    rows = Endpoint.objects.filter(own | Q(enablements__registration=registration), vanished_at__isnull=True)
    return rows.distinct().select_related("authorization_server").prefetch_related("providers")


def endpoints(registration: ClientRegistration, *, most: int, query: str = "") -> Sequence[Endpoint]:
    """So many of them, by address; those whose address or provider has the query in it."""
    rows = served(registration)
    words = query.replace("\x00", "").strip()[:200]
    if words:
        by_provider = Q(providers__name__icontains=words)
        rows = rows.filter(Q(fhir_base_url__icontains=words) | Q(tenant__icontains=words) | by_provider)
    return list(rows.order_by("fhir_version", "fhir_base_url", "pk")[:most])


def endpoint(registration: ClientRegistration, unverified_id: str) -> Endpoint | None:
    """One of them by its id, which may be anything."""
    try:
        wanted = UUID(unverified_id)
    except ValueError:
        return None
    return served(registration).filter(pk=wanted).first()


def versions(registration: ClientRegistration) -> tuple[str, ...]:
    """The FHIR versions of its endpoints, the newer first."""
    found = set(served(registration).order_by().values_list("fhir_version", flat=True))
    return tuple(version.value for version in (FhirVersion.R4, FhirVersion.DSTU2) if version in found)


def missing_versions(registration: ClientRegistration) -> tuple[str, ...]:
    """Those of them that were not added to the application (specification 1.2)."""
    return tuple(version for version in versions(registration) if version not in registration.versions_added)


def siblings(registration: ClientRegistration, *, most: int = 5) -> Sequence[ClientRegistration]:
    """Other standing registrations of the same kind for the same providers: as a rule the one for the other FHIR
    version, which has its own authorization server on interface A (specification 4.1 rule 1). `fhir_versions` are those
    of their endpoints."""
    providers = registration.authorization_server.endpoints.values("providers")
    others = ClientRegistration.objects.filter(authorization_server__endpoints__providers__in=providers)
    own_kind = registration.authorization_server.endpoints.values("interface")[:1]
    others = others.filter(authorization_server__endpoints__interface__in=own_kind)
    others = others.exclude(pk=registration.pk).exclude(status__in=registering.OVER)
    rows = ClientRegistration.objects.filter(pk__in=others.values("pk")).select_related("authorization_server")
    stated = ArrayAgg("authorization_server__endpoints__fhir_version", distinct=True, default=[])
    return list(rows.annotate(fhir_versions=stated).order_by("label", "pk")[:most])


def has_credentials(registration: ClientRegistration) -> bool:
    """Whether client id and proof are both there."""
    return bool(registration.client_id) and has_proof(registration)


def find(unverified_id: str) -> ClientRegistration | None:
    """A registration by its id, which may be anything."""
    try:
        wanted = UUID(unverified_id)
    except ValueError:
        return None
    return ClientRegistration.objects.select_related("authorization_server").filter(pk=wanted).first()


@dataclass(frozen=True)
class Names:
    """Whom a registration is for, as far as it can be said in a line: `first` is empty where nobody knows."""

    first: str
    others: int


def provider_names(registration: ClientRegistration) -> Names:
    """One of the providers it serves, and how many others there are."""
    of_endpoints = served(registration).order_by().values("providers")
    names = list(Provider.objects.filter(pk__in=of_endpoints).order_by("name").values_list("name", flat=True)[:2])
    count = Provider.objects.filter(pk__in=of_endpoints).count() if len(names) > 1 else len(names)
    return Names(names[0] if names else "", max(count - 1, 0))


@dataclass(frozen=True)
class Organization:
    """One organization of a deployment, and whether it has turned us on: None where nobody knows."""

    endpoint: Endpoint
    is_enabled: bool | None
    since_at: datetime | None


def organizations(registration: ClientRegistration, *, let_in: Collection[UUID], most: int) -> Sequence[Organization]:
    """The endpoints it serves with what was last seen there, those that refuse us first. `let_in` are endpoints that
    answered staff who tried; that patients were connected counts too."""
    served_here = endpoints(registration, most=most)
    refusing = {row.endpoint_id: row for row in registration.enablements.filter(is_enabled=False)}
    linked = LinkDay.objects.filter(endpoint__in=[one.pk for one in served_here], completed__gt=0)
    known = {*let_in, *linked.values_list("endpoint_id", flat=True)}
    found = []
    for one in served_here:
        row = refusing.get(one.pk)
        is_enabled = False if row is not None else (True if one.pk in known else None)
        found.append(Organization(one, is_enabled, row.since_at if row is not None else None))
    return sorted(found, key=lambda one: (one.is_enabled is not False, one.is_enabled is None))
