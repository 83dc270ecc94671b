"""Which client registrations need staff now, and for what: the first page of the registration desk.

Each registration has one row, for its most urgent need; a rejected or retired one has none. The database selects them:
a registration may have fifty thousand endpoints, and none is read for a row that is not shown. Building the statements
takes longer than running them, so each is cached while it would be the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db import models
from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from apps.directory import credentials, registering, registration_overview, signing
from apps.directory.models import ClientRegistration, Enablement, Endpoint, ProviderPortal
from apps.wire.client_authentication import Authentication

Status = ClientRegistration.Status


class Need(models.TextChoices):
    """Why staff are needed, the most urgent first. The label is what they read."""

    TROUBLE = "trouble", _("Their server refuses us")
    SECRET_OVERDUE = "secret_overdue", _("The secret should have been replaced")
    NOT_ENABLED = "not_enabled", _("Organizations have not turned us on")
    DISCOVERY = "discovery", _("Addresses were not found")
    MISSING = "missing", _("Something is missing")
    APPROVAL = "approval", _("Waiting for approval")
    SECRET_DUE = "secret_due", _("The secret is due soon")
    NEW_KEY = "new_key", _("They lack our new key")
    SWITCHED_OFF = "switched_off", _("Switched off")


_IN_ORDER = tuple(Need)


@dataclass(frozen=True)
class Attention:
    """One registration that needs staff. `since` may be unknown."""

    need: Need
    registration: ClientRegistration
    since: datetime | None = None


def rows() -> QuerySet[ClientRegistration]:
    """Client registrations for lists: `fhir_versions` and `interface` are those of their endpoints. `told` adds the
    names of their providers."""
    own = Endpoint.objects.filter(authorization_server=OuterRef("authorization_server"))
    beside = Endpoint.objects.filter(enablements__registration=OuterRef("pk"))
    names = ProviderPortal.objects.filter(endpoint__is_stranger=False)
    at_own = names.filter(endpoint__authorization_server=OuterRef("authorization_server"))
    at_others = names.filter(endpoint__enablements__registration=OuterRef("pk"))
    interfaces = (of.order_by("fhir_version", "fhir_base_url").values("interface")[:1] for of in (own, beside))
    return ClientRegistration.objects.annotate(
        some_names=ArraySubquery(at_own.values("provider__name")[: registration_overview.MOST_NAMED]),
        names_beside=ArraySubquery(at_others.values("provider__name")[: registration_overview.MOST_NAMED]),
        fhir_versions=registration_overview.versions_of(own, beside),
        interface=Coalesce(*(Subquery(interface) for interface in interfaces)),
    )


def told(found: Iterable[Any]) -> Sequence[Any]:
    """Rows of `rows`, each with `names` of its providers (`registration_overview.Names`)."""
    registrations = list(found)
    for registration in registrations:
        registration.names = registration_overview.names_among([*registration.some_names, *registration.names_beside])
    return registrations


def needs(*, at: datetime, most: int) -> Sequence[Attention]:
    """At most so many rows, the most urgent first; of equal ones, that which has waited longest."""
    found = told(ClientRegistration.objects.raw(*_needy(at.date(), most)))
    return [Attention(_IN_ORDER[row.need], row, row.since) for row in found]


def find(query: str, *, most: int) -> Sequence[ClientRegistration]:
    """Registrations by provider, address, label, application or client id; all for an empty query. Rejected and retired
    ones come last."""
    words = query.replace("\x00", "").strip()[:200]
    if not words:
        return told(ClientRegistration.objects.raw(*_all(most)))
    wanted = Q()
    for place in ("label", "client_id", "application_name", "authorization_server__authorize_url"):
        wanted |= Q(**{f"{place}__icontains": words})
    at_address = Endpoint.objects.filter(fhir_base_url__icontains=words, authorization_server__isnull=False)
    of_provider = Endpoint.objects.filter(providers__name__icontains=words, authorization_server__isnull=False)
    for endpoints in (at_address, of_provider):
        wanted |= Q(authorization_server__in=endpoints.values("authorization_server"))
        wanted |= Q(pk__in=Enablement.objects.filter(endpoint__in=endpoints).values("registration"))
    return told(_in_order(rows().filter(wanted))[:most])


@lru_cache(maxsize=4)
def _all(most: int) -> tuple[str, Sequence[Any]]:
    """The statement for the list without a query, with its parameters."""
    return _in_order(rows())[:most].query.sql_with_params()


@lru_cache(maxsize=4)
def _needy(today: date, most: int) -> tuple[str, Sequence[Any]]:
    """The statement for `needs`, with its parameters. `need` is an index into all needs."""
    whens = _whens(today=today)
    need = Case(*(When(whens[need], then=Value(place)) for place, need in enumerate(_IN_ORDER)))
    # By the same conditions, not by the value of `need`: SQL would repeat all of them for each comparison.
    since = Case(
        *(When(whens[need], then=_SINCE.get(need, Value(None))) for need in _IN_ORDER),
        output_field=models.DateTimeField(),
    )
    standing = rows().exclude(status__in=registering.OVER).annotate(need=need, since=since)
    needy = standing.filter(need__isnull=False)
    return needy.order_by("need", F("since").asc(nulls_last=True), "label", "pk")[:most].query.sql_with_params()


def _in_order(found: QuerySet[ClientRegistration]) -> QuerySet[ClientRegistration]:
    is_over = Case(When(status__in=registering.OVER, then=Value(1)), default=Value(0))
    return found.annotate(is_over=is_over).order_by("is_over", "label", "pk")


def _refusals() -> QuerySet[Enablement]:
    return Enablement.objects.filter(registration=OuterRef("pk"), is_enabled=False)


# Since when, if known.
_SINCE = {
    Need.TROUBLE: F("trouble_at"),
    Need.NOT_ENABLED: Subquery(_refusals().order_by("since_at").values("since_at")[:1]),
    Need.MISSING: F("requested_at"),
    Need.APPROVAL: Coalesce("provisional_at", "requested_at"),
    Need.SWITCHED_OFF: F("switched_off_at"),
}


def _whens(*, today: date) -> Mapping[Need, Q]:
    """The condition of each need: the first that holds is shown."""
    lost = Endpoint.objects.filter(authorization_server=OuterRef("authorization_server"), vanished_at=None)
    newer = signing.may_be_chosen().filter(
        algorithm=OuterRef("signing_key__algorithm"), created_at__gt=OuterRef("signing_key__created_at")
    )
    has_secret = Q(secret_set_at__isnull=False)
    soon = today + timedelta(days=credentials.WARN_DAYS)
    is_whole = registration_overview.WITH_CREDENTIALS & ~Q(versions_added=[])
    return {
        Need.TROUBLE: ~Q(trouble=""),
        Need.SECRET_OVERDUE: has_secret & Q(secret_rotation_due_date__lt=today),
        Need.NOT_ENABLED: Q(Exists(_refusals())),
        Need.DISCOVERY: Q(Exists(lost.exclude(discovery_fault=""))),
        Need.MISSING: ~is_whole,
        Need.APPROVAL: ~Q(status=Status.APPROVED),
        Need.SECRET_DUE: has_secret & Q(secret_rotation_due_date__lte=soon),
        Need.NEW_KEY: Q(authentication=Authentication.PRIVATE_KEY_JWT, key_set_is_fetched=False) & Q(Exists(newer)),
        Need.SWITCHED_OFF: Q(is_switched_on=False),
    }
