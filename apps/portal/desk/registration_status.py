"""The status of a registration in one word, as lists and its own page show it.

"Patients can connect" means at one of its endpoints at least.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db.models import Prefetch, QuerySet, prefetch_related_objects
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from apps.directory import linkability, registering, registration_overview
from apps.directory.models import ClientRegistration, Enablement, Endpoint

Status = ClientRegistration.Status

_MOST_ASKED = 200  # endpoints of one registration
# One endpoint for each registration, the first in index order, since there may be tens of thousands.
_FIRSTS = """
SELECT first.* FROM directory_clientregistration AS registration, LATERAL (
    SELECT * FROM directory_endpoint AS own
    WHERE own.authorization_server_id = registration.authorization_server_id
        AND own.is_switched_on AND own.vanished_at IS NULL
    ORDER BY own.fhir_version, own.fhir_base_url LIMIT 1
) AS first
WHERE registration.id = ANY(%s)
"""


@dataclass(frozen=True)
class ShownStatus:
    """Shape and word of a status; `reason` is why patients cannot connect although it is on, or empty."""

    kind: str
    word: str
    reason: str = ""

    @property
    def status(self) -> str:
        """The markup of both. Cached, because a list of fifty has few different ones."""
        return _status(self.kind, self.word)


def show_on(registrations: Iterable[ClientRegistration], *, at: datetime) -> None:
    """Set `standing` on each registration, for templates; one that has it already keeps it.

    One query finds an endpoint for each registration that is on. More endpoints are looked at only if patients cannot
    connect at that one.
    """
    rows = [row for row in registrations if not hasattr(row, "standing")]
    firsts = _firsts([row for row in rows if _is_open(row)])
    for row in rows:
        row.standing = _of(row, firsts.get(row.authorization_server_id), at=at)  # type: ignore[attr-defined]


def of(registration: ClientRegistration, *, at: datetime) -> ShownStatus:
    """The status of one registration."""
    show_on([registration], at=at)
    found: ShownStatus = registration.standing  # type: ignore[attr-defined]
    return found


@lru_cache(maxsize=64)
def _status(kind: str, word: str) -> str:
    return render_to_string("partials/status.html", {"kind": kind, "word": word})


def _of(registration: ClientRegistration, first: Endpoint | None, *, at: datetime) -> ShownStatus:
    if registration.status in registering.OVER:
        return ShownStatus("off", str(registration.get_status_display()))
    if registration.trouble:
        return ShownStatus("fault", _("Their server refuses us"))
    if registration.status == Status.REQUESTED:
        return ShownStatus("working", _("Begun"))
    if registration.status == Status.PROVISIONAL:
        return ShownStatus("working", _("Waiting for approval"))
    if not registration.is_switched_on:
        return ShownStatus("off", _("Switched off"))
    return _of_its_endpoints(registration, first, at=at)


def _of_its_endpoints(registration: ClientRegistration, first: Endpoint | None, *, at: datetime) -> ShownStatus:
    can_connect = ShownStatus("done", _("On: patients can connect"))
    if first is not None and _obstacle(registration, first, at=at) == "":
        return can_connect
    reasons = []
    some = [one.pk for one in registration_overview.endpoints(registration, most=_MOST_ASKED)]
    for endpoint in _ready(Endpoint.objects.filter(pk__in=some)).order_by("-is_switched_on", "pk"):
        reason = _obstacle(registration, endpoint, at=at)
        if not reason:
            return can_connect
        reasons.append(reason)
    reason = reasons[0] if reasons else _("It serves no endpoint.")
    return ShownStatus("needs-you", _("On, but patients cannot connect"), reason)


def _obstacle(registration: ClientRegistration, endpoint: Endpoint, *, at: datetime) -> str:
    """Why patients cannot connect at this endpoint with this registration, or empty."""
    obstacle = linkability.obstacle(endpoint, at=at)
    if obstacle is not None:
        return str(obstacle.label)
    serving = registering.standing_at(endpoint)
    return "" if serving == registration else _("Another registration serves its endpoints.")


def _firsts(registrations: Sequence[ClientRegistration]) -> dict[object, Endpoint]:
    """One endpoint of each authorization server that is switched on, if it has any."""
    rows = list(Endpoint.objects.raw(_FIRSTS, [[row.pk for row in registrations]])) if registrations else []
    is_any_enabled = Enablement.objects.filter(endpoint__in=rows).exists() if rows else False
    prefetch_related_objects(rows, "authorization_server__registrations", _enablements(is_any=is_any_enabled))
    return {row.authorization_server_id: row for row in rows}


def _ready(rows: QuerySet[Endpoint]) -> QuerySet[Endpoint]:
    """Load what `linkability.obstacle` needs, so that it costs no query."""
    return rows.select_related("authorization_server").prefetch_related(
        "authorization_server__registrations", _enablements(is_any=True)
    )


def _enablements(*, is_any: bool) -> "Prefetch[str, Any, str]":
    """Enablements of endpoints with their registrations. If there are none at all, no further query is made."""
    rows = registering.enablements()
    return Prefetch("enablements", rows if is_any else rows.none())


def _is_open(registration: ClientRegistration) -> bool:
    return registration.status == Status.APPROVED and registration.is_switched_on and not registration.trouble
