"""What changed at an endpoint between two checks: as rows store it, and in words for staff.

What was unknown before has not changed, nor has what could not be seen now.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import TypedDict

from django.db import models
from django.utils import formats
from django.utils.translation import gettext_lazy as _

from apps.directory.models import EndpointCheck

_MOST_NAMES = 20
_LONGEST = 1000


class What(models.TextChoices):
    """What can change. The label is what staff read; only certificates have a `{host}`."""

    SOFTWARE = "software", _("Its software is now {after}. It was {before}.")
    VERSION = "version", _("It now states FHIR {after}. It was {before}.")
    TYPES_ADDED = "types_added", _("It now offers {after}.")
    TYPES_GONE = "types_gone", _("It no longer offers {before}.")
    OFFERS = "offers", _("What can be read or searched for there has changed.")
    AUTHORIZE_URL = "authorize_url", _("People now sign in at {after}. It was {before}.")
    TOKEN_URL = "token_url", _("Tokens now come from {after}. It was {before}.")  # nosec B105 - a name, not a token
    ISSUER = "issuer", _("Its issuer is now {after}. It was {before}.")
    CERTIFICATE = "certificate", _("The certificate of {host} was renewed: it ends on {after}. The old one: {before}.")
    CERTIFICATE_ISSUER = "certificate_issuer", _("The certificate of {host} now comes from {after}. It was {before}.")


class Change(TypedDict):
    """One change, as an EndpointCheck stores it."""

    what: str
    host: str
    before: str
    after: str


def changes(before: EndpointCheck, after: EndpointCheck) -> list[Change]:
    """The differences, in a fixed order, with each text shortened."""
    return [
        Change(what=what.value, host=host[:_LONGEST], before=old[:_LONGEST], after=new[:_LONGEST])
        for what, host, old, new in (*_of_the_server(before, after), *_of_the_certificates(before, after))
    ]


def words(change: Change) -> str:
    """The change as a sentence."""
    what = What(change["what"])
    if what == What.CERTIFICATE:
        change = {**change, "before": _day(change["before"]), "after": _day(change["after"])}
    return str(what.label).format(**change)


def _day(written: str) -> str:
    return formats.date_format(date.fromisoformat(written))


_Difference = tuple[What, str, str, str]


def _of_the_server(before: EndpointCheck, after: EndpointCheck) -> Iterator[_Difference]:
    columns = (
        (What.SOFTWARE, "software"),
        (What.VERSION, "fhir_version"),
        (What.AUTHORIZE_URL, "authorize_url"),
        (What.TOKEN_URL, "token_url"),
        (What.ISSUER, "issuer"),
    )
    for what, column in columns:
        old, new = getattr(before, column), getattr(after, column)
        if old and old != new:
            yield what, "", old, new
    if before.types_digest:
        yield from _of_the_types(before, after)


def _of_the_types(before: EndpointCheck, after: EndpointCheck) -> Iterator[_Difference]:
    added = [name for name in after.types if name not in set(before.types)]
    gone = [name for name in before.types if name not in set(after.types)]
    if added:
        yield What.TYPES_ADDED, "", "", _names(added)
    if gone:
        yield What.TYPES_GONE, "", _names(gone), ""
    if not added and not gone and before.types_digest != after.types_digest:
        yield What.OFFERS, "", "", ""


def _of_the_certificates(before: EndpointCheck, after: EndpointCheck) -> Iterator[_Difference]:
    known = {certificate["host"]: certificate for certificate in before.certificates}
    for new in after.certificates:
        old = known.get(new["host"])
        if old is None or old["digest"] == new["digest"]:
            continue
        yield What.CERTIFICATE, new["host"], old["ends_at"][:10], new["ends_at"][:10]
        if old["issuer"] != new["issuer"]:
            yield What.CERTIFICATE_ISSUER, new["host"], old["issuer"], new["issuer"]


def _names(names: Sequence[str]) -> str:
    """A list of names; if it is long, its beginning and their number."""
    shown = ", ".join(names[:_MOST_NAMES])
    return shown if len(names) <= _MOST_NAMES else f"{shown}, … ({len(names)})"
