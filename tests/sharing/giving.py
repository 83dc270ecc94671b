"""Make shares as their owner does, and use them as a visitor does."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import User
from apps.connections.models import Connection
from apps.records.subjects import ALLERGIES, Subject
from apps.sharing import making, terms
from apps.sharing.models import Share
from apps.sharing.terms import Terms
from apps.vault import sealing
from apps.vault.sealing import Holder
from tests.records.people import PATIENT_ID

NAME = "Dr. Maud Fennimore"
GOUT = {
    "resourceType": "Condition",
    "id": "c1",
    "clinicalStatus": {"coding": [{"code": "active"}]},
    "code": {"text": "Canary-gout"},
    "subject": {"reference": f"Patient/{PATIENT_ID}"},
}


def share_of(
    user: User,
    *connections: Connection,
    subjects: Iterable[Subject] = (ALLERGIES,),
    at: datetime | None = None,
    **others: Any,
) -> Share:
    """An open share of these, for a week."""
    chosen: dict[str, Any] = {"since": None, "tells_sensitive": False, "with_files": False, "purpose": ""}
    chosen = {**chosen, "lasts": timedelta(days=7), **others}
    keys = frozenset(subject.key for subject in subjects)
    return making.make(user, [one.pk for one in connections], keys, at=at or timezone.now(), **chosen)


def terms_of(share: Share) -> Terms:
    """What it was sealed with."""
    with sealing.key_ring(Holder.user(share.user_id)) as ring:
        return terms.opened(share, ring)


def address_of(share: Share) -> str:
    """What its link leads to."""
    return reverse("shared", args=[terms_of(share).token])


def wrong_for(share: Share, number: int = 1) -> str:
    """A passcode that is not its, for each number another."""
    return f"{(int(terms_of(share).passcode) + number) % 1_000_000:06d}"


def give(client: Client, share: Share, passcode: str, *, name: str = NAME, **extra: Any) -> Any:
    """Type a passcode in."""
    return client.post(address_of(share), {"name": name, "passcode": passcode}, **extra)


def enter(client: Client, share: Share, *, name: str = NAME) -> Any:
    """Type the right one in; the page that follows."""
    return give(client, share, terms_of(share).passcode, name=name, follow=True)
