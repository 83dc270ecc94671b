"""Check endpoints: probe each, compare with the check before, store the result, and tell staff of changes for the
worse.

A check switches nothing off; only the discovery within it has its usual effects. For endpoints that patients rely on,
staff are told when one turns from well to ill, and when a certificate is about to expire: once each, in the log.
Everything else is in the admin.
"""

import hashlib
import json
import logging
import time
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from apps.audit.recording import Actor
from apps.directory import import_waits, registering
from apps.directory.import_waits import StillImporting
from apps.directory.models import ClientRegistration, Enablement, Endpoint, EndpointCheck, Wish
from apps.directory.monitoring import comparing, probing
from apps.directory.monitoring.probing import Seen
from apps.wire.capability_statements import CapabilityStatement
from apps.wire.certificates import Certificate

_LOG = logging.getLogger(__name__)

Finding = EndpointCheck.Finding

FRESH = timedelta(hours=24)
AGAIN_AFTER = timedelta(minutes=2)  # if the silence may have been short
AWAITED = timedelta(minutes=15)  # if somebody waits to be told that it works
ENDS_SOON = timedelta(days=30)
ENDS_VERY_SOON = timedelta(days=14)
MOST_KEPT = 20

_MOST_TYPES = 300
_MAY_BE_A_BLIP = frozenset({Finding.NO_ANSWER, Finding.NO_SIGN_IN, Finding.NOT_DISCOVERED})
_CHECKING = Actor.system("checking")


def check(endpoint: Endpoint, *, at: datetime, actor: Actor = _CHECKING) -> EndpointCheck:
    """Check now, and store the result. Takes a minute at most, and never raises for what the server does. Speaks to the
    network: call it outside transactions. Raises `import_waits.StillImporting`; then nothing is stored."""
    seen = probing.probe(endpoint, actor=actor, at=at)
    with import_waits.briefly():
        Endpoint.objects.select_for_update(no_key=True).get(pk=endpoint.pk)  # orders two concurrent checks
        before = endpoint.checks.filter(is_latest=True).first()
        made = _made(endpoint, seen, before, at=at)
        endpoint.checks.filter(is_latest=True).update(is_latest=False)
        made.save(force_insert=True)
        kept = endpoint.checks.order_by("-pk").values("pk")[:MOST_KEPT]
        endpoint.checks.exclude(pk__in=list(kept.values_list("pk", flat=True))).delete()
    if endpoint.is_switched_on and registering.standing_at(endpoint) is not None:
        _tell_staff(endpoint, before, made)
    return made


def check_each(
    endpoints: Iterable[Endpoint], *, at: datetime, seconds: float, actor: Actor = _CHECKING
) -> list[EndpointCheck]:
    """Check one after the other, beginning none after `seconds`, or after one that met an import. Returns the checks
    that were made, in order."""
    ends_at = time.monotonic() + seconds
    made: list[EndpointCheck] = []
    for endpoint in endpoints:
        if time.monotonic() > ends_at:
            break
        try:
            made.append(check(endpoint, at=at, actor=actor))
        except StillImporting:
            break
    return made


def check_relied_on(*, at: datetime, most: int, seconds: float) -> int:
    """Check due endpoints that patients rely on, the longest unchecked first: at most so many, beginning none after
    `seconds`. Returns how many were checked."""
    return len(check_each(_longest_unchecked(due(_relied_on(), at=at))[:most], at=at, seconds=seconds))


def checkable() -> QuerySet[Endpoint]:
    """All but those that vanished from their list, strangers, and practice ones where this installation allows none."""
    rows = Endpoint.objects.filter(vanished_at__isnull=True, is_stranger=False)
    return rows if settings.ALLOW_LOOPBACK_HTTP else rows.filter(is_sandbox=False)


def due(rows: QuerySet[Endpoint], *, at: datetime) -> QuerySet[Endpoint]:
    """Those that were not checked for a day, or are to be checked again. If somebody has been waiting for one for less
    than a day, it is due after a quarter of an hour."""
    latest = EndpointCheck.objects.filter(endpoint=OuterRef("pk"), is_latest=True, checked_at__gt=at - FRESH)
    is_over = Q(outcome=EndpointCheck.Outcome.UNSURE, checked_at__lte=at - AGAIN_AFTER)
    awaited = Wish.objects.filter(provider__endpoints=OuterRef("pk"), waits_since__gt=at - FRESH)
    is_fresh = Exists(latest.filter(checked_at__gt=at - AWAITED).exclude(is_over))
    return rows.filter(~Exists(latest.exclude(is_over)) | (Exists(awaited) & ~is_fresh))


def _relied_on() -> QuerySet[Endpoint]:
    """Endpoints that a standing registration of ours serves, also if they vanished from their list, because connections
    live on. Without strangers: staff have not reviewed their hosts, and nothing is sent there."""
    standing = ClientRegistration.objects.exclude(status__in=registering.OVER)
    own = standing.filter(authorization_server=OuterRef("authorization_server"))
    beside = Enablement.objects.filter(endpoint=OuterRef("pk"), registration__in=standing)
    rows = Endpoint.objects.filter(Exists(own) | Exists(beside), is_stranger=False)
    return rows if settings.ALLOW_LOOPBACK_HTTP else rows.filter(is_sandbox=False)


def _longest_unchecked(rows: QuerySet[Endpoint]) -> QuerySet[Endpoint]:
    latest = EndpointCheck.objects.filter(endpoint=OuterRef("pk"), is_latest=True)
    rows = rows.annotate(last_checked_at=Subquery(latest.values("checked_at")[:1]))
    return rows.order_by(F("last_checked_at").asc(nulls_first=True), "pk")


def _made(endpoint: Endpoint, seen: Seen, before: EndpointCheck | None, *, at: datetime) -> EndpointCheck:
    """The row: what was seen, and for what could not be seen, what was known before."""
    made = EndpointCheck(endpoint=endpoint, checked_at=at, faults=[fault.value for fault in seen.faults])
    made.outcome = _outcome(seen, before)
    server = endpoint.authorization_server
    if server is not None:
        made.authorize_url, made.token_url, made.issuer = server.authorize_url, server.token_url, server.issuer
    _keep_statement(made, seen.statement, before)
    made.certificates = _certificates(seen, before)
    ends = [datetime.fromisoformat(certificate["ends_at"]) for certificate in made.certificates]
    made.certificate_ends_at = min(ends, default=None)
    made.warnings = [warning.value for warning in _warnings(endpoint, seen, made, at=at)]
    made.changes = comparing.changes(before, made) if before else []
    return made


def _outcome(seen: Seen, before: EndpointCheck | None) -> EndpointCheck.Outcome:
    """A silence is believed the second time; until then nobody is told."""
    if not seen.faults:
        return EndpointCheck.Outcome.WELL
    is_first = before is None or before.outcome == EndpointCheck.Outcome.WELL
    may_pass = is_first and _MAY_BE_A_BLIP.issuperset(seen.faults)
    return EndpointCheck.Outcome.UNSURE if may_pass else EndpointCheck.Outcome.ILL


def _keep_statement(made: EndpointCheck, statement: CapabilityStatement | None, before: EndpointCheck | None) -> None:
    if statement is not None:
        made.fhir_version, made.software = statement.version.value, statement.software
        made.types = sorted(statement.types)[:_MOST_TYPES]
        made.types_digest = _digest(statement)
    elif before is not None:
        for column in ("fhir_version", "software", "types", "types_digest"):
            setattr(made, column, getattr(before, column))


def _digest(statement: CapabilityStatement) -> str:
    offered = {
        name: [sorted(offer.interactions), sorted(offer.search_parameters)] for name, offer in statement.types.items()
    }
    return hashlib.sha256(json.dumps(offered, sort_keys=True).encode()).hexdigest()


def _certificates(seen: Seen, before: EndpointCheck | None) -> list[dict[str, str]]:
    shown = [_as_row(certificate) for certificate in seen.certificates]
    silent = set(seen.hosts.values()) - {row["host"] for row in shown}
    known = before.certificates if before else []
    return shown + [row for row in known if row["host"] in silent]


def _as_row(certificate: Certificate) -> dict[str, str]:
    return {
        "host": certificate.host,
        "issuer": certificate.issuer,
        "ends_at": certificate.ends_at.isoformat(),
        "digest": certificate.digest,
        "tls_version": certificate.tls_version,
    }


def _warnings(endpoint: Endpoint, seen: Seen, made: EndpointCheck, *, at: datetime) -> Sequence[EndpointCheck.Finding]:
    ends_at = made.certificate_ends_at
    is_near = ends_at is not None and at < ends_at <= at + ENDS_SOON  # one that has ended is a fault
    is_nearer = ends_at is not None and at < ends_at <= at + ENDS_VERY_SOON
    checks = (
        (is_near and not is_nearer, Finding.CERTIFICATE_ENDS_SOON),
        (is_nearer, Finding.CERTIFICATE_ENDS_VERY_SOON),
        (bool(endpoint.disagreements) and Finding.ADDRESSES_MOVED not in seen.faults, Finding.DOCUMENTS_DISAGREE),
        (seen.statement is not None and not probing.offers_something(seen.statement), Finding.NOTHING_OFFERED),
    )
    return [found for holds, found in checks if holds]


def _tell_staff(endpoint: Endpoint, before: EndpointCheck | None, made: EndpointCheck) -> None:
    """Once for each change for the worse."""
    if made.outcome == EndpointCheck.Outcome.ILL and (before is None or before.outcome != made.outcome):
        _LOG.error("An endpoint turned ill: endpoint %s: %s", endpoint.pk, ", ".join(made.faults))
    near = Finding.CERTIFICATE_ENDS_VERY_SOON
    if near in made.warnings and (before is None or near not in before.warnings):
        _LOG.error("A certificate ends within 14 days: endpoint %s: %s", endpoint.pk, made.certificate_ends_at)
