"""Which client registrations need staff now, and for what: the first page of the registration desk.

A registration has one row, for what is most pressing; a rejected or retired one needs nobody.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from django.contrib.postgres.aggregates import ArrayAgg
from django.db import models
from django.db.models import Case, Count, Min, OuterRef, Q, QuerySet, Subquery, Value, When
from django.utils.translation import gettext_lazy as _

from apps.directory import credentials, overseeing, registering
from apps.directory.credentials import Due
from apps.directory.models import ClientRegistration, Enablement, Endpoint

Status = ClientRegistration.Status


class Need(models.TextChoices):
    """Why staff are needed, the most pressing first. The label is what they read."""

    TROUBLE = "trouble", _("Their server refuses us")
    SECRET_OVERDUE = "secret_overdue", _("The secret should have been replaced")
    NOT_ENABLED = "not_enabled", _("Organizations have not turned us on")
    DISCOVERY = "discovery", _("Addresses were not found")
    MISSING = "missing", _("Something is missing")
    APPROVAL = "approval", _("Waiting for approval")
    SECRET_DUE = "secret_due", _("The secret is due soon")
    SWITCHED_OFF = "switched_off", _("Switched off")


@dataclass(frozen=True)
class Attention:
    """One registration that needs somebody. `since` may be unknown; `count` is how many organizations or endpoints it
    is about, where that is told."""

    need: Need
    registration: ClientRegistration
    since: datetime | None = None
    count: int = 0


def rows() -> QuerySet[ClientRegistration]:
    """Client registrations as lists show them: `provider_name` is one of `provider_count` names, `fhir_versions` and
    `interface` those of their endpoints."""
    own = "authorization_server__endpoints"
    beside = Enablement.objects.filter(registration=OuterRef("pk"), is_enabled=False).order_by()
    lost = Endpoint.objects.filter(authorization_server=OuterRef("authorization_server"), vanished_at=None).order_by()
    lost = lost.exclude(discovery_fault="")
    return ClientRegistration.objects.select_related("authorization_server").annotate(
        provider_name=Min(f"{own}__providers__name"),
        provider_count=Count(f"{own}__providers", distinct=True),
        fhir_versions=ArrayAgg(
            f"{own}__fhir_version", distinct=True, filter=Q(**{f"{own}__isnull": False}), default=[]
        ),
        interface=Min(f"{own}__interface"),
        refusing_count=_counted(beside, "registration"),
        refusing_since=Subquery(beside.values("registration").annotate(first=Min("since_at")).values("first")),
        lost_count=_counted(lost, "authorization_server"),
    )


def needs(*, at: datetime, most: int) -> Sequence[Attention]:
    """At most so many rows, the most pressing first, and of equals the one that waits longest."""
    standing = rows().exclude(status__in=registering.OVER)
    found = [attention for registration in standing if (attention := _first(registration, at=at)) is not None]
    ranks = {need: rank for rank, need in enumerate(Need)}
    found.sort(key=lambda one: (ranks[one.need], one.since is None, one.since or at, one.registration.label))
    return found[:most]


def find(query: str, *, most: int) -> Sequence[ClientRegistration]:
    """Registrations by provider, address, label, application or client id; all of them for an empty query. Those that
    are over come last."""
    found = rows()
    words = query.replace("\x00", "").strip()[:200]
    if words:
        own = "authorization_server__endpoints"
        ours = ("label", "client_id", "application_name", "authorization_server__authorize_url")
        wanted = Q()
        for place in (*ours, f"{own}__fhir_base_url", f"{own}__providers__name"):
            wanted |= Q(**{f"{place}__icontains": words})
        found = found.filter(pk__in=ClientRegistration.objects.filter(wanted).values("pk"))
    is_over = Case(When(status__in=registering.OVER, then=Value(1)), default=Value(0))
    return list(found.annotate(is_over=is_over).order_by("is_over", "label", "pk")[:most])


def first_need(registration: ClientRegistration, *, at: datetime) -> Attention | None:
    """The most pressing need of one row of `rows`, or None."""
    return None if registration.status in registering.OVER else _first(registration, at=at)


def _first(registration: ClientRegistration, *, at: datetime) -> Attention | None:
    return next(chain(_there(registration, at=at), _ours(registration, at=at)), None)


def _there(registration: ClientRegistration, *, at: datetime) -> Iterator[Attention]:
    """What is the matter at the provider. The columns of `rows` are there."""
    if registration.trouble:
        yield Attention(Need.TROUBLE, registration, registration.trouble_at)
    if credentials.due(registration, today=at.date()) is Due.OVERDUE:
        yield Attention(Need.SECRET_OVERDUE, registration)
    refusing: int = getattr(registration, "refusing_count", 0) or 0
    if refusing:
        yield Attention(Need.NOT_ENABLED, registration, getattr(registration, "refusing_since", None), refusing)
    lost: int = getattr(registration, "lost_count", 0) or 0
    if lost:
        yield Attention(Need.DISCOVERY, registration, count=lost)


def _ours(registration: ClientRegistration, *, at: datetime) -> Iterator[Attention]:
    """What is yet to be done."""
    if not overseeing.has_credentials(registration) or not registration.versions_added:
        yield Attention(Need.MISSING, registration, registration.requested_at)
    elif registration.status != Status.APPROVED:
        yield Attention(Need.APPROVAL, registration, registration.provisional_at or registration.requested_at)
    if credentials.due(registration, today=at.date()) is Due.SOON:
        yield Attention(Need.SECRET_DUE, registration)
    if not registration.is_switched_on:
        yield Attention(Need.SWITCHED_OFF, registration, registration.switched_off_at)


def _counted(found: "QuerySet[models.Model]", by: str) -> Subquery:
    return Subquery(found.values(by).annotate(number=Count("pk")).values("number"))
