"""Whether another product may be handed over in place of the one that was ordered, or was."""

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
    """Whether another product may be handed over in place of the one that was ordered, or was."""

    ALLOWED = "exchange-allowed"
    NOT_ALLOWED = "exchange-not-allowed"
    MADE = "exchange-made"
    NOT_GIVEN = NOT_GIVEN


class Substitution(msgspec.Struct, frozen=True, gc=False):
    """That, and what its provider says of it."""

    exchange: Exchange = Exchange.NOT_GIVEN
    said: tuple[str, ...] = ()


_NO_EXCHANGE = frozenset({"n", "none"})


def read(sent: Element) -> Substitution | None:
    """Of an order, whether it is allowed, and of a dispense, whether it was made. DSTU2 says it by its type alone, with
    a code for none at all (HL7 v3 substanceAdminSubstitution)."""
    kinds = ("type", "allowedCodeableConcept")
    exchange = Exchange.NOT_GIVEN
    if elements.flag(sent, "wasSubstituted") is True:
        exchange = Exchange.MADE
    elif elements.flag(sent, "wasSubstituted") is None:
        allowed = elements.flag(sent, "allowedBoolean")
        is_none = allowed is False or any(code in _NO_EXCHANGE for name in kinds for code in status_codes(sent, name))
        exchange = Exchange.NOT_ALLOWED if is_none else Exchange.ALLOWED if allowed else Exchange.NOT_GIVEN
    found = Substitution(exchange, naming.titles(sent, *kinds, "reason"))
    return found if found != Substitution() else None


EXCHANGE_WORDS: Mapping[Exchange, str | Promise] = {
    Exchange.ALLOWED: _("May be given"),
    Exchange.NOT_ALLOWED: _("Must not be given"),
    Exchange.MADE: _("Was given"),
    Exchange.NOT_GIVEN: "",
}
