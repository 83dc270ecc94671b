"""What staff need to know about a client registration before they act: the kind of interface, the endpoints it serves,
how it authenticates, and what is missing. Read-only."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.contrib.postgres.fields import ArrayField
from django.db import connection, models
from django.db.models import Case, Exists, Func, OuterRef, Q, QuerySet, Value, When
from django.utils.translation import gettext_lazy as _

from apps.directory import registering
from apps.directory.models import (
    AuthorizationServer,
    ClientRegistration,
    Enablement,
    Endpoint,
    LinkDay,
    Provider,
    ProviderPortal,
)
from apps.wire.client_authentication import Authentication
from apps.wire.dialects import FhirVersion, Interface


class Kind(models.TextChoices):
    """Where the application is registered: each kind has its own procedure."""

    PORTAL = "portal", _("Patient access API")
    CONSOLE = "console", _("SMART deployment")


class Proof(models.TextChoices):
    """How a client authenticates. A public client has no credentials."""

    NONE = "none", _("Nothing: it is a public client")
    SECRET = "secret", _("A client secret")
    KEY = "key", _("A signing key, with our key set")


_IN_ORDER = ("fhir_version", "fhir_base_url", "pk")  # the order of an index, for each authorization server
MOST_NAMED = 50  # providers looked up for one registration, to show whom it is for
_MOST_NAMES = 21  # per endpoint
_MOST_SIBLINGS = 5

_PROOFS = {Authentication.NONE: Proof.NONE, Authentication.PRIVATE_KEY_JWT: Proof.KEY}


def kind(registration: ClientRegistration) -> Kind:
    """According to the interface of its endpoints, or else of its authorization server: only those of SMART deployments
    are discovered."""
    server = registration.authorization_server
    own, beside = (rows.order_by(*_IN_ORDER).values_list("interface", flat=True) for rows in _served(registration))
    interface = own.first() or beside.first()
    is_smart = interface == Interface.SMART if interface else server.source == AuthorizationServer.Source.DISCOVERED
    return Kind.CONSOLE if is_smart else Kind.PORTAL


def proof(registration: ClientRegistration) -> Proof:
    """What it authenticates with, whether we already have it or not."""
    return _PROOFS.get(Authentication(registration.authentication), Proof.SECRET)


def has_proof(registration: ClientRegistration) -> bool:
    """Whether these credentials are stored."""
    needed = proof(registration)
    if needed is Proof.KEY:
        return registration.signing_key_id is not None
    return needed is Proof.NONE or registration.sealed_secret is not None


def served(registration: ClientRegistration) -> QuerySet[Endpoint]:
    """The endpoints that patients link with it: those of its own authorization server, and others of the deployment.
    For questions about a single one, or for searches; `endpoints` lists the first ones."""
    beside = Enablement.objects.filter(registration=registration, endpoint=OuterRef("pk"))
    rows = Endpoint.objects.filter(Q(authorization_server=registration.authorization_server_id) | Exists(beside))
    return rows.filter(vanished_at__isnull=True)


def endpoints(registration: ClientRegistration, *, most: int, query: str = "") -> Sequence[Endpoint]:
    """At most so many of them, by address, with authorization server and some `provider_names`; with a query, those
    whose address or provider contains it. There may be fifty thousand: without a query, no more are read than are
    returned."""
    words = query.replace("\x00", "").strip()[:200]
    if words:
        named = ProviderPortal.objects.filter(provider__name__icontains=words).values("endpoint")
        found = Q(fhir_base_url__icontains=words) | Q(tenant__icontains=words) | Q(pk__in=named)
        rows = served(registration).filter(found)
    else:
        own, beside = (rows.order_by(*_IN_ORDER).values("pk")[:most] for rows in _served(registration))
        rows = Endpoint.objects.filter(pk__in=own.union(beside))
    return list(with_names(rows.select_related("authorization_server")).order_by(*_IN_ORDER)[:most])


def with_names(rows: QuerySet[Endpoint]) -> QuerySet[Endpoint]:
    """Add some of the providers' names to each endpoint, as `provider_names`: one may have thousands."""
    names = Provider.objects.filter(portals__endpoint=OuterRef("pk")).values("name")
    return rows.annotate(provider_names=ArraySubquery(names[:_MOST_NAMES]))


def endpoint(registration: ClientRegistration, unverified_id: str) -> Endpoint | None:
    """One of them by its id, which may be anything."""
    try:
        wanted = UUID(unverified_id)
    except ValueError:
        return None
    return served(registration).filter(pk=wanted).first()


def versions(registration: ClientRegistration) -> tuple[str, ...]:
    """The FHIR versions of its endpoints, the newer first. Reads one endpoint per version."""
    of_it = {"own": registration.authorization_server_id, "registration": registration.pk}
    with connection.cursor() as cursor:
        cursor.execute(_VERSIONS, {**of_it, "versions": [FhirVersion.R4.value, FhirVersion.DSTU2.value]})
        return tuple(version for (version,) in cursor.fetchall())


# Raw SQL, because the ORM takes ten times as long to build it as it takes to run. A scalar subquery is looked up by an
# index for each version; EXISTS might be planned as a scan of all rows.
_VERSIONS = """
SELECT version FROM unnest(%(versions)s::text[]) WITH ORDINALITY AS known (version, place)
WHERE COALESCE((
    SELECT TRUE FROM directory_endpoint AS own
    WHERE own.authorization_server_id = %(own)s AND own.vanished_at IS NULL AND own.fhir_version = version LIMIT 1
), (
    SELECT TRUE FROM directory_enablement AS beside
    JOIN directory_endpoint AS endpoint ON endpoint.id = beside.endpoint_id
    WHERE beside.registration_id = %(registration)s AND endpoint.vanished_at IS NULL AND endpoint.fhir_version = version
    LIMIT 1
), FALSE)
ORDER BY place
"""


def versions_of(*rows: QuerySet[Endpoint]) -> Func:
    """An expression for the FHIR versions of these endpoints. Reads one endpoint per version."""
    told = [
        Case(
            When(
                reduce(or_, (Q(Exists(some.filter(fhir_version=version))) for some in rows)), then=Value(version.value)
            )
        )
        for version in sorted(FhirVersion)
    ]
    return Func(
        *told,
        template="ARRAY_REMOVE(ARRAY[%(expressions)s]::varchar[], NULL)",
        output_field=ArrayField(models.CharField()),
    )


def missing_versions(registration: ClientRegistration) -> tuple[str, ...]:
    """Those versions that were not added to the application (specification 1.2)."""
    return tuple(version for version in versions(registration) if version not in registration.versions_added)


def siblings(registration: ClientRegistration) -> Sequence[ClientRegistration]:
    """Other standing registrations of the same kind for the same providers, judged by some of the providers: usually
    the one for the other FHIR version, which has its own authorization server on interface A (specification 4.1 rule
    1). `fhir_versions` are those of their endpoints."""
    server = registration.authorization_server_id
    providers = ProviderPortal.objects.filter(endpoint__authorization_server=server).values("provider")[:MOST_NAMED]
    own_kind = Endpoint.objects.filter(authorization_server=server).order_by(*_IN_ORDER).values("interface")[:1]
    shared = Endpoint.objects.filter(portals__provider__in=providers, interface__in=own_kind)
    servers = shared.exclude(authorization_server=server).values("authorization_server")
    rows = ClientRegistration.objects.filter(authorization_server__in=servers).exclude(status__in=registering.OVER)
    theirs = Endpoint.objects.filter(authorization_server=OuterRef("authorization_server"))
    return list(rows.annotate(fhir_versions=versions_of(theirs)).order_by("label", "pk")[:_MOST_SIBLINGS])


def has_credentials(registration: ClientRegistration) -> bool:
    """Whether it has both a client id and credentials."""
    return bool(registration.client_id) and has_proof(registration)


# The same as a database condition.
WITH_CREDENTIALS = ~Q(client_id="") & (
    Q(authentication=Authentication.NONE)
    | Q(authentication=Authentication.PRIVATE_KEY_JWT, signing_key__isnull=False)
    | (~Q(authentication__in=_PROOFS) & Q(sealed_secret__isnull=False))
)


def find(unverified_id: str) -> ClientRegistration | None:
    """A registration by its id, which may be anything."""
    try:
        wanted = UUID(unverified_id)
    except ValueError:
        return None
    return ClientRegistration.objects.select_related("authorization_server").filter(pk=wanted).first()


@dataclass(frozen=True)
class Names:
    """Whom a registration is for, in one line: `first` is empty if unknown; if there `are_many`, the others were not
    counted."""

    first: str
    others: int
    are_many: bool

    @property
    def count(self) -> int:
        """The number of all names."""
        return self.others + 1


def provider_names(registration: ClientRegistration) -> Names:
    """One of the providers that it serves, and how many others there are. Strangers do not count."""
    known = (rows.filter(is_stranger=False) for rows in _served(registration))
    some = (ProviderPortal.objects.filter(endpoint__in=rows)[:MOST_NAMED] for rows in known)
    return names_among([name for portals in some for name in portals.values_list("provider__name", flat=True)])


def names_among(some: Collection[str]) -> Names:
    """Summarize names of which at most MOST_NAMED were looked up, perhaps with repetitions."""
    names = sorted(set(some))
    return Names(names[0] if names else "", max(len(names) - 1, 0), are_many=len(some) >= MOST_NAMED)


@dataclass(frozen=True)
class Organization:
    """One organization of a deployment, and whether it has enabled us: None if unknown."""

    endpoint: Endpoint
    is_enabled: bool | None
    since_at: datetime | None


def organizations(
    registration: ClientRegistration, endpoints: Sequence[Endpoint], *, let_in: Collection[UUID]
) -> Sequence[Organization]:
    """These endpoints with what was last seen there, those that refuse us first. `let_in` are endpoints that answered
    staff's trials; connected patients count as well."""
    refusals = registration.enablements.filter(is_enabled=False, endpoint__in=endpoints)
    refusing = {row.endpoint_id: row for row in refusals}
    linked = LinkDay.objects.filter(endpoint__in=endpoints, completed__gt=0).values_list("endpoint_id", flat=True)
    known = {*let_in, *linked.distinct()}
    found = []
    for one in endpoints:
        row = refusing.get(one.pk)
        is_enabled = False if row is not None else (True if one.pk in known else None)
        found.append(Organization(one, is_enabled, row.since_at if row is not None else None))
    return sorted(found, key=lambda one: (one.is_enabled is not False, one.is_enabled is None))


def _served(registration: ClientRegistration) -> tuple[QuerySet[Endpoint], QuerySet[Endpoint]]:
    """Those of its own authorization server, and others, as two querysets, each with its own index order: one combined
    query would read all of both first."""
    rows = Endpoint.objects.filter(vanished_at__isnull=True)
    own = rows.filter(authorization_server=registration.authorization_server_id)
    return own, rows.filter(enablements__registration=registration)
