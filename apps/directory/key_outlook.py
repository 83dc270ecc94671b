"""The state of each signing key, and what happens to it next and when, in words for staff."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db import models
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.accounts import time_zones
from apps.directory import rotating, signing
from apps.directory.models import ClientRegistration, SigningKey


class State(models.TextChoices):
    """From creation to retirement."""

    PUBLISHED = "published", gettext_lazy("published, not signing yet")
    SIGNING = "signing", gettext_lazy("signing")
    LEAVING = "leaving", gettext_lazy("leaving: still published, no longer signing")
    RETIRED = "retired", gettext_lazy("retired")


@dataclass(frozen=True)
class Outlook:
    """One key: who signs with it, and the next step in a sentence or two."""

    key: SigningKey
    state: State
    users: tuple[ClientRegistration, ...]
    sentence: str


def present(*, at: datetime) -> Iterator[Outlook]:
    """All published keys, the oldest first."""
    for key in SigningKey.objects.filter(retired_at__isnull=True).order_by("algorithm", "created_at"):
        yield of(key, at=at)


def of(key: SigningKey, *, at: datetime) -> Outlook:
    """The outlook of this key. Makes a few queries, none for a retired key."""
    if key.retired_at is not None:
        sentence = _("Retired on %(moment)s. Its private half is gone.") % {"moment": moment(key.retired_at)}
        return Outlook(key, State.RETIRED, (), sentence)
    users = tuple(rotating.standing().filter(signing_key=key).order_by("label", "pk"))
    leaves_at = signing.leaves_at(key)
    if leaves_at is not None:
        sentence = _("It is retired on %(moment)s. Until then a provider may need it for what it has signed.")
        return Outlook(key, State.LEAVING, users, sentence % {"moment": moment(leaves_at)})
    newer = _newer(key)
    if newer is not None:
        return _of_a_predecessor(key, newer, users, at=at)
    return _of_the_newest(key, users, at=at)


def moment(when: datetime) -> str:
    """A date with its time and time zone."""
    local = timezone.localtime(when)
    return f"{formats.date_format(local, 'DATE_FORMAT')}, {time_zones.clock(local)}"


def _newer(key: SigningKey) -> SigningKey | None:
    return signing.may_be_chosen().filter(algorithm=key.algorithm, created_at__gt=key.created_at).first()


def _of_the_newest(key: SigningKey, users: tuple[ClientRegistration, ...], *, at: datetime) -> Outlook:
    if at < key.signs_from_at:
        sentence = _(
            "Registrations sign with it from %(moment)s. Until then a provider may hold a copy of our key set that "
            "lacks it."
        )
        state = State.SIGNING if users else State.PUBLISHED
        return Outlook(key, state, users, sentence % {"moment": moment(key.signs_from_at)})
    if not users:
        return Outlook(key, State.SIGNING, users, _("No registration uses it. The next one that needs a key will."))
    named = {"moment": moment(key.created_at + rotating.lasts())}
    return Outlook(key, State.SIGNING, users, _("It gets a successor on %(moment)s.") % named)


def _of_a_predecessor(
    key: SigningKey, newer: SigningKey, users: tuple[ClientRegistration, ...], *, at: datetime
) -> Outlook:
    """The hourly run moves registrations whose provider fetches our key set, and supersedes the key once none is
    left."""
    named = {"key": newer.kid, "moment": moment(newer.signs_from_at)}
    by_hand = [row for row in users if not row.key_set_is_fetched]
    sentences = []
    if len(by_hand) < len(users) and at < newer.signs_from_at:
        sentences.append(_("Registrations move to %(key)s from %(moment)s.") % named)
    elif len(by_hand) < len(users):
        sentences.append(_("Registrations move to %(key)s at the next hourly run.") % named)
    if by_hand:
        wait = ngettext(
            "%(count)d registration is waiting for you: give its provider our key set, then choose “The provider has "
            "the new key” in the list of client registrations.",
            "%(count)d registrations are waiting for you: give their providers our key set, then choose “The "
            "provider has the new key” in the list of client registrations.",
            len(by_hand),
        )
        sentences.append(wait % {"count": len(by_hand)})
    if not users:
        sentences.append(_("Nothing signs with it. The next hourly run after %(moment)s takes it out of use.") % named)
    return Outlook(key, State.SIGNING, users, " ".join(sentences))
