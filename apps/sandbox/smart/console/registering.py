"""Register an application at the console, and change what can be changed (specification 1.7, 5.2.7; facts section 8).

A public application that needs only online access works at once. A confidential one exists at once, and is recognized
for FHIR once an approved system account of the same developer is in its GUID field. Either reaches the records of an
organization only if that organization has enabled it (specification 1.6), which is not decided at the console.
"""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from apps.sandbox import registration
from apps.sandbox.models import (
    ApplicationStatus,
    ClientAuthentication,
    ClientType,
    Developer,
    Persona,
    SmartApplication,
    SmartVersion,
    SystemAccountKind,
)
from apps.sandbox.registration import RequestRefused
from apps.sandbox.smart import scopes

CONFIDENTIAL_WAYS = tuple(way for way in ClientAuthentication if way != ClientAuthentication.NONE)
_NEEDS = {ClientAuthentication.PRIVATE_KEY_JWT: SystemAccountKind.KEY}


@dataclass(frozen=True)
class Fixed:
    """What cannot be changed after registration."""

    persona: str
    versions: Sequence[str]
    smart_version: str
    client_type: str


@dataclass(frozen=True)
class Changeable:
    """What can be changed later. `guid` is the id of a system account; it and `authentication` matter only for a
    confidential application."""

    name: str
    redirect_uris: Sequence[str]
    scopes: Sequence[str]
    support_contact: str
    launch_url: str = ""
    authentication: str = ClientAuthentication.BASIC
    guid: UUID | None = None


def register(fixed: Fixed, wanted: Changeable, *, developer: Developer, at: datetime) -> SmartApplication:
    """The application, with a new id; no organization has enabled it yet. Raises RequestRefused."""
    if fixed.persona not in Persona.values or fixed.client_type not in ClientType.values:
        raise RequestRefused("An application is for patients or clinicians, and public or confidential.")
    if fixed.smart_version not in SmartVersion.values:
        raise RequestRefused("There are two SMART versions: v1 and v2.", "smart_version")
    if not fixed.versions or set(fixed.versions) - registration.VERSIONS.keys():
        raise RequestRefused("There are two FHIR versions: dstu2 and r4.", "versions")
    return SmartApplication.objects.create(
        **_checked(wanted, fixed.client_type, fixed.smart_version),
        client_id=str(uuid.uuid4()),
        client_type=fixed.client_type,
        persona=fixed.persona,
        versions=sorted(set(fixed.versions)),
        smart_version=fixed.smart_version,
        developer=developer,
        requested_at=at,
    )


def change(application: SmartApplication, wanted: Changeable) -> None:
    """Change what can be changed. Raises RequestRefused."""
    if not application.is_approved:
        raise RequestRefused("This application has ended. It stays as it is.")
    changed = _checked(wanted, application.client_type, application.smart_version)
    SmartApplication.objects.filter(pk=application.pk).update(**changed)


def retire(application: SmartApplication) -> None:
    """Retire the application for good. Calling it again changes nothing."""
    SmartApplication.objects.filter(pk=application.pk).update(status=ApplicationStatus.RETIRED)


def missing(application: SmartApplication) -> str:
    """What an application still needs before it can get a token: "guid" (that field is empty), "unknown-account",
    "waiting-account", "ended-account", "credentials" (the account has none yet), "other-kind" (it has another kind than
    the application uses); or ""."""
    if application.client_type == ClientType.PUBLIC:
        return ""
    account = application.system_account
    if account is None:
        return "unknown-account" if application.guid else "guid"
    if not account.is_approved:
        return "ended-account" if account.is_over else "waiting-account"
    if account.kind != _NEEDS.get(ClientAuthentication(application.authentication), SystemAccountKind.SECRET):
        return "other-kind"
    return "" if account.has_credentials else "credentials"


def _checked(wanted: Changeable, client_type: str, smart_version: str) -> dict[str, Any]:
    """Column values for the request. Raises RequestRefused."""
    is_public = client_type == ClientType.PUBLIC
    if not is_public and wanted.authentication not in CONFIDENTIAL_WAYS:
        raise RequestRefused("A confidential application authenticates with a secret or with a key.", "authentication")
    return {
        "name": registration.checked_name(wanted.name),
        "redirect_uris": registration.checked_addresses(wanted.redirect_uris),
        "launch_url": wanted.launch_url and registration.checked_addresses([wanted.launch_url], "launch_url")[0],
        "scopes": _checked_scopes(wanted.scopes, smart_version, is_public=is_public),
        "support_contact": wanted.support_contact,
        "authentication": ClientAuthentication.NONE if is_public else wanted.authentication,
        "guid": None if is_public else wanted.guid,
    }


def _checked_scopes(wanted: Collection[str], smart_version: str, *, is_public: bool) -> list[str]:
    try:
        read = scopes.read(" ".join(wanted), [smart_version])
    except scopes.Malformed:
        raise RequestRefused(
            f"These are not all scopes of SMART {smart_version} that people can allow.", "scopes"
        ) from None
    if not scopes.opens_anything(read):
        raise RequestRefused("These scopes open nothing. Name at least one kind of entry.", "scopes")
    if is_public and "offline_access" in read:
        raise RequestRefused(
            "A public application has online access alone. For offline_access register a confidential one, with a"
            " system account.",
            "scopes",
        )
    return list(read)
