"""Stored resources. Bodies are bytes, which nothing here parses.

Reading a page is one query along the index (tenant, version, patient, type, id). The first page also counts all
matches, and the next link remembers the count.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from django.db import connection

from apps.sandbox import raw_sql
from apps.sandbox.fhir.indexing import Body, index
from apps.sandbox.fhir.realm import Realm
from apps.sandbox.fhir.searching import Condition, Search
from apps.sandbox.models import Resource, StoredFile

_encoder = msgspec.json.Encoder(decimal_format="number")  # 13.20 stays 13.20
_BATCH = 1_000
_OF_REALM = "tenant = %(tenant)s AND version = %(version)s"
_DATED = {
    "eq": "dated_from >= %(start)s AND dated_until <= %(end)s",
    "ge": "(dated_until > %(start)s OR dated_until IS NULL AND dated_from IS NOT NULL)",
    "gt": "(dated_until > %(end)s OR dated_until IS NULL AND dated_from IS NOT NULL)",
    "le": "(dated_from < %(end)s OR dated_from IS NULL AND dated_until IS NOT NULL)",
    "lt": "(dated_from < %(start)s OR dated_from IS NULL AND dated_until IS NOT NULL)",
}
_UPDATED = {
    "eq": "last_updated_at >= %(start)s AND last_updated_at < %(end)s",
    "ge": "last_updated_at >= %(start)s",
    "gt": "last_updated_at >= %(end)s",
    "le": "last_updated_at < %(end)s",
    "lt": "last_updated_at < %(start)s",
}


class Row(NamedTuple):
    """One stored resource, as a page needs it."""

    place: int
    resource_type: str
    logical_id: str
    body: bytes


@dataclass(frozen=True)
class Found:
    """The rows of one page, whether more follow, and how many there are in all."""

    rows: tuple[Row, ...]
    has_more: bool
    total: int


def row(realm: Realm, patient_id: str, body: Body, *, at: datetime) -> Resource:
    """A row to store; `at` is when it was changed, unless its meta says so."""
    known = index(body)
    return Resource(
        tenant=realm.tenant,
        version=realm.version,
        patient_id=patient_id,
        resource_type=body["resourceType"],
        logical_id=body["id"],
        body=_encoder.encode(body),
        tokens=known.tokens,
        dated_from=known.dated_from,
        dated_until=known.dated_until,
        last_updated_at=known.last_updated_at or at,
    )


def keep(rows: Iterable[Resource]) -> int:
    """Insert rows, replacing those with the same tenant, version, type and id; returns how many."""
    latest = {(one.tenant, one.version, one.resource_type, one.logical_id): one for one in rows}
    Resource.objects.bulk_create(
        latest.values(),
        batch_size=_BATCH,
        update_conflicts=True,
        unique_fields=["tenant", "version", "resource_type", "logical_id"],
        update_fields=["patient_id", "body", "tokens", "dated_from", "dated_until", "last_updated_at"],
    )
    return len(latest)


def keep_files(files: Iterable[StoredFile]) -> None:
    """Insert files, replacing those with the same tenant, version and name."""
    StoredFile.objects.bulk_create(
        files,
        update_conflicts=True,
        unique_fields=["tenant", "version", "name"],
        update_fields=["patient_id", "content_type", "content"],
    )


def forget(realm: Realm, patient_id: str) -> None:
    """Delete everything of one patient."""
    for model in (Resource, StoredFile):
        model.objects.filter(tenant=realm.tenant, version=realm.version, patient_id=patient_id).delete()


def patient_ids(realm: Realm) -> tuple[str, ...]:
    """The ids of all Patients in the realm."""
    patients = Resource.objects.filter(tenant=realm.tenant, version=realm.version, resource_type="Patient")
    return tuple(patients.order_by("pk").values_list("logical_id", flat=True))


def read(realm: Realm, resource_type: str, logical_id: str) -> tuple[str, bytes] | None:
    """The id of the patient to whom a resource belongs ("" for the practice's) and its body; None if it does not
    exist."""
    found = raw_sql.rows(
        f"SELECT patient_id, body FROM sandbox_resource WHERE {_OF_REALM}"  # noqa: S608  # nosec B608 -- fixed parts
        " AND resource_type = %(type)s AND logical_id = %(id)s",
        {**realm._asdict(), "type": resource_type, "id": logical_id},
    )
    return found[0] if found else None


def find(search: Search, *, repeat_last: bool = False) -> Found:
    """One page of a search. `repeat_last`: begin with the last row of the page before."""
    where, values = _where(search)
    total = search.cursor.total
    counting = f"SELECT count(*) FROM sandbox_resource WHERE {where}"  # noqa: S608  # nosec B608 -- fixed parts
    if not search.count:
        return Found((), has_more=False, total=raw_sql.rows(counting, values)[0][0] if total is None else total)
    again = repeat_last and search.cursor.number > 1
    wanted = search.count + 1 + again
    selected = raw_sql.rows(
        f"SELECT id, logical_id, body, {f'({counting})' if total is None else '0'} FROM sandbox_resource"  # noqa: S608  # nosec B608 -- fixed parts
        f" WHERE {where} AND id {'>=' if again else '>'} %(after)s ORDER BY id LIMIT %(wanted)s",
        {**values, "after": search.cursor.after, "wanted": wanted},
    )
    if total is None:
        total = selected[0][3] if selected else 0
    has_more = len(selected) == wanted
    rows = tuple(Row(place, search.resource_type, logical_id, body) for place, logical_id, body, _ in selected)
    return Found(rows[:-1] if has_more else rows, has_more, total)


def provenance_of(search: Search, rows: Iterable[Row]) -> tuple[Row, ...]:
    """The Provenance resources with one of these rows as a target."""
    targets = [f"target={row.resource_type}/{row.logical_id}" for row in rows]
    return _others(search, "Provenance", "tokens && %(wanted)s", targets) if targets else ()


def medications_of(search: Search, rows: Iterable[Row]) -> tuple[Row, ...]:
    """The Medication resources to which these rows refer; they belong to the practice."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT token FROM sandbox_resource, unnest(tokens) AS token WHERE id = ANY(%s)"
            " AND token LIKE 'medication=Medication/%%'",
            [[row.place for row in rows]],
        )
        ids = [token.rpartition("/")[2] for (token,) in cursor.fetchall()]
    return _others(search, "Medication", "logical_id = ANY(%(wanted)s)", ids, of_practice=True) if ids else ()


def of_somebody_else(search: Search) -> Row | None:
    """A row of the same type that belongs to another patient, if there is one; for the switch stray_rows."""
    found = raw_sql.rows(
        f"SELECT id, logical_id, body FROM sandbox_resource WHERE {_OF_REALM}"  # noqa: S608  # nosec B608 -- fixed parts
        " AND resource_type = %(type)s AND patient_id <> ALL(%(ours)s) ORDER BY id LIMIT 1",
        {**search.realm._asdict(), "type": search.resource_type, "ours": ["", *search.patient_ids]},
    )
    return Row(found[0][0], search.resource_type, *found[0][1:]) if found else None


def _others(search: Search, resource_type: str, condition: str, wanted: list[str], *,
            of_practice: bool = False) -> tuple[Row, ...]:  # fmt: skip
    owners = [""] if of_practice else list(search.patient_ids)
    found = raw_sql.rows(
        f"SELECT id, logical_id, body FROM sandbox_resource WHERE {_OF_REALM}"  # noqa: S608  # nosec B608 -- fixed parts
        f" AND resource_type = %(type)s AND patient_id = ANY(%(owners)s) AND {condition} ORDER BY id",
        {**search.realm._asdict(), "type": resource_type, "owners": owners, "wanted": wanted},
    )
    return tuple(Row(place, resource_type, logical_id, body) for place, logical_id, body in found)


def _where(search: Search) -> tuple[str, dict[str, Any]]:
    """The conditions of a search, as SQL from constant parts, and their values."""
    parts = [_OF_REALM, "resource_type = %(type)s"]
    values: dict[str, Any] = {**search.realm._asdict(), "type": search.resource_type}
    if len(search.patient_ids) > 1:
        parts.append("patient_id = ANY(%(patients)s)")
        values["patients"] = list(search.patient_ids)
    else:
        parts.append("patient_id = %(patient)s")
        values["patient"] = search.patient_ids[0] if search.patient_ids else ""
    for number, condition in enumerate(search.conditions):
        names = {name: f"{name}{number}" for name in ("start", "end", "wanted")}
        parts.append(_condition(condition) % {name: f"%({numbered})s" for name, numbered in names.items()})
        given = {"start": condition.start, "end": condition.end, "wanted": list(condition.values)}
        values.update({names[name]: value for name, value in given.items()})
    return " AND ".join(parts), values


def _condition(condition: Condition) -> str:
    """SQL whose placeholders are %(start)s, %(end)s and %(wanted)s."""
    if condition.kind == "tokens":
        return "tokens && %(wanted)s"
    if condition.kind == "ids":
        return "logical_id = ANY(%(wanted)s)"
    if condition.kind == "words":
        return "EXISTS (SELECT 1 FROM unnest(tokens) AS token WHERE token LIKE ANY(%(wanted)s))"
    return (_UPDATED if condition.kind == "updated" else _DATED)[condition.prefix]
