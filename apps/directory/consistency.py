"""Validate what belongs together: an endpoint and its authorization server, its version, and sandbox rows with their
own kind.

Imports and the admin call this before they save. The database has a constraint for the sandbox rule too (migration
0001).
"""

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.utils.translation import gettext_lazy as _

from apps.directory import reaching
from apps.directory.models import AuthorizationServer, Endpoint
from apps.wire.addresses import AddressPolicy, check_address, parse_address
from apps.wire.dialects import DIALECTS, Interface
from apps.wire.errors import AddressFault, UnsafeAddress

_LONGEST_ISSUER = 1000

# What is wrong with an address that we would not connect to; follows the name of a field, or "it".
FAULTS = {
    AddressFault.LENGTH: _("is too long"),
    AddressFault.CHARACTER: _("has characters that no address has"),
    AddressFault.SCHEME: _("does not begin with https://"),
    AddressFault.USER_INFORMATION: _("carries a user name"),
    AddressFault.FRAGMENT: _("has a part after #"),
    AddressFault.PORT: _("has a port that staff have not approved"),
    AddressFault.HOST: _("has a host that is not a public name, such as localhost or one that ends in .local"),
    AddressFault.PATH: _("has a path that programs read in different ways"),
    AddressFault.NOT_PUBLIC: _("is not on the public network"),
}


def check_endpoint(endpoint: Endpoint) -> None:
    """Raises ValidationError if saving this endpoint would cross versions or mix with the sandbox."""
    check_addresses([endpoint.fhir_base_url], policy=reaching.address_policy())
    if "?" in endpoint.fhir_base_url:
        raise ValidationError(_("Paths are added to a FHIR base URL, so it cannot have a query."))
    dialect = DIALECTS.get(endpoint.dialect)
    if dialect is None:
        raise ValidationError(_("This dialect is not known."))
    if dialect.interface != endpoint.interface:
        raise ValidationError(_("This dialect belongs to another interface."))
    server = endpoint.authorization_server
    if server is None:
        return
    if server.is_sandbox != endpoint.is_sandbox:
        raise ValidationError(_("Sandbox and production cannot be mixed: endpoint and authorization server differ."))
    if endpoint.interface == Interface.PATIENT_ACCESS and _serves_another_version(server, endpoint):
        # specification 4.1 rule 1: each version has its own authentication base address
        raise ValidationError(_("This authorization server belongs to the other FHIR version."))


def check_server(server: AuthorizationServer) -> None:
    """Raises ValidationError for an address that we do not connect to, or that would take tokens to another origin."""
    policy = reaching.address_policy()
    given = (server.authorize_url, server.token_url, server.revocation_url)
    check_addresses([url for url in given if url], policy=policy)
    if server.revocation_url and _origin(server.revocation_url, policy) != _origin(server.token_url, policy):
        raise ValidationError(
            _("Tokens are revoked where they were issued, but these two addresses have different origins.")
        )


def check_addresses(urls: list[str], *, policy: AddressPolicy) -> None:
    """Raises ValidationError that says what is wrong with the first address that we would not connect to."""
    for url in urls:
        try:
            check_address(url, policy)
        except UnsafeAddress as error:
            raise ValidationError(
                _("We do not connect to this address: it %(fault)s."),
                params={"fault": FAULTS[error.fault]},
            ) from None


def check_issuers(issuers: list[str]) -> None:
    """Raises ValidationError for an issuer of ID tokens whose keys we could not request, or that is too long."""
    check_addresses(issuers, policy=reaching.address_policy())
    if any(len(issuer) > _LONGEST_ISSUER for issuer in issuers):
        raise ValidationError(_("An issuer can have at most 1000 characters."))


def check_origin(origin: str) -> None:
    """Raises ValidationError if an approved origin is not spelled as the URL guard compares it."""
    policy = AddressPolicy(approved_origins=frozenset({origin}))
    check_addresses([origin], policy=policy)
    if _origin(origin, policy) != origin:
        raise ValidationError(_("Enter only scheme, host and port, in lowercase letters."))


def check_website(website: str) -> None:
    """Raises ValidationError if a provider's website is no plain https or http link."""
    URLValidator(schemes=["https", "http"])(website)


def _origin(url: str, policy: AddressPolicy) -> str:
    return parse_address(url, policy).origin


def _serves_another_version(server: AuthorizationServer, endpoint: Endpoint) -> bool:
    others = Endpoint.objects.filter(authorization_server=server, vanished_at__isnull=True).exclude(pk=endpoint.pk)
    return others.exclude(fhir_version=endpoint.fhir_version).exists()
