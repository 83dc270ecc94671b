"""What a connection lets us read: in words for pages, as resource types for syncing.

We fetch only what was granted (specification 2.3). Pages say what was left out, and how to change that.
"""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from apps.connections.grants import kinds, launch_context
from apps.connections.grants.launch_context import SignedIn
from apps.connections.models import Connection
from apps.directory import reaching
from apps.wire import scopes
from apps.wire.addresses import check_address
from apps.wire.dialects import Interface
from apps.wire.errors import UnsafeAddress


@dataclass(frozen=True)
class GrantedAccess:
    """Ready to show; everything is empty if the provider's interface has no scopes. `signed_in` is a sentence about who
    did; `manage_url` is the provider's own page where apps are managed, only to be linked to; `can_be_changed` says
    whether the provider asks what to share, whatever was shared before."""

    shared: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    signed_in: str = ""
    manage_url: str = ""
    can_be_changed: bool = False


def readable_types(connection: Connection) -> frozenset[str] | None:
    """The resource types that the latest grant lets us read; None if no scopes were involved, so that the responses
    decide."""
    if scopes.readable_types(connection.requested_scope.split()) is None:
        return None
    return scopes.readable_types(connection.granted_scope.split()) or frozenset()


def may_choose_anew(connection: Connection) -> bool:
    """Whether the user can be asked there again what to share, which only one of the interfaces does."""
    is_over = connection.status == Connection.Status.DISCONNECTED
    return connection.endpoint.interface == Interface.SMART and not is_over


def of_connection(connection: Connection, *, patient_id: str = "") -> GrantedAccess:
    """What the connection's own user sees. `patient_id` is whom the record is about, if that is not confirmed yet."""
    shared = readable_types(connection)
    is_asked = connection.endpoint.interface == Interface.SMART
    if shared is None and not is_asked:
        return GrantedAccess()
    return GrantedAccess(
        shared=kinds.names(shared or ()),
        left_out=left_out(connection),
        signed_in=_signed_in(connection, patient_id or connection.fhir_patient_id),
        manage_url=_manage_url(connection),
        can_be_changed=is_asked,
    )


def left_out(connection: Connection) -> tuple[str, ...]:
    """The kinds that were asked for and not shared, or only in part."""
    requested, granted = connection.requested_scope.split(), connection.granted_scope.split()
    asked = scopes.readable_types(requested) or frozenset()
    shared = readable_types(connection) or frozenset()
    missing = scopes.readable_types(scopes.missing(requested, granted)) or frozenset()
    return kinds.left_out(asked, whole=shared - missing, some=shared & missing)


def _signed_in(connection: Connection, patient_id: str) -> str:
    words = {
        SignedIn.PATIENT: _("The person whose record it is."),
        SignedIn.ANOTHER_PATIENT: _("Someone other than the person whose record it is, such as a parent."),
        SignedIn.RELATIVE: _("A relative, or another person who is allowed to see this record."),
        SignedIn.STAFF: _("Someone who works there."),
        SignedIn.UNKNOWN: "",
    }
    return words[launch_context.find(connection).signed_in(patient_id)]


def _manage_url(connection: Connection) -> str:
    url = reaching.authorization_server(connection.endpoint, connection.registration).management_url
    try:
        check_address(url, reaching.address_policy())
    except UnsafeAddress:
        return ""
    return url
