"""The life of an application: requested, credentials issued, approved, versions added, retired (specification 1.2)."""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from apps.sandbox import bearer
from apps.sandbox.models import Application, ApplicationStatus

VERSIONS = {"dstu2": "FHIR DSTU2", "r4": "FHIR R4"}
_PLAIN = re.compile(r"^[\x21\x22\x24-\x7e]{1,2000}$")  # printable ASCII without "#"
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


class RequestRefused(Exception):
    """The application cannot be registered as asked; the text says why, for whoever fills the form."""


@dataclass(frozen=True, repr=False)
class Credentials:
    """What an application authenticates with. The secret is known here and now, and never again."""

    client_id: str
    secret: str


def request_application(name: str, redirect_uris: Sequence[str], *, at: datetime) -> Application:
    """File a request. Raises RequestRefused."""
    if not name.strip() or "\0" in name or len(name) > 120:
        raise RequestRefused("The application needs a name of at most 120 characters.")
    return Application.objects.create(name=name.strip(), redirect_uris=checked(redirect_uris), requested_at=at)


def checked(redirect_uris: Sequence[str]) -> list[str]:
    """The addresses, each absolute, https or http to this machine, without a fragment. Raises RequestRefused."""
    for uri in redirect_uris:
        parts = urlsplit(uri)
        is_ours = parts.scheme == "http" and parts.hostname in _LOOPBACK
        if not parts.netloc or not (parts.scheme == "https" or is_ours) or not _PLAIN.match(uri):
            raise RequestRefused("A redirect address is absolute, https (or http on this machine), without #.")
    if not redirect_uris:
        raise RequestRefused("At least one redirect address is needed.")
    return list(redirect_uris)


def issue_credentials(application: Application) -> Credentials:
    """Provisional credentials: they exist and do not work yet. Raises MoveRefused when they were issued before."""
    application.move(ApplicationStatus.PROVISIONAL)
    application.client_id = secrets.token_hex(16)
    return replace_secret(application)


def replace_secret(application: Application) -> Credentials:
    """A new secret; the old one stops working at once."""
    secret = secrets.token_urlsafe(32)
    application.secret_sha256 = bearer.sha256(secret)
    application.save(update_fields=["client_id", "secret_sha256"])
    return Credentials(application.client_id or "", secret)


def add_version(application: Application, version: str) -> None:
    """Add a FHIR version ("dstu2" or "r4"). Raises RequestRefused for any other."""
    if version not in VERSIONS:
        raise RequestRefused("There are two versions: dstu2 and r4.")
    application.versions = sorted({*application.versions, version})
    application.save(update_fields=["versions"])


def approve(application: Application) -> None:
    """The credentials work from now on. Raises MoveRefused."""
    application.move(ApplicationStatus.APPROVED)


def retire(application: Application) -> None:
    """The credentials stop working for good. Raises MoveRefused."""
    application.move(ApplicationStatus.RETIRED)


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
            "redirect_uris": checked(redirect_uris),
            "versions": sorted(set(versions)),
            "secret_sha256": bearer.sha256(credentials.secret),
            "status": status,
            "requested_at": at,
        },
    )
    return application, credentials
