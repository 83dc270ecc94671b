"""Everything that the page of a connection shows to its own user."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts import preferences
from apps.accounts.models import User
from apps.connections import revoking
from apps.connections.grants import granted_access, permission_terms
from apps.connections.grants.granted_access import GrantedAccess
from apps.connections.models import Connection
from apps.connections.presenting import ends, moments, standing
from apps.connections.presenting.standing import ShownConnection
from apps.connections.revoking import Told


@dataclass(frozen=True)
class Reminders:
    """The mail before the end: `said` is a sentence; `is_muted` if the patient wants none about this connection."""

    said: str
    is_muted: bool


@dataclass(frozen=True)
class Shown:
    """Ready to show; `use` and `told` are sentences, empty if there is nothing to say, and `lasts` says for how long.
    `checked` is when we last checked, empty if never; `more_url` is the provider's own page about what happened.
    `reminders` is None if no end is known. `newer` is a connection to the same record, read in the same way, that was
    made after this one was disconnected."""

    standing: ShownConnection
    sharing: GrantedAccess
    lasts: str
    use: str = ""
    told: str = ""
    checked: str = ""
    more_url: str = ""
    reminders: Reminders | None = None
    newer: Connection | None = None


def show(user: User, connection_id: UUID, *, at: datetime) -> Shown:
    """A confirmed connection of this user. Raises Connection.DoesNotExist if there is none, or no longer."""
    confirmed = user.connections.confirmed()
    servers = ("provider", "endpoint__authorization_server", "registration__authorization_server")
    connection = confirmed.select_related(*servers).get(pk=connection_id)
    found = standing.of_connection(connection, at=at)
    return Shown(
        found,
        granted_access.of_connection(connection),
        _lasts(found),
        use=_use(found),
        told=_told(found.connection),
        checked=moments.moment(connection.last_checked_at) if connection.last_checked_at else "",
        more_url=connection.more_url,
        reminders=_reminders(user, found),
        newer=_newer(user, connection),
    )


def _newer(user: User, connection: Connection) -> Connection | None:
    """The connection that reconnecting would find: there is at most one living connection to each patient."""
    if connection.status != Connection.Status.DISCONNECTED:
        return None
    same = {name: getattr(connection, name) for name in ("endpoint_id", "provider_id", "fhir_patient_id")}
    return user.connections.living().filter(**same).first()


def _lasts(found: ShownConnection) -> str:
    if found.connection.status == Connection.Status.DISCONNECTED:
        return ""
    if found.ends_at is None:
        return permission_terms.lasts_for(found.connection)
    said = _("Until {moment}. {provider} does not let us renew it. Each time you sign in there, the time starts over.")
    return said.format(moment=moments.moment(found.ends_at), provider=found.connection.provider.name)


def _use(found: ShownConnection) -> str:
    """If the provider ends unused permissions: when it was last used, and that we take care of that."""
    used_at, limit = ends.last_used_at(found.connection), ends.idle_limit(found.connection)
    if used_at is None or limit is None:
        return ""
    days = limit.days
    said = ngettext(
        "Last used on {date}. {provider} ends it after {count} day without use. We use it well before then.",
        "Last used on {date}. {provider} ends it after {count} days without use. We use it well before then.",
        days,
    )
    if found.needs_you or found.is_stopped:
        said = ngettext(
            "Last used on {date}. {provider} ends it after {count} day without use.",
            "Last used on {date}. {provider} ends it after {count} days without use.",
            days,
        )
    return said.format(date=moments.date(used_at), provider=found.connection.provider.name, count=days)


def _told(connection: Connection) -> str:
    """Whether the provider knows that it is over."""
    if connection.status != Connection.Status.DISCONNECTED:
        return ""
    said = {
        Told.CONFIRMED: _("{provider} has confirmed that our permission ended."),
        Told.PENDING: _(
            "We are telling {provider} to end our permission, and will keep trying for a day. We no longer have a key "
            "to your record there."
        ),
        Told.NEVER: _(
            "{provider} did not confirm that our permission ended. We no longer have a key to your record there. To "
            "be sure, remove Holdfast in their portal under connected apps."
        ),
    }[revoking.told(connection)]
    return said.format(provider=connection.provider.name)


def _reminders(user: User, found: ShownConnection) -> Reminders | None:
    if found.ends_at is None:
        return None
    if found.connection.is_muted:
        return Reminders(_("No e-mails about this connection."), is_muted=True)
    hours = preferences.choices_of(user).hours_before
    if not hours:
        return Reminders(_("You chose not to get an e-mail before a connection ends."), is_muted=False)
    listed = ", ".join(str(number) for number in hours)
    said = ngettext("By e-mail, {hours} hour before.", "By e-mail, {hours} hours before.", max(hours))
    return Reminders(said.format(hours=listed), is_muted=False)
