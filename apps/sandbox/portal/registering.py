"""The life of an application: requested, credentials issued, approved, versions added, retired (specification 1.2)."""

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
    """What an application authenticates with. The secret is known here and now, and never again."""

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
    """Other redirect addresses, from now on. Raises RequestRefused."""
    if application.is_over:
        raise RequestRefused("This application is over. Its addresses stay as they are.")
    application.redirect_uris = _callbacks(redirect_uris)
    application.save(update_fields=["redirect_uris"])


def issue_credentials(application: Application, *, at: datetime) -> Credentials:
    """Provisional credentials: they exist, and work once an administrator has approved (switch `approval`: at once).
    Raises MoveRefused when they were issued before."""
    application.move(ApplicationStatus.PROVISIONAL, at=at)
    application.client_id = secrets.token_hex(16)
    credentials = replace_secret(application)
    if scenarios.chosen("approval") == "instant":
        approve(application, at=at)
    return credentials


def replace_secret(application: Application) -> Credentials:
    """A new secret; the old one stops working at once (specification 5.2.8). Raises MoveRefused where it is over."""
    if application.is_over:
        raise MoveRefused(f"no new secret when {application.status}")
    secret = secrets.token_urlsafe(32)
    application.secret_sha256 = bearer.sha256(secret)
    application.save(update_fields=["client_id", "secret_sha256"])
    return Credentials(application.client_id or "", secret)


def add_version(application: Application, version: str) -> None:
    """Add a FHIR version ("dstu2" or "r4"). Raises RequestRefused for any other, and where the application is over."""
    if application.is_over:
        raise RequestRefused("This application is over. No version can be added.")
    if version not in VERSIONS:
        raise RequestRefused("There are two versions: dstu2 and r4.")
    application.versions = sorted({*application.versions, version})
    application.save(update_fields=["versions"])


def approve(application: Application, *, at: datetime, decision: str = "") -> None:
    """The credentials work from now on. Raises MoveRefused."""
    application.move(ApplicationStatus.APPROVED, at=at, decision=decision)


def reject(application: Application, *, at: datetime, decision: str = "") -> None:
    """The credentials will never work. Raises MoveRefused."""
    application.move(ApplicationStatus.REJECTED, at=at, decision=decision)


def retire(application: Application, *, at: datetime) -> None:
    """The credentials stop working for good, and every token with them. Raises MoveRefused."""
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
    """An application with its credentials in any state, for the control address. The same client id replaces it."""
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
    """The portal takes no address with a query of its own (interface facts section 8)."""
    addresses = checked_addresses(redirect_uris)
    if any("?" in address for address in addresses):
        raise RequestRefused(
            "A redirect address has no query parameters here: nothing after a question mark.", "redirect_uris"
        )
    return addresses
