"""Filters of endpoints for staff's questions, answered by the database.

`linkable` repeats in SQL what `linkability.obstacle` decides for one endpoint, because fifty thousand cannot be
examined one by one; a test compares the two over random rows. It is coarser in one point: of several registrations that
serve an endpoint beside its own authorization server, it takes any, and relies on `enabling.serve` to have checked
their origins.
"""

from datetime import datetime

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from apps.directory import enabling, registering
from apps.directory.models import ClientRegistration, Enablement, Endpoint, EndpointCheck
from apps.directory.monitoring import checking
from apps.wire.client_authentication import Authentication
from apps.wire.dialects import DIALECTS, FhirVersion, Interface
from apps.wire.errors import Code

_MOVED = Q(interface=Interface.SMART) & ~Q(named_token_url="")


def linkable(*, at: datetime) -> QuerySet[Endpoint]:
    """Those that patients can link now."""
    rows = Endpoint.objects.filter(
        is_switched_on=True,
        is_stranger=False,
        vanished_at__isnull=True,
        dialect__in=list(DIALECTS),
        authorization_server__is_sandbox=F("is_sandbox"),
    ).exclude(_MOVED | Q(discovery_fault=Code.UNAUTHORIZED_CLIENT))
    if not settings.ALLOW_LOOPBACK_HTTP:
        rows = rows.filter(is_sandbox=False)
    return rows.filter(_serves_any(at=at))


def ill() -> QuerySet[Endpoint]:
    """Those whose last check found a fault."""
    return _by_latest(outcome=EndpointCheck.Outcome.ILL)


def well() -> QuerySet[Endpoint]:
    """Those whose last check found no fault, or nothing certain."""
    return _by_latest(outcome__in=[EndpointCheck.Outcome.WELL, EndpointCheck.Outcome.UNSURE])


def unchecked() -> QuerySet[Endpoint]:
    """Those never checked."""
    return Endpoint.objects.filter(~Exists(EndpointCheck.objects.filter(endpoint=OuterRef("pk"), is_latest=True)))


def ending_soon(*, at: datetime) -> QuerySet[Endpoint]:
    """Those with a certificate that expires within 30 days, or has expired."""
    return _by_latest(certificate_ends_at__lte=at + checking.ENDS_SOON)


def _by_latest(**columns: object) -> QuerySet[Endpoint]:
    latest = EndpointCheck.objects.filter(is_latest=True, **columns)
    return Endpoint.objects.filter(pk__in=latest.values("endpoint"))


def _serves_any(*, at: datetime) -> Q:
    """By the standing registration of its own authorization server; if there is none, by one that serves it in
    addition."""
    standing = ClientRegistration.objects.exclude(status__in=registering.OVER)
    has_own = Exists(standing.filter(authorization_server=OuterRef("authorization_server")))
    serves = Q()
    for version in FhirVersion:
        usable = _usable(at=at).filter(versions_added__contains=[version.value])
        own = Exists(usable.filter(authorization_server=OuterRef("authorization_server")))
        made_beside = Enablement.objects.filter(endpoint=OuterRef(OuterRef("pk")), registration=OuterRef("pk"))
        beside = Exists(usable.filter(Exists(made_beside)))
        serves |= Q(fhir_version=version.value) & (Q(own) | (~Q(has_own) & Q(beside)))
    return serves


def _usable(*, at: datetime) -> QuerySet[ClientRegistration]:
    """Registrations that allow linking the endpoint of the outer query, as far as their own columns decide."""
    has_proof = (
        Q(authentication=Authentication.NONE)
        | Q(authentication=Authentication.PRIVATE_KEY_JWT, signing_key__isnull=False)
        | ~Q(authentication__in=[Authentication.NONE, Authentication.PRIVATE_KEY_JWT]) & Q(sealed_secret__isnull=False)
    )
    refusing = Enablement.objects.filter(
        endpoint=OuterRef(OuterRef("pk")),
        registration=OuterRef("pk"),
        is_enabled=False,
        refused_at__gt=at - enabling.TRY_AGAIN_AFTER,
    )
    rows = ClientRegistration.objects.annotate(seen_at=Coalesce("trouble_seen_at", "trouble_at"))
    return rows.filter(
        has_proof,
        Q(trouble="") | Q(seen_at__lte=at - registering.TRY_AGAIN_AFTER),
        ~Exists(refusing),
        ~Q(client_id=""),
        is_switched_on=True,
        status=ClientRegistration.Status.APPROVED,
        is_sandbox=OuterRef("is_sandbox"),
    )
