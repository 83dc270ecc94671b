"""How a connection stands, in words a patient can use: a shape and a word, a sentence, and the next step.

Sentences are those of the patient-experience page, C1 to C15. Reads no token: of the token set only its deadlines.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import formats, timezone
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.connections import asking, candidates
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.reasons import Reason
from apps.directory import reaching, switching, versions
from apps.directory.models import Endpoint

_SOON = timedelta(days=1)


@dataclass(frozen=True)
class Standing:
    """One connection, ready to show. `needs_you` puts it first; the action is empty where there is nothing to do.
    `limit` is a sentence where we cannot keep it going by ourselves, `way` the name of its way of reading where one
    provider has several for one person.
    """

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
    is_stopped: bool = False  # nothing is asked there now, and it is not the patient's turn


def of_user(user: User, *, at: datetime) -> list[Standing]:
    """Every connection of the user that was confirmed, and those that wait for it; what needs the patient first."""
    rows = _with_deadlines(user.connections.exclude(_overdue(at))).order_by("provider__name", "created_at", "pk")
    return sorted(_standings(user.pk, rows, at=at), key=lambda one: (not one.needs_you, _is_over(one.connection)))


def of_connection(connection: Connection, *, at: datetime) -> Standing:
    """The same for one of them. Raises Connection.DoesNotExist where it went a moment ago."""
    beside = Connection.objects.filter(user_id=connection.user_id, provider_id=connection.provider_id)
    rows = _with_deadlines(beside.exclude(_overdue(at) & ~Q(pk=connection.pk)))
    for found in _standings(connection.user_id, rows, at=at):
        if found.connection.pk == connection.pk:
            return found
    raise Connection.DoesNotExist


def is_stopped(connection: Connection) -> bool:
    """Whether nothing is asked there now: staff switched it off, or have to mend our registration first."""
    return _is_linked(connection) and (
        bool(connection.registration.trouble) or not switching.is_on(connection.endpoint, connection.registration)
    )


def _is_linked(connection: Connection) -> bool:
    return connection.status in {Connection.Status.ACTIVE, Connection.Status.NEEDS_REAUTHORIZATION}


def _is_over(connection: Connection) -> bool:
    return connection.status in {Connection.Status.ENDED, Connection.Status.DISCONNECTED}


def _overdue(at: datetime) -> Q:
    """Links that beat is about to drop."""
    return Q(status=Connection.Status.AWAITING_CONFIRMATION, confirm_by_at__lte=at)


def _standings(user_id: UUID, rows: QuerySet[Connection], *, at: datetime) -> list[Standing]:
    """How each stands, with whose record it is: one provider may hold a parent's and a child's."""
    people = candidates.find_people(user_id, rows)
    names = {connection_id: person.name for connection_id, person in people.items()}
    return _told_apart([replace(_standing(row, at=at), person=names.get(row.pk, "")) for row in rows])


def _told_apart(standings: Sequence[Standing]) -> list[Standing]:
    """With the way of each, where one provider has several for one person."""
    endpoints: dict[tuple[UUID, str], list[Endpoint]] = defaultdict(list)
    for one in standings:
        endpoints[one.connection.provider_id, one.person].append(one.connection.endpoint)
    return [
        replace(
            one,
            way=versions.way(one.connection.endpoint, among=endpoints[one.connection.provider_id, one.person]),
        )
        for one in standings
    ]


def _with_deadlines(rows: QuerySet[Connection]) -> QuerySet[Connection]:
    """The deadlines, without the tokens beside them or the candidates."""
    return rows.select_related("provider", "endpoint", "registration", "stored_token_set").defer(
        "sealed_candidates", "stored_token_set__sealed_access_token", "stored_token_set__sealed_refresh_token"
    )


def _standing(connection: Connection, *, at: datetime) -> Standing:
    status = Connection.Status(connection.status)
    if status is Connection.Status.AWAITING_CONFIRMATION:
        return _awaiting(connection)
    if _is_linked(connection) and not switching.is_on(connection.endpoint, connection.registration):
        return _switched_off(connection, at=at)
    if status is Connection.Status.NEEDS_REAUTHORIZATION:
        reason = Reason(connection.reason) if connection.reason else Reason.GRANT_ENDED
        return _needs_sign_in(connection, reason, since=connection.reason_at)
    if status is Connection.Status.ACTIVE:
        return _active(connection, at=at)
    return Standing(
        connection,
        "off",
        _("Disconnected"),
        _("We stopped asking {provider} on {date}. What was copied until then is still here.").format(
            provider=connection.provider.name, date=_date(connection.ended_at)
        ),
    )


def _awaiting(connection: Connection) -> Standing:
    return Standing(
        connection,
        "needs-you",
        _("Is this the right person?"),
        _("We found a record at {provider}. Nothing is copied until you say yes.").format(
            provider=connection.provider.name
        ),
        action=_("Look and decide"),
        action_url=reverse("confirm", args=[connection.pk]),
        needs_you=True,
    )


def _switched_off(connection: Connection, *, at: datetime) -> Standing:
    """Staff did it, and staff undo it. Where the provider's time limit passes meanwhile, that is said at once."""
    sentence = _("We have switched {provider} off for now. Your copy stays as it is. Nothing for you to do.")
    if connection.status == Connection.Status.NEEDS_REAUTHORIZATION or _is_lapsed(connection, at=at):
        sentence = _(
            "We have switched {provider} off for now. Your copy stays as it is. Once it is on again, we will ask you "
            "to sign in there for updates."
        )
    return Standing(connection, "off", _("Switched off for now"), _for(connection, sentence), is_stopped=True)


def _is_lapsed(connection: Connection, *, at: datetime) -> bool:
    """Whether its refresh token cannot be of use any more, by what the provider states: unused for too long."""
    stored: StoredTokenSet | None = getattr(connection, "stored_token_set", None)
    if stored is None:
        return False
    ends_at = [stored.refresh_deadline_at]
    idle_days = reaching.dialect(connection.endpoint, connection.registration).idle_limit_days
    if idle_days is not None and stored.access_expires_at is not None:  # it was used for the last time before that
        ends_at.append(stored.access_expires_at + timedelta(days=idle_days))
    return any(moment is not None and moment <= at for moment in ends_at)


def _needs_sign_in(connection: Connection, reason: Reason, *, since: datetime | None) -> Standing:
    sentences = {
        Reason.GRANT_ENDED: _("{provider} ended the permission on {date}. Everything we had until then is still here."),
        Reason.WINDOW_OVER: _(
            "{provider} limits how long a sign-in lasts, and this one ended on {date}. Everything we had until then is "
            "still here."
        ),
        Reason.NOT_RENEWABLE: _(
            "{provider} lets us in only for a short time after each sign-in. Everything we had until {date} is still "
            "here."
        ),
    }
    return Standing(
        connection,
        "needs-you",
        _("Sign in to get updates"),
        sentences[reason].format(provider=connection.provider.name, date=_date(since)),
        action=_("Sign in again"),
        action_url=reverse("reauthorize", args=[connection.pk]),
        needs_you=True,
    )


def _active(connection: Connection, *, at: datetime) -> Standing:
    if connection.registration.trouble:
        sentence = _("We have a problem with {provider}. Ours to fix; your permission is fine and your record is here.")
        return Standing(connection, "fault", _("Problem on our side"), _for(connection, sentence), is_stopped=True)
    stored: StoredTokenSet | None = getattr(connection, "stored_token_set", None)
    limit = asking.limit(connection)
    if stored is not None and limit:
        return _limited(connection, stored, limit, at=at)
    deadline_at = stored.refresh_deadline_at if stored else None
    if stored is not None and deadline_at is not None and _is_used_up(stored, deadline_at, at=at):
        return _needs_sign_in(connection, Reason.WINDOW_OVER, since=deadline_at)
    if stored is None or deadline_at is None:
        return Standing(connection, "done", _("Connected"), _checked(connection) + " " + _("Nothing to do."))
    if stored.refresh_due_at is None and deadline_at - at <= _SOON:
        return _ends_soon(connection, deadline_at)
    sentence = _("{provider} limits how long. We try to renew it by ourselves and tell you here in time if we cannot.")
    return Standing(
        connection,
        "done",
        _("Connected until {date}").format(date=_date(deadline_at)),
        f"{_checked(connection)} {_for(connection, sentence)}",
        action=_("Sign in now to extend"),
        action_url=reverse("reauthorize", args=[connection.pk]),
    )


def _is_used_up(stored: StoredTokenSet, deadline_at: datetime, *, at: datetime) -> bool:
    """Neither token is good any more: the next check would find it so, as after a long time switched off."""
    return deadline_at <= at and (stored.access_expires_at is None or stored.access_expires_at <= at)


def _limited(connection: Connection, stored: StoredTokenSet, limit: str, *, at: datetime) -> Standing:
    """It goes on for as long as its tokens, or the session at the provider, and no longer."""
    ended_at = stored.access_expires_at
    if not stored.is_renewable and ended_at is not None and ended_at <= at:  # the next check would find it so
        found = _needs_sign_in(connection, Reason.NOT_RENEWABLE, since=ended_at)
        return replace(found, limit=limit)
    return Standing(
        connection,
        "done",
        _("Connected"),
        f"{_checked(connection)} {limit}",
        action=_("Sign in again"),
        action_url=reverse("reauthorize", args=[connection.pk]),
        limit=limit,
    )


def _ends_soon(connection: Connection, deadline_at: datetime) -> Standing:
    sentence = _("Sign in at {provider} before then and updates go on. Your record stays here either way.")
    moment = f"{formats.date_format(timezone.localtime(deadline_at), 'l')}, {_moment(deadline_at)}"
    return Standing(
        connection,
        "needs-you",
        _("Connection ends {moment}").format(moment=moment),
        _for(connection, sentence),
        action=_("Sign in again"),
        action_url=reverse("reauthorize", args=[connection.pk]),
        needs_you=True,
    )


def _checked(connection: Connection) -> str:
    if connection.last_checked_at is None:
        return _("Not checked yet.")
    return _("Last checked {moment}.").format(moment=_moment(connection.last_checked_at))


def _for(connection: Connection, sentence: str) -> str:
    return sentence.format(provider=connection.provider.name)


def _date(moment: datetime | None) -> str:
    return formats.date_format(timezone.localtime(moment), "DATE_FORMAT") if moment else _("an unknown date")


def _moment(moment: datetime) -> str:
    """Day and clock time with its zone: May 3, 2026, 9:40 a.m. UTC."""
    local = timezone.localtime(moment)
    return f"{formats.date_format(local, 'DATETIME_FORMAT')} {formats.date_format(local, 'T')}"
