"""The files of an export, with a limited number of lines each (switch `bulk_rows_per_file`), made when they are
requested.

They have the resources of everybody in the group, and of the practice, of the requested types, as of the start.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import QuerySet

from apps.sandbox import scenarios
from apps.sandbox.fhir import addresses, refusing, store
from apps.sandbox.fhir.offered import OFFERED
from apps.sandbox.fhir.realm import Realm
from apps.sandbox.models import Resource
from apps.sandbox.smart.addresses import Place
from apps.sandbox.smart.bulk.jobs import Job

GROUPS = ("everyone", "nobody")
_ERRORS = "errors"


@dataclass(frozen=True)
class File:
    """One file of an export: `name` is its last segment."""

    name: str
    resource_type: str
    lines: int


def exported(place: Place) -> tuple[str, ...]:
    """The types that can be exported; Binary is not among them (interface facts 4.3)."""
    return tuple(name for name in OFFERED[place.version] if name != "Binary")


def output(job: Job) -> Iterator[File]:
    """The files with data; a type without resources has none."""
    size = _lines_of_a_file()
    for name in job.types:
        rows = _rows(job, name).count()
        for start in range(0, rows, size):
            yield File(f"{name}-{start // size}", name, min(size, rows - start))


def errors() -> Iterator[File]:
    """The files with errors."""
    if scenarios.chosen("bulk_outcome") == "with-errors":
        yield File(f"{_ERRORS}-0", "OperationOutcome", 1)


def content(job: Job, name: str) -> bytes | None:
    """The lines of one file; None if there is no such file."""
    kind, _, number = name.rpartition("-")
    if kind == _ERRORS and any(errors()):
        told = refusing.outcome("processing", "One document could not be read", "with-code", severity="warning")
        return json.dumps(told).encode() + b"\n"
    if kind not in job.types or not (number.isascii() and number.isdigit()):
        return None
    size = _lines_of_a_file()
    bodies = _rows(job, kind).values_list("body", flat=True)[int(number) * size : (int(number) + 1) * size]
    lines = [addresses.with_attachments(bytes(body), job.place.root) for body in bodies]
    return b"".join(line + b"\n" for line in lines) if lines else None


def _rows(job: Job, resource_type: str) -> QuerySet[Resource]:
    realm = Realm(job.place.version, job.place.tenant)
    members = store.patient_ids(realm) if job.group_id == "everyone" else ()
    rows = Resource.objects.filter(
        tenant=realm.tenant,
        version=realm.version,
        resource_type=resource_type,
        patient_id__in=["", *members] if members else [],
        last_updated_at__lte=job.started_at,
    )
    if job.since is not None:
        rows = rows.filter(last_updated_at__gt=job.since)
    return rows.order_by("pk")


def _lines_of_a_file() -> int:
    return int(scenarios.chosen("bulk_rows_per_file"))
