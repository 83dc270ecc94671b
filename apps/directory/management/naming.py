"""Look up rows by what somebody types at a command line: an id, an address, or the full name that pages show.

Each function raises CommandError if nothing matches, or if several do and one is wanted.
"""

from uuid import UUID

from django.core.management.base import CommandError
from django.db.models import QuerySet

from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, Provider

_MOST_LISTED = 10


def endpoints(given: str, *, among: QuerySet[Endpoint] | None = None) -> QuerySet[Endpoint]:
    """The endpoint with this FHIR base URL, with or without the last slash; or all those of providers with this
    name."""
    rows = Endpoint.objects.all() if among is None else among
    bare = given.rstrip("/")
    for found in (
        rows.filter(fhir_base_url=given),
        rows.filter(fhir_base_url__in=[bare, f"{bare}/"]),
        rows.filter(pk__in=Endpoint.objects.filter(providers__name__iexact=given).values("pk")),
    ):
        if found.exists():
            return found
    how = "give its FHIR base URL, or the whole name of a provider"
    raise CommandError(f"The directory has no endpoint of this address or name: {how}.")


def endpoint(given: str) -> Endpoint:
    """The single match; if a provider has several, the error lists their addresses."""
    found = list(endpoints(given).select_related("authorization_server").order_by("fhir_base_url")[: _MOST_LISTED + 1])
    if len(found) > 1:
        listed = "".join(f"\n  {one.fhir_base_url} ({one.get_fhir_version_display()})" for one in found[:_MOST_LISTED])
        raise CommandError(f"Several endpoints are of this name: give the FHIR base URL of one.{listed}")
    return found[0]


def registration_id(given: str) -> UUID:
    """The id of the client registration with this id or label."""
    return _id(ClientRegistration, "label", given)


def provider_id(given: str) -> UUID:
    """The id of the provider with this id or name."""
    return _id(Provider, "name", given)


def authorization_servers(given: str) -> list[AuthorizationServer]:
    """Those with this authorize URL; or the one of the registration with this label, or of the endpoint with this FHIR
    base URL. The caller changes all of them, so a label that several share is refused."""
    rows = AuthorizationServer.objects.order_by("authorize_url", "pk")
    if servers := list(rows.filter(authorize_url=given)):
        return servers
    named = ClientRegistration.objects.filter(label__iexact=given)
    if servers := list(rows.filter(pk__in=named.values("authorization_server"))[:2]):
        if len(servers) > 1:
            raise CommandError("Several registrations are called so: give the authorize address of one.")
        return servers
    bare = given.rstrip("/")
    asked = Endpoint.objects.filter(fhir_base_url__in=[bare, f"{bare}/"], authorization_server__isnull=False)
    if servers := list(rows.filter(pk__in=asked.values("authorization_server"))):
        return servers
    raise CommandError("The directory has no such authorization server: import its endpoints, or discover them.")


def _id(model: type[ClientRegistration] | type[Provider], column: str, given: str) -> UUID:
    try:
        found = list(model._default_manager.filter(pk=UUID(given)).values_list("pk", flat=True))  # noqa: SLF001 - public
    except ValueError:
        by_name = {f"{column}__iexact": given}
        found = list(model._default_manager.filter(**by_name).values_list("pk", flat=True)[:2])  # noqa: SLF001 - public
    if not found:
        raise CommandError(f"There is no {model._meta.verbose_name} of this id or name.")  # noqa: SLF001 - public
    if len(found) > 1:
        raise CommandError(f"Several are called so: give the id of the {model._meta.verbose_name}.")  # noqa: SLF001
    return found[0]
