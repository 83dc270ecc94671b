"""Tell people by mail that a provider works now, if they asked for that (`searching.wishing`): once, and not at night.

A provider works if there is no obstacle to linking it any more, and if something that happened since they asked proves
it: somebody signed in there, or a check found nothing wrong and nobody was left without an answer since. If the
provider refused our request, only a sign-in proves it.

Each person is handled by one worker at a time. A wish is marked as told before the mail is sent, and stays marked
unless the mail server certainly did not accept it. So nobody is mailed twice; if a worker dies in between, only the
page says it.
"""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from apps.accounts import mailing, preferences, time_zones
from apps.accounts.models import User
from apps.audit import recording
from apps.audit.recording import Actor, EventType
from apps.connections import reachability
from apps.connections.lapse_warnings import moments
from apps.connections.models import AuthorizationRequest, RefreshPace
from apps.connections.outcomes import Outcome
from apps.directory import linkability, registering
from apps.directory.models import Endpoint, EndpointCheck, Wish
from apps.directory.searching import finding, wishing
from apps.directory.searching.finding import FoundProvider

_LOG = logging.getLogger(__name__)

AT_ONCE: Final = 500
_LET_IN: Final = frozenset({Outcome.COMPLETED, Outcome.CONFIRMED, Outcome.ALREADY_CONNECTED})


@dataclass(frozen=True, repr=False)
class _Letter:
    """One mail: the person, and the wishes as they were. `names` is empty unless the person wants providers named."""

    user: User
    wishes: Sequence[Wish]
    names: Sequence[str]


def tell(*, at: datetime) -> int:
    """Send what is due, and return how many mails. It uses the mail server: call it outside transactions."""
    due = Wish.objects.filter(due_at__lte=at).order_by("due_at", "pk").values_list("user_id", flat=True)
    return mailing.send_in_turn(dict.fromkeys(due[:AT_ONCE]), partial(_claim, at=at), partial(_tell, at=at))


def _claim(user_id: UUID, *, at: datetime) -> _Letter | None:
    """The mail about what this person waits for and what works now, marked as told. The rest is looked at again later.
    An account that is being closed is locked, and skipped."""
    with transaction.atomic():
        user = User.objects.select_for_update(skip_locked=True, no_key=True).filter(pk=user_id).first()
        due = list(Wish.objects.filter(user=user, due_at__lte=at).order_by("pk")) if user is not None else []
        if user is None or not due:
            return None
        rows, zone = Wish.objects.filter(pk__in=[wish.pk for wish in due]), time_zones.of(user)
        if moments.is_quiet(at, zone):
            rows.update(due_at=moments.end_of_quiet(at, zone))
            return None
        rows.update(due_at=at + wishing.LOOK_AGAIN_AFTER)
        rows.filter(waits_since__lte=at - wishing.LOOK_LESS_FROM).update(due_at=at + wishing.LOOK_LESS_AFTER)
        if not (user.is_active and mailing.is_confirmed(user)):
            return None
        found = finding.by_id([wish.provider_id for wish in due if wish.provider_id], at=at)
        over = _signed_in(user, due, found)
        told = [wish for wish in due if wish not in over and _works(found, wish, at=at)]
        rows.filter(pk__in=[wish.pk for wish in (*over, *told)]).update(waits_since=None, due_at=None)
    names = sorted(found[wish.provider_id].provider.name for wish in told if wish.provider_id)
    return _Letter(user, told, names if preferences.choices_of(user).names_providers else ()) if told else None


def _signed_in(user: User, wishes: Sequence[Wish], found: Mapping[UUID, FoundProvider]) -> list[Wish]:
    """Those of them whose provider let them in since, when they tried again themselves: by whichever row of it, since
    several directories may list it."""
    let_in = AuthorizationRequest.objects.filter(user=user, outcome__in=_LET_IN)
    theirs = list(let_in.values_list("provider_id", "created_at"))
    rows = {pk: {choice.provider.pk for choice in each.choices} for pk, each in found.items()}
    return [
        wish
        for wish in wishes
        if wish.provider_id and wish.waits_since
        if any(
            created_at > wish.waits_since and provider_id in {wish.provider_id, *rows.get(wish.provider_id, ())}
            for provider_id, created_at in theirs
        )
    ]


def _works(found: Mapping[UUID, FoundProvider], wish: Wish, *, at: datetime) -> bool:
    """Whether it can be linked, and was seen to since they asked."""
    assert wish.provider_id is not None  # noqa: S101  # nosec B101 - only such a wish is ever due
    assert wish.waits_since is not None  # noqa: S101  # nosec B101 - and was since then
    linkable = [choice.endpoint for choice in found[wish.provider_id].linkable] if wish.provider_id in found else []
    endpoints = [endpoint for endpoint in linkable if not linkability.is_in_doubt(endpoint)]
    attempts = AuthorizationRequest.objects.filter(endpoint__in=endpoints, created_at__gt=wish.waits_since)
    last = attempts.filter(outcome__in=_LET_IN | {Outcome.PROVIDER_DOWN}).order_by("-created_at").first()
    if last is not None and last.outcome != Outcome.PROVIDER_DOWN:
        return True
    since = last.created_at if last is not None else wish.waits_since
    return not wish.needs_sign_in and _are_well(endpoints, since=since, at=at)


def _are_well(endpoints: Collection[Endpoint], *, since: datetime, at: datetime) -> bool:
    """Whether checks since then found all of them well, since nobody knows which of them was not. A check asks nothing
    of the token endpoint: there, refreshes of others tell."""
    registrations = [registering.standing_at(endpoint) for endpoint in endpoints]
    if RefreshPace.objects.filter(registration__in=registrations, silences__gt=0).exists():
        return False
    if any(reachability.silent_since(endpoint, at=at) for endpoint in endpoints):
        return False
    checks = EndpointCheck.objects.filter(endpoint__in=endpoints, is_latest=True, checked_at__gt=since)
    well = set(checks.filter(outcome=EndpointCheck.Outcome.WELL).values_list("endpoint_id", flat=True))
    return bool(endpoints) and all(endpoint.pk in well for endpoint in endpoints)


def _tell(letter: _Letter, *, at: datetime) -> bool | None:
    try:
        _send(letter)
    except OSError as error:  # smtplib's errors are all of this kind
        _LOG.error("A mail about a provider was not sent: user %s, %s.", letter.user.pk, mailing.kind(error))
        if not isinstance(error, mailing.PerhapsSent):
            _put_off(letter, at=at)
        return mailing.not_sent(error)
    recording.record(
        EventType.USER_TOLD_OF_PROVIDER,
        actor=Actor.system("awaiting"),
        at=at,
        user_id=letter.user.pk,
        subject="user",
        subject_id=str(letter.user.pk),
    )
    return True


def _send(letter: _Letter) -> None:
    page_url = f"{settings.SITE_ORIGIN}{reverse('find-provider')}#wishes"
    context = {
        "user": letter.user,
        "count": len(letter.wishes),
        "names": letter.names,
        "page_url": page_url,
    }
    mailing.send(
        "connections/email/works",
        to=letter.user.email,
        context=context,
        headers={"List-Unsubscribe": f"<{page_url}>", "Auto-Submitted": "auto-generated"},
    )


def _put_off(letter: _Letter, *, at: datetime) -> None:
    """They were not told: as it was before, and once more in a while. Unless they asked anew meanwhile."""
    for wish in letter.wishes:
        untold = Wish.objects.filter(pk=wish.pk, waits_since=None)
        untold.update(waits_since=wish.waits_since, due_at=at + timedelta(hours=1))
