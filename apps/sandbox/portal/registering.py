"""The life cycle of an application: requested, credentials issued, approved, versions added, retired (specification
1.2).
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.sandbox import bearer, scenarios
from apps.sandbox.models import Application, ApplicationStatus, Developer
from apps.sandbox.models.decided import MoveRefused
from apps.sandbox.registration import VERSIONS, RequestRefused, checked_addresses, checked_name


@dataclass(frozen=True, repr=False)
class Credentials:
    """What an application authenticates with. The secret is available only here."""

    client_id: str
    secret: str


def request_application(
    name: str, redirect_uris: Sequence[str], *, developer: Developer | None = None, at: datetime
) -> Application:
    """File a request. Raises RequestRefused."""
    return Application.objects.create(
        name=checked_name(name), redirect_uris=_callbacks(redirect_uris), developer=developer, requested_at=at
    )


def change_addresses(application: Application, redirect_uris: Sequence[str]) -> None:
    """Replace the redirect URIs. Raises RequestRefused."""
    if application.is_over:
        raise RequestRefused("This application has ended. Its addresses stay as they are.")
    application.redirect_uris = _callbacks(redirect_uris)
    application.save(update_fields=["redirect_uris"])


def issue_credentials(application: Application, *, at: datetime) -> Credentials:
    """Issue provisional credentials, which work once an administrator has approved them (with the switch `approval`: at
    once). Raises MoveRefused if they were issued before."""
    application.move(ApplicationStatus.PROVISIONAL, at=at)
    application.client_id = secrets.token_hex(16)
    credentials = replace_secret(application)
    if scenarios.chosen("approval") == "instant":
        approve(application, at=at)
    return credentials


def replace_secret(application: Application) -> Credentials:
    """Issue a new secret; the old one stops working at once (specification 5.2.8). Raises MoveRefused if the
    application is over."""
    if application.is_over:
        raise MoveRefused(f"no new secret when {application.status}")
    secret = secrets.token_urlsafe(32)
    application.secret_sha256 = bearer.sha256(secret)
    application.save(update_fields=["client_id", "secret_sha256"])
    return Credentials(application.client_id or "", secret)


def add_version(application: Application, version: str) -> None:
    """Add a FHIR version ("dstu2" or "r4"). Raises RequestRefused for any other, and if the application is over."""
    if application.is_over:
        raise RequestRefused("This application has ended. No version can be added.")
    if version not in VERSIONS:
        raise RequestRefused("There are two versions: dstu2 and r4.")
    application.versions = sorted({*application.versions, version})
    application.save(update_fields=["versions"])


def approve(application: Application, *, at: datetime, decision: str = "") -> None:
    """Make the credentials work. Raises MoveRefused."""
    application.move(ApplicationStatus.APPROVED, at=at, decision=decision)


def reject(application: Application, *, at: datetime, decision: str = "") -> None:
    """Reject the application: its credentials will never work. Raises MoveRefused."""
    application.move(ApplicationStatus.REJECTED, at=at, decision=decision)


def retire(application: Application, *, at: datetime) -> None:
    """End the application and all its tokens for good. Raises MoveRefused."""
    application.move(ApplicationStatus.RETIRED, at=at)
    bearer.forget()


def install(
    name: str,
    redirect_uris: Sequence[str],
    versions: Sequence[str],
    *,
    credentials: Credentials | None,
    status: ApplicationStatus,
    at: datetime,
) -> tuple[Application, Credentials]:
    """An application with its credentials, in any status, for the control address. It replaces one with the same client
    id."""
    if unknown := set(versions) - VERSIONS.keys():
        raise RequestRefused(f"There are two versions, dstu2 and r4; not {', '.join(sorted(unknown))}.")
    credentials = credentials or Credentials(secrets.token_hex(16), secrets.token_urlsafe(32))
    application, _ = Application.objects.update_or_create(
        client_id=credentials.client_id,
        defaults={
            "name": name,
            "redirect_uris": checked_addresses(redirect_uris),
            "versions": sorted(set(versions)),
            "secret_sha256": bearer.sha256(credentials.secret),
            "status": status,
            "requested_at": at,
        },
    )
    bearer.forget()  # it may have been approved, and be so no more
    return application, credentials


def _callbacks(redirect_uris: Sequence[str]) -> list[str]:
    """The portal accepts no redirect URI with a query (interface facts section 8)."""
    addresses = checked_addresses(redirect_uris)
    if any("?" in address for address in addresses):
        raise RequestRefused(
            "A redirect address has no query parameters here: nothing after a question mark.", "redirect_uris"
        )
    return addresses
