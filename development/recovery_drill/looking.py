"""What the drill checks: whether a link refreshes, what its patient reads, what the ledger says."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from django.test import Client
from django.urls import reverse

from apps.accounts.models import User
from apps.audit import deletion_ledger
from apps.audit.deletion_ledger import Deleted
from apps.connections import refreshing
from apps.connections.models import Connection
from apps.connections.refreshing import NeedsReauthorization

_BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


def refreshed(connection: Connection, *, at: datetime) -> None:
    """Request an access token at a time when there is none without a refresh. Raises what `usable_token` raises."""
    refreshing.usable_token(connection, at=at)


def is_refreshed(connection: Connection, *, at: datetime) -> bool:
    """The same; False if only its patient can help."""
    try:
        refreshed(connection, at=at)
    except NeedsReauthorization:
        return False
    return True


def connections_page(user: User) -> str:
    """What somebody signed in reads on the page of their connections."""
    browser = Client(SERVER_NAME="localhost")
    browser.force_login(user, backend=_BACKEND)
    return " ".join(browser.get(reverse("connections")).content.decode().split())


def deleted(ledger: Path) -> Iterator[Deleted]:
    """What can be read of it."""
    return (line for line in deletion_ledger.read(ledger) if isinstance(line, Deleted))
