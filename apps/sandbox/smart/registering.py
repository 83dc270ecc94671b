"""Install a working application of interface B over the control address (specification 1.7, 5.2.7).

Its credentials are stored where those of every application are: in a system account, created and approved with it.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.sandbox import bearer, registration
from apps.sandbox.models import (
    ApplicationStatus,
    ClientAuthentication,
    ClientType,
    Persona,
    SmartApplication,
    SmartVersion,
    SystemAccount,
    SystemAccountKind,
    SystemAccountStatus,
    Tenant,
)
from apps.sandbox.registration import RequestRefused
from apps.sandbox.smart.clients import public_keys

_WITH_SECRET = {ClientAuthentication.BASIC, ClientAuthentication.POST}


@dataclass(frozen=True, repr=False)
class Registration:
    """What is wanted. Empty means the default: a generated id and secret, the type and authentication that fit the
    given data, every organization (`enabled_tenants` None)."""

    name: str
    redirect_uris: Sequence[str]
    client_id: str = ""
    client_secret: str = ""
    client_type: str = ""
    authentication: str = ""
    jwks: Mapping[str, Any] | None = None
    jwks_url: str = ""
    launch_url: str = ""
    persona: str = Persona.PATIENT
    versions: Sequence[str] = tuple(registration.VERSIONS)
    smart_version: str = SmartVersion.V1
    scopes: Sequence[str] = ()
    enabled_tenants: Sequence[str] | None = None
    status: str = ApplicationStatus.APPROVED


def install(wanted: Registration, *, at: datetime) -> tuple[SmartApplication, str]:
    """The application, and its secret if it has one, which is available only here. It replaces an application with the
    same client id. Raises RequestRefused, with words for whoever filled in the form."""
    authentication = wanted.authentication or _usual_authentication(wanted)
    client_type = wanted.client_type or (
        ClientType.PUBLIC if authentication == ClientAuthentication.NONE else ClientType.CONFIDENTIAL
    )
    _check(wanted, client_type, authentication)
    secret = wanted.client_secret
    if authentication in _WITH_SECRET and not secret:
        secret = secrets.token_urlsafe(32)
    application, _ = SmartApplication.objects.update_or_create(
        client_id=wanted.client_id or secrets.token_hex(16),
        defaults={
            "name": wanted.name,
            "client_type": client_type,
            "authentication": authentication,
            "redirect_uris": registration.checked_addresses(wanted.redirect_uris),
            "launch_url": wanted.launch_url and registration.checked_addresses([wanted.launch_url], "launch_url")[0],
            "persona": wanted.persona,
            "versions": sorted(set(wanted.versions)),
            "smart_version": wanted.smart_version,
            "scopes": list(wanted.scopes),
            "enabled_tenants": _tenants(wanted.enabled_tenants),
            "status": wanted.status,
            "requested_at": at,
        },
    )
    _keep_credentials(application, wanted, secret, at=at)
    return application, secret


def _keep_credentials(application: SmartApplication, wanted: Registration, secret: str, *, at: datetime) -> None:
    """Store them in its account, or in a new one; without credentials, it has no account."""
    account = application.system_account
    if not (secret or wanted.jwks or wanted.jwks_url):
        application.guid = None
    else:
        account = account or SystemAccount(developer=application.developer, requested_at=at)
        account.description = "Holds the credentials of an application that was installed over the control address."
        account.client_name = application.name
        is_by_key = application.authentication == ClientAuthentication.PRIVATE_KEY_JWT
        account.kind = SystemAccountKind.KEY if is_by_key else SystemAccountKind.SECRET
        account.status = SystemAccountStatus.APPROVED
        account.secret_sha256 = bearer.sha256(secret) if secret else ""
        account.jwks = {"keys": list(public_keys.keys_of(wanted.jwks))} if wanted.jwks else None
        account.jwks_url = wanted.jwks_url
        account.save()
        application.guid = account.client_id
    application.save(update_fields=["guid"])


def _usual_authentication(wanted: Registration) -> str:
    if wanted.jwks or wanted.jwks_url:
        return ClientAuthentication.PRIVATE_KEY_JWT
    is_secret = wanted.client_secret and wanted.client_type != ClientType.PUBLIC
    is_confidential = wanted.client_type == ClientType.CONFIDENTIAL
    return ClientAuthentication.BASIC if is_secret or is_confidential else ClientAuthentication.NONE


def _check(wanted: Registration, client_type: str, authentication: str) -> None:
    for name, value, choices in (
        ("client_type", client_type, ClientType),
        ("authentication", authentication, ClientAuthentication),
        ("persona", wanted.persona, Persona),
        ("smart_version", wanted.smart_version, SmartVersion),
        ("status", wanted.status, ApplicationStatus),
    ):
        if value not in choices.values:
            raise RequestRefused(f"{name} is one of {', '.join(choices.values)}")
    if not wanted.versions or set(wanted.versions) - registration.VERSIONS.keys():
        raise RequestRefused("versions are dstu2, r4 or both")
    if (client_type == ClientType.PUBLIC) != (authentication == ClientAuthentication.NONE):
        raise RequestRefused("a public application authenticates with none, a confidential one with something")
    if wanted.jwks:
        public_keys.keys_of(wanted.jwks)
    elif authentication == ClientAuthentication.PRIVATE_KEY_JWT and not registration.is_of_this_machine(
        wanted.jwks_url
    ):
        raise RequestRefused("jwks are needed, or a jwks_url on this machine; others are never asked")
    if len(wanted.client_id) > 80 or len(wanted.name) > 120:
        raise RequestRefused("an id has 80 characters at most, a name 120")


def _tenants(wanted: Sequence[str] | None) -> list[str]:
    known = list(Tenant.objects.order_by("pk").values_list("pk", flat=True))
    if wanted is None:
        return known
    if unknown := sorted(set(wanted) - set(known)):
        raise RequestRefused(f"no tenant {', '.join(unknown)}; there are {', '.join(known)}")
    return list(wanted)
