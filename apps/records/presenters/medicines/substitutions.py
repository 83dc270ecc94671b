"""Whether another product may be, or was, dispensed in place of the one that was ordered."""

from collections.abc import Mapping
from enum import StrEnum

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records.presenters import elements, naming
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN
from apps.records.presenters.heads import status_codes


class Exchange(StrEnum):
    """Whether another product may be, or was, dispensed in place of the one that was ordered."""

    ALLOWED = "exchange-allowed"
    NOT_ALLOWED = "exchange-not-allowed"
    MADE = "exchange-made"
    NOT_MADE = "exchange-not-made"
    NOT_GIVEN = NOT_GIVEN


class Substitution(msgspec.Struct, frozen=True, gc=False):
    """Whether the product may be or was substituted, and the provider's words about it."""

    exchange: Exchange = Exchange.NOT_GIVEN
    said: tuple[str, ...] = ()


_NO_EXCHANGE = frozenset({"n", "none"})
_KINDS = ("type", "allowedCodeableConcept")


def read(sent: Element, *, of_dispense: bool) -> Substitution | None:
    """Read whether an order allows a substitution, or whether a dispense made one. DSTU2 has only a type for it, with a
    code for "none" (HL7 v3 substanceAdminSubstitution): in an order, none is allowed; in a dispense, none was made."""
    found = Substitution(_exchange(sent, of_dispense=of_dispense), naming.titles(sent, *_KINDS, "reason"))
    return found if found != Substitution() else None


def forbidden(found: Substitution | None) -> Substitution | None:
    """The substitution if it is not allowed, else None. A line in a list shows only this case; a page shows each."""
    return found if found is not None and found.exchange is Exchange.NOT_ALLOWED else None


def _exchange(sent: Element, *, of_dispense: bool) -> Exchange:
    was_made, is_allowed = elements.flag(sent, "wasSubstituted"), elements.flag(sent, "allowedBoolean")
    if was_made is not None:
        return Exchange.MADE if was_made else Exchange.NOT_MADE
    if is_allowed is False:
        return Exchange.NOT_ALLOWED
    if any(code in _NO_EXCHANGE for name in _KINDS for code in status_codes(sent, name)):
        return Exchange.NOT_MADE if of_dispense else Exchange.NOT_ALLOWED
    return Exchange.ALLOWED if is_allowed else Exchange.NOT_GIVEN


EXCHANGE_WORDS: Mapping[Exchange, str | Promise] = {
    Exchange.ALLOWED: _("May be given"),
    Exchange.NOT_ALLOWED: _("Must not be given"),
    Exchange.MADE: _("Was given"),
    Exchange.NOT_MADE: _("Was not given"),
    Exchange.NOT_GIVEN: "",
}
