"""What an export adds to what was received, as FHIR resources of the same version: when and from where each row came,
what is missing, and what cannot be read as JSON.

Their ids distinguish them from the provider's own: a UUID made from what the resource is about, and the fullUrl
`urn:uuid:…`. Their sentences are in the language of the person who asked.
"""

import base64
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid5

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.records import counts
from apps.records.exporting.stored import Row, Source
from apps.records.presenters import elements
from apps.wire.dialects import FhirVersion

Resource = dict[str, Any]

_NAMESPACE = UUID("6f0c1c0e-52b1-5d0e-9a55-3c8f3f3b1d11")


@dataclass
class Count:
    """What was written so far: how many entries of the record, and what is odd about some, earlier versions
    included."""

    entries: int = 0
    oddities: list[str] = field(default_factory=list)


def identity(*parts: object) -> str:
    """A UUID made from these parts (RFC 9562, version 5): the same parts always give the same."""
    return str(uuid5(_NAMESPACE, json.dumps([str(part) for part in parts])))


def instant(moment: datetime) -> str:
    """A FHIR instant in UTC, to the millisecond."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def written(resource: Resource) -> bytes:
    """A resource of ours as JSON on one line."""
    return json.dumps(resource, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def provenance(source: Source, rows: Sequence[Row]) -> Resource:
    """When and from where these rows came: all were received, and were last sent unchanged, at the same moments.

    R4 section 6.3, DSTU2 section 6.2 (Provenance). `recorded` is when the body was received, and the period ends when
    the provider last sent the same one.
    """
    received_at, until_at = rows[0].received_at, rows[0].until_at
    period = {"start": instant(received_at), "end": instant(until_at)}
    is_dstu2 = source.version is FhirVersion.DSTU2
    removed_at = rows[0].removed_at
    made = _made(
        "Provenance",
        *("provenance", source.connection_id, period, rows[0].reference),
        target=[{"reference": source.full_url(row.resource_type, row.logical_id)} for row in rows],
        recorded=instant(received_at),
        **({"activity": _removal(removed_at)} if removed_at is not None else {}),
    )
    if is_dstu2:
        return {**made, **_dstu2_origin(source, period)}
    return {**made, "occurredPeriod": period, **r4_origin(source)}


def _removal(noticed_at: datetime) -> Resource:
    said = _("The provider no longer has this; noticed at %(moment)s.")
    return {"text": said % {"moment": instant(noticed_at)}}


def _agent() -> Resource:
    return {"display": _("Holdfast, for the patient")}


def _dstu2_origin(source: Source, period: Resource) -> Resource:
    role = {"system": "http://hl7.org/fhir/provenance-participant-role", "code": "assembler"}
    kind = {"system": "http://hl7.org/fhir/resource-types", "code": "Bundle"}
    entity = {"role": "source", "type": kind, "reference": source.base_url, "display": source.provider}
    return {"period": period, "agent": [{"role": role, "actor": _agent()}], "entity": [entity]}


def r4_origin(source: Source) -> Resource:
    """The part of a Provenance in R4 that is the same for everything from one source: who fetched it, and from
    where."""
    system = "http://terminology.hl7.org/CodeSystem/provenance-participant-type"
    agent = {"type": {"coding": [{"system": system, "code": "assembler"}]}, "who": _agent()}
    address = {"system": "urn:ietf:rfc:3986", "value": source.base_url}
    entity = {"role": "source", "what": {"identifier": address, "display": elements.shown(source.provider)}}
    return {"agent": [agent], "entity": [entity]}


def missing(source: Source, sentences: Iterable[str]) -> Resource:
    """An OperationOutcome with what the record lacks, in the words of its ledger, or saying that it lacks nothing."""
    issues = [_issue("warning", "incomplete", sentence) for sentence in sentences]
    complete = _issue("information", "informational", _("Nothing is missing, as far as we know."))
    return _made("OperationOutcome", "missing", source.connection_id, issue=issues or [complete])


def counted(source: Source, count: Count) -> Resource:
    """How many entries of the record were written, and what is odd about some. This comes last in a file: if it is
    missing, the file was cut off."""
    written = ngettext(
        "%(count)s entry of the record was written.", "%(count)s entries of the record were written.", count.entries
    )
    total = _issue("information", "informational", written % {"count": counts.grouped(count.entries)})
    odd = [_issue("warning", "exception", sentence) for sentence in count.oddities]
    return _made("OperationOutcome", "counted", source.connection_id, issue=[total, *odd])


def unopened(row: Row) -> str:
    """The sentence about a row that does not open."""
    return _("%(entry)s could not be opened, and is not here.") % {"entry": row.reference}


def unopened_file(reference: str) -> str:
    """The sentence about a kept file of this resource that does not open."""
    return _("A file of %(entry)s could not be opened, and is not here.") % {"entry": reference}


def wrapped(row: Row, binary: Resource) -> str:
    """The sentence about a row that `unreadable` wraps."""
    said = _("%(entry)s could not be read as JSON; it is here as it came, as %(binary)s.")
    return said % {"entry": row.reference, "binary": f"Binary/{binary['id']}"}


def unreadable(source: Source, row: Row, body: bytes) -> Resource:
    """A body that is not a JSON object, wrapped in a Binary, so that it does not break what is beside it (R4 2.3, DSTU2
    1.15)."""
    content = "content" if source.version is FhirVersion.DSTU2 else "data"
    data = {content: base64.b64encode(body).decode("ascii")}
    about = ("unreadable", source.connection_id, row.reference, row.received_at)
    return _made("Binary", *about, contentType="text/plain", **data)


def _made(resource_type: str, *about: object, **elements: Any) -> Resource:
    return {"resourceType": resource_type, "id": identity(resource_type, *about), **elements}


def _issue(severity: str, code: str, sentence: str) -> Resource:
    return {"severity": severity, "code": code, "details": {"text": sentence}}
