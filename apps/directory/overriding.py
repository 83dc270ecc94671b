"""A client registration's overrides of its endpoints' dialect: checked together, set by command.

`reaching.OVERRIDES` lists the columns. The admin sets them by its form, and also calls `check`.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from apps.audit.recording import Actor
from apps.directory import reaching, registration_changes
from apps.directory.models import ClientRegistration
from apps.wire.client_authentication import Authentication
from apps.wire.dialects import Placement

# The values of overrides that come from a vocabulary: a newer release may have written others.
READABLE = ("", *(placement.value for placement in Placement))

_IN_THE_ADDRESS = frozenset({Authentication.QUERY, Authentication.NONE})


def override(registration: ClientRegistration, written: Mapping[str, str], *, actor: Actor, at: datetime) -> None:
    """Set columns of `reaching.OVERRIDES` from text; empty text restores the dialect's value.

    Raises ValidationError for an unknown name or an invalid value; then nothing is set.
    """
    unknown = sorted(set(written) - set(reaching.OVERRIDES))
    if unknown:
        raise ValidationError(_("%(name)s overrides nothing."), params={"name": unknown[0][:64]})
    with registration_changes.locked(registration) as row:
        for column, text in written.items():
            setattr(row, column, _read(row, column, text))
        check(row)
        row.save(update_fields=list(written))
        registration_changes.note_columns(row, "overrides set", list(written), actor=actor, at=at)


def is_readable(registration: ClientRegistration) -> bool:
    """Whether this release knows the registration's overrides."""
    return registration.token_parameters in READABLE


def _read(row: ClientRegistration, column: str, text: str) -> object:
    field: Any = ClientRegistration._meta.get_field(column)  # noqa: SLF001 - its public name
    return field.clean(text, row) if text else field.get_default()


def check(registration: ClientRegistration) -> None:
    """Raises ValidationError if the authentication method and the place of the parameters exclude each other: a secret
    for the request's body must not go into its URL, nor the reverse."""
    authentication, placement = Authentication(registration.authentication), registration.token_parameters
    if placement == Placement.QUERY and authentication not in _IN_THE_ADDRESS:
        raise ValidationError(
            _("Parameters go in the address only where the client proves itself there, or not at all.")
        )
    if placement == Placement.BODY and authentication is Authentication.QUERY:
        raise ValidationError(_("A client that proves itself in the address puts its parameters there, too."))
