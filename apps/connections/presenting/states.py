"""The state of one connection at a moment: a shape and a word, a sentence, and the next step.

Sentences are C1 to C15 of the patient-experience page: what happened, what is kept, whose turn it is. Red and amber
shapes mean that the patient must act. A known end stays calm until a day before.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.connections.grants import permission_terms
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.presenting import ends, moments
from apps.connections.reasons import Reason
from apps.directory import moving, reaching, registering, switching
from apps.wire.dialects import Interface

SOON = timedelta(days=1)
_VERY_SOON = timedelta(hours=3)
# For a refusal that may be the server's mistake.
_ASKED_AGAIN = {
    Reason.GRANT_ENDED: gettext_lazy(
        "{provider} ended the permission, or you ended it there. We noticed on {date}. We will ask them again a few "
        "times, in case it was their mistake. Everything we had until then is still here."
    ),
    Reason.DATA_REFUSED: gettext_lazy(
        "{provider} renewed the permission but does not let us read the record. We noticed on {date}. We will try "
        "again a few times, because this may well be their mistake. Everything we had until then is still here."
    ),
}


@dataclass(frozen=True)
class ShownConnection:
    """One connection, ready to show. `needs_you` puts it first; `action` is empty if there is nothing to do. `limit` is
    a sentence if we cannot keep it going by ourselves, and `way` names how it is read if one provider has several for
    one person."""

    connection: Connection
    kind: str
    word: str
    sentence: str
    person: str = ""
    way: str = ""
    action: str = ""
    action_url: str = ""
    needs_you: bool = False
    limit: str = ""
    is_stopped: bool = False  # nothing is requested there now, and it is not the patient's turn
    ends_at: datetime | None = None  # if known, and if we cannot prolong it


def of(connection: Connection, *, at: datetime) -> ShownConnection:
    """The state; its provider, endpoint, registration and token set are loaded."""
    status = Connection.Status(connection.status)
    if status is Connection.Status.AWAITING_CONFIRMATION:
        return _awaiting(connection)
    if is_linked(connection) and not switching.is_on(connection.endpoint, connection.registration):
        return _switched_off(connection, at=at)
    if is_linked(connection) and not reaching.is_known(connection.endpoint, connection.registration):
        return _in_trouble(connection, at=at)
    if _waits_for_our_look(connection, status):
        return _moved(connection, at=at)
    if status is Connection.Status.NEEDS_REAUTHORIZATION:
        if _keeps_people_away(connection, at=at):
            return _in_trouble(connection, at=at)
        is_known = connection.reason in Reason.values  # after a rollback, rows may have reasons of the newer release
        reason = Reason(connection.reason) if is_known else Reason.GRANT_ENDED
        return _needs_sign_in(connection, reason, since=connection.reason_at)
    if status is Connection.Status.ACTIVE:
        return _active(connection, at=at)
    return ShownConnection(
        connection,
        "off",
        _("Disconnected"),
        _("We stopped asking {provider} on {date}. What was copied until then is still here.").format(
            provider=connection.provider.name, date=moments.date(connection.ended_at)
        ),
    )


def unnamed(connection: Connection, *, at: datetime) -> ShownConnection:
    """The state of a connection without a known name: nobody was confirmed yet; or what we store cannot be decrypted,
    which is ours to fix, and which signing in would not fix."""
    if connection.sealed_person is None or not is_linked(connection):
        return of(connection, at=at)
    sentence = _(
        "We cannot open what we keep for you right now. This is ours to fix. Nothing is lost, and you do not need to "
        "do anything."
    )
    return ShownConnection(connection, "fault", _("Problem on our side"), sentence, is_stopped=True)


def is_linked(connection: Connection) -> bool:
    """Whether it was confirmed, and neither ended nor disconnected."""
    return connection.status in {Connection.Status.ACTIVE, Connection.Status.NEEDS_REAUTHORIZATION}


def is_stopped(connection: Connection) -> bool:
    """Whether nothing is requested there now: staff switched it off, or have to repair our registration or the
    endpoint."""
    return is_linked(connection) and (
        bool(connection.registration.trouble)
        or not switching.is_on(connection.endpoint, connection.registration)
        or not reaching.is_known(connection.endpoint, connection.registration)
    )


def _awaiting(connection: Connection) -> ShownConnection:
    return ShownConnection(
        connection,
        "needs-you",
        _("Is this the right person?"),
        _for(connection, _("We found a record at {provider}. Nothing is copied until you say yes.")),
        action=_("Review and decide"),
        action_url=reverse("confirm", args=[connection.pk]),
        needs_you=True,
    )


def _switched_off(connection: Connection, *, at: datetime) -> ShownConnection:
    """Staff switched it off and can switch it on. If the provider's time limit passes meanwhile, that is said at
    once."""
    sentence = _(
        "We have turned off access to {provider} for now. Your copy stays as it is. You do not need to do anything."
    )
    if connection.status == Connection.Status.NEEDS_REAUTHORIZATION or ends.is_over(connection, at=at):
        sentence = _(
            "We have turned off access to {provider} for now. Your copy stays as it is. Once access is on again, we "
            "will ask you to sign in there for updates."
        )
    return ShownConnection(connection, "off", _("Turned off for now"), _for(connection, sentence), is_stopped=True)


def _keeps_people_away(connection: Connection, *, at: datetime) -> bool:
    """Whether trouble of its registration would stop a sign-in: not when it is time to test whether the trouble is
    over, and not if a newer registration has replaced it, which the sign-in would use."""
    if not registering.is_in_trouble(connection.registration, at=at):
        return False
    standing = registering.standing_at(connection.endpoint)
    return standing is None or registering.is_in_trouble(standing, at=at)


def _in_trouble(connection: Connection, *, at: datetime) -> ShownConnection:
    """Staff have to repair our registration. Links that are still valid then continue by themselves."""
    sentence = _("We have a problem with {provider}. Ours to fix; your permission is fine and your record is here.")
    then = _("Once this is fixed, updates continue by themselves. You do not need to do anything.")
    if connection.status == Connection.Status.NEEDS_REAUTHORIZATION or ends.is_over(connection, at=at):
        sentence = _("We have a problem with {provider}. Ours to fix; your record is here.")
        then = _("Once this is fixed, we will ask you to sign in there for updates.")
    said = f"{_for(connection, sentence)} {then}"
    return ShownConnection(connection, "fault", _("Problem on our side"), said, is_stopped=True)


def _waits_for_our_look(connection: Connection, status: Connection.Status) -> bool:
    """Whether its provider moved to an origin that staff have not approved (`directory.moving`), and that stops the
    link: the previous address no longer refreshes, or nobody can be sent to sign in."""
    if not is_linked(connection) or not moving.awaits(connection.endpoint):
        return False
    stored = ends.token_set(connection)
    if status is Connection.Status.ACTIVE:
        return stored is not None and stored.tries > 0
    is_listed = connection.endpoint.interface == Interface.PATIENT_ACCESS
    return not (is_listed and registering.standing_at(connection.endpoint))


def _moved(connection: Connection, *, at: datetime) -> ShownConnection:
    """Staff have to review it. If the provider's time limit passes meanwhile, that is said at once."""
    sentence = _(
        "{provider} now renews permissions at a different address. We send nothing there until our staff have checked "
        "it. Your record is here."
    )
    then = _("After that, updates continue by themselves. You do not need to do anything.")
    if connection.status == Connection.Status.NEEDS_REAUTHORIZATION or ends.is_over(connection, at=at):
        then = _("After that, we will ask you to sign in there for updates. You do not need to do anything until then.")
    said = f"{_for(connection, sentence)} {then}"
    return ShownConnection(connection, "fault", _("Waiting for our check"), said, is_stopped=True)


def _needs_sign_in(connection: Connection, reason: Reason, *, since: datetime | None) -> ShownConnection:
    word = {
        Reason.SESSION_OVER: _("The session at {provider} ended"),
        Reason.IDLE_LIMIT_OVER: _("The connection went to sleep"),
    }.get(reason, _("Sign in to get updates"))
    return ShownConnection(
        connection,
        "needs-you",
        _for(connection, word),
        _why(connection, reason).format(provider=connection.provider.name, date=moments.date(since)),
        action=_("Sign in again"),
        action_url=reverse("reauthorize", args=[connection.pk]),
        needs_you=True,
    )


def _why(connection: Connection, reason: Reason) -> str:
    """What ended it, and what is kept. For a refusal that may be a mistake, that we ask again."""
    stored = ends.token_set(connection)
    if stored is not None and stored.is_doubted and reason in _ASKED_AGAIN:
        return str(_ASKED_AGAIN[reason])
    return {
        Reason.GRANT_ENDED: _(
            "{provider} ended the permission, or you ended it there. We noticed on {date}, and stopped asking. "
            "Everything we had until then is still here."
        ),
        Reason.DATA_REFUSED: _(
            "{provider} renewed the permission but no longer lets us read the record. We noticed on {date}, and "
            "stopped asking. If signing in again does not help, ask them. Everything we had until then is still "
            "here."
        ),
        Reason.WINDOW_OVER: _(
            "{provider} limits how long a sign-in lasts, and this one ended on {date}. Everything we had until then is "
            "still here."
        ),
        Reason.NOT_RENEWABLE: _(
            "{provider} lets us in only for a short time after each sign-in. Everything we had until {date} is still "
            "here."
        ),
        Reason.SESSION_OVER: _(
            "This connection lasts only while you are signed in there, and your sign-in had ended by {date}. "
            "Everything we had until then is still here. Sign in when you want new entries."
        ),
        Reason.IDLE_LIMIT_OVER: _(
            "{provider} ends connections that are not used for a long time. We noticed this on {date}. Everything we "
            "had until then is still here."
        ),
        Reason.EARLIER_COPY: _(
            "We had to go back to an earlier copy of our data, and {provider} no longer accepts the sign-in saved in "
            "it. We noticed on {date}. You did nothing wrong, and everything in that copy is still here."
        ),
        Reason.ADDRESS_DROPPED: _(
            "{provider} gave the permission at an address that we do not use any more. We stopped asking on {date}. "
            "Everything we had until then is still here."
        ),
    }[reason]


def _active(connection: Connection, *, at: datetime) -> ShownConnection:
    if connection.registration.trouble:
        return _in_trouble(connection, at=at)
    stored = ends.token_set(connection)
    limit = permission_terms.limit(connection)
    if stored is not None and limit:
        return _limited(connection, stored, limit, at=at)
    if (reason := ends.is_used_up(connection, at=at)) is not None:
        return _needs_sign_in(connection, reason, since=ends.ended_at(connection))
    ends_at, silent_since = ends.known(connection), ends.silent_since(connection, at=at)
    if silent_since is not None and (ends_at is None or ends_at - at > SOON):
        return _not_answering(connection, silent_since, ends_at)
    if ends_at is not None:
        return _ends(connection, ends_at, at=at)
    deadline_at = stored.refresh_deadline_at if stored else None
    if deadline_at is None or not ends.is_window(connection):
        return ShownConnection(connection, "done", _("Connected"), _checked(connection) + " " + _("Nothing to do."))
    sentence = _("{provider} limits how long. We try to renew it by ourselves and tell you here in time if we cannot.")
    return ShownConnection(
        connection,
        "done",
        _("Connected until {date}").format(date=moments.date(deadline_at)),
        f"{_checked(connection)} {_for(connection, sentence)}",
        action=_("Sign in now to extend"),
        action_url=reverse("reauthorize", args=[connection.pk]),
    )


def _not_answering(connection: Connection, since: datetime, ends_at: datetime | None) -> ShownConnection:
    """The provider's problem for now: nobody needs to act. If an end is known and near, that is shown instead."""
    sentence = _("{provider} has not answered since {moment}. We try again by ourselves. Your record is here.")
    said = sentence.format(provider=connection.provider.name, moment=moments.moment(since))
    return ShownConnection(connection, "info", _("Connected, but not answering"), said, ends_at=ends_at)


def _limited(connection: Connection, stored: StoredTokenSet, limit: str, *, at: datetime) -> ShownConnection:
    """It lasts as long as its tokens, or the session at the provider."""
    ended_at = stored.access_expires_at
    if not stored.is_refreshable and ended_at is not None and ended_at <= at:  # the next check would find out
        found = _needs_sign_in(connection, Reason.NOT_RENEWABLE, since=ended_at)
        return replace(found, limit=limit)
    return ShownConnection(
        connection,
        "done",
        _("Connected"),
        f"{_checked(connection)} {limit}",
        action=_("Sign in again"),
        action_url=reverse("reauthorize", args=[connection.pk]),
        limit=limit,
    )


def _ends(connection: Connection, ends_at: datetime, *, at: datetime) -> ShownConnection:
    """An end that we cannot prolong: said from the first minute, calmly, and more plainly as it approaches."""
    left = ends_at - at
    sentence = _("Sign in there before then and updates go on. Your record stays here either way.")
    if left > SOON:
        before = _("Connected. {provider} limits how long, and does not let us renew it.")
    elif left > _VERY_SOON:
        before = _("The connection to {provider} ends then.")
    else:
        before = _left(left)
        sentence = _("Sign in at {provider} before then and updates go on. Your record stays here either way.")
    return ShownConnection(
        connection,
        "info" if left > SOON else "needs-you",
        _("Sign in again by {moment}").format(moment=moments.until(ends_at, at=at)),
        f"{_for(connection, before)} {_for(connection, sentence)}",
        action=_("Sign in again"),
        action_url=reverse("reauthorize", args=[connection.pk]),
        needs_you=left <= SOON,
        ends_at=ends_at,
    )


def _left(left: timedelta) -> str:
    hours, minutes = left // timedelta(hours=1), max(left // timedelta(minutes=1), 1)
    if hours:
        said = ngettext("{count} hour is left.", "{count} hours are left.", hours).format(count=hours)
    else:
        said = ngettext("{count} minute is left.", "{count} minutes are left.", minutes).format(count=minutes)
    return said


def _checked(connection: Connection) -> str:
    if connection.last_checked_at is None:
        return _("Not fully checked yet.")
    return _("Last checked {moment}.").format(moment=moments.moment(connection.last_checked_at))


def _for(connection: Connection, sentence: str) -> str:
    return sentence.format(provider=connection.provider.name)
